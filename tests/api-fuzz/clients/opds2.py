"""Every JSON document of the catalogue, against a schema, and every link, against its target."""

import json
from collections import deque
from pathlib import Path
from urllib.parse import quote_plus

from jsonschema import Draft202012Validator

from device import Answer, Device
from opds1 import SEARCHES, is_narrow

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "opds2.json").read_text())
FEED = "application/opds+json"
PUBLICATION = "application/opds-publication+json"
PROGRESSION = "application/opds-progression+json"
READIUM = "application/vnd.readium.progression+json"
AUTHENTICATION = "application/opds-authentication+json"
PROBLEM = "application/problem+json"
DEFINITIONS = {
    FEED: "feed",
    PUBLICATION: "publication",
    PROGRESSION: "progression",
    READIUM: "readium",
    AUTHENTICATION: "authentication",
    PROBLEM: "problem",
}


def valid(answer: Answer) -> dict:
    """Checks a document against the schema of its type, and returns it."""
    schema = {**SCHEMA, "$ref": f"#/$defs/{DEFINITIONS[answer.mime]}"}
    checker = Draft202012Validator.FORMAT_CHECKER
    assert {"uri", "uri-reference", "date", "date-time"} <= checker.checkers.keys()
    document = answer.json()
    errors = Draft202012Validator(schema, format_checker=checker).iter_errors(document)
    texts = [f"{error.json_path}: {error.message[:300]}" for error in errors]
    assert not texts, f"{answer.address}: {texts}"
    return document


def check(device: Device) -> list[Answer]:
    """Walks along all links from the root on, and returns the documents."""
    documents, targets, totals = [], {}, {}
    queue = deque([(f"{device.base}/opds/v2", FEED), (f"{device.base}/opds/v2/", FEED)])
    seen = {address for address, _ in queue}
    while queue:
        address, mime = queue.popleft()
        answer = device.get(address).expect(200)
        assert answer.mime == mime, f"{address}: {answer.mime} instead of {mime}"
        documents.append(answer)
        document = valid(answer)
        total = document["metadata"].get("numberOfItems")
        assert totals.get(address, total) == total, f"{address}: {total} of {totals[address]} items"
        for entry in document.get("navigation", []):
            if items := entry.get("properties"):
                totals[entry["href"]] = items["numberOfItems"]
        for href, mime, is_facet in links(document):
            if mime not in (FEED, PUBLICATION):
                targets[href] = mime
            elif href not in seen and not (is_facet and is_narrow(address)):
                seen.add(href)
                queue.append((href, mime))
    assert any("subject=" in address for address in totals)
    documents += progressions(device, targets)
    for href, mime in targets.items():
        found = device.head(href).expect(200).mime
        assert found.split(";")[0] == mime, f"{href}: {found} instead of {mime}"
    return documents + refusals(device)


def links(node: dict | list, is_facet: bool = False) -> list[tuple[str, str, bool]]:
    """Returns the addresses and types of all links below a node; `True` for links of facets."""
    found = []
    if isinstance(node, list):
        for one in node:
            found += links(one, is_facet)
    elif isinstance(node, dict):
        if "href" in node:
            words = SEARCHES if node.get("templated") else [None]
            found += [(filled(node["href"], word), node["type"], is_facet) for word in words]
        for name, value in node.items():
            found += links(value, is_facet or name == "facets")
    return found


def filled(template: str, words: str | None) -> str:
    if words is None:
        return template
    assert template.endswith("{?query}"), template
    return template.replace("{?query}", f"?query={quote_plus(words)}")


def progressions(device: Device, targets: dict[str, str]) -> list[Answer]:
    """Reads the progress of all files, and sends one in both forms."""
    documents = []
    addresses = [href for href, mime in targets.items() if mime == PROGRESSION]
    older = [href for href, mime in targets.items() if mime == READIUM]
    assert addresses and len(addresses) == len(older)
    for href in addresses + older:
        answer = device.get(href).expect(200)
        assert answer.mime == targets[href], href
        if answer.body:
            valid(answer)
            documents.append(answer)
    assert documents, "no file has progress"
    at = {"modified": "2026-03-01T10:00:00.000000Z", "device": {"id": "urn:x:1", "name": "Tablet"}}
    new = next(href for href in addresses if not device.get(href).body)
    sent = {**at, "progression": 0.25, "references": ["#page=2", "no-such-section.xhtml"]}
    documents.append(device.send("PUT", new, json.dumps(sent).encode()).expect(201))
    assert valid(documents[-1])["progression"] == 0.25
    assert valid(device.get(new).expect(200)) == valid(documents[-1])
    late = {**sent, "modified": "2026-02-01T10:00:00Z"}
    for body, status in ((late, 409), ({**sent, "progression": 2}, 400)):
        refused = device.send("PUT", new, json.dumps(body).encode()).expect(status)
        assert valid(refused)["status"] == status
        documents.append(refused)
    return documents


def refusals(device: Device) -> list[Answer]:
    """Reads the authentication document, and a refusal with it."""
    nobody = Device(device.base)
    refused = nobody.get("/opds/v2").expect(401)
    assert refused.headers["WWW-Authenticate"].startswith('Basic realm="')
    documents = [nobody.get("/opds/auth").expect(200), refused]
    for answer in documents:
        valid(answer)
    first = device.get("/opds/v2/items/999999999").expect(404)
    assert first.body == device.get("/opds/items/999999999").expect(404).body
    return documents
