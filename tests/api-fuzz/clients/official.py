"""The schemas that the projects of the protocols publish, if a folder contains them.

The specification of OPDS has no licence, so that its schemas cannot be part of this repository or
of a package. `LEDGE_TEST_SPECS` names a folder with:

- `specs`, `webpub-manifest`, `open-subsonic-api`: copies of the repositories
  opds-community/specs, readium/webpub-manifest and opensubsonic/open-subsonic-api
- `atom.rnc`: appendix B of RFC 4287; both grammars need the validator Jing
- `subsonic-rest-api-1.16.1.xsd`: the schema of Subsonic
"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from lxml import etree
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

import opds2
from device import Answer
from opensubsonic import NAMESPACE, App

STREAM = "http://vaemendis.net/opds-pse/stream"
# The schema of links names the schemas of OPDS by their former address.
FORMER = "https://drafts.opds.io/schema/"
# Attributes of the envelope that OpenSubsonic requires, and Subsonic does not know.
ADDED = ("type", "serverVersion", "openSubsonic")
# Elements of methods that only OpenSubsonic has.
NEW = {"openSubsonicExtensions", "tokenInfo", "lyricsList", "playQueueByIndex"}


def folder() -> Path | None:
    named = os.environ.get("LEDGE_TEST_SPECS")
    return Path(named).resolve() if named else None


def check_atom(specs: Path, documents: list[Answer]) -> int:
    """Checks the feeds and entries of OPDS 1.2 with Jing, and returns their number."""
    sources = {"atom": specs / "atom.rnc", "opds": specs / "specs" / "schema" / "1.2" / "opds.rnc"}
    addresses = []
    with tempfile.TemporaryDirectory() as place:
        for name, path in sources.items():
            (Path(place) / f"{name}.rnc").write_text(repaired(path.read_text()))
        for answer in documents:
            tree = etree.fromstring(answer.body)
            if "OpenSearchDescription" in tree.tag:
                continue
            for link in tree.iter("{http://www.w3.org/2005/Atom}link"):
                if link.get("rel") == STREAM:
                    # OPDS-PSE puts a template into the attribute, which the schema forbids.
                    link.set("href", re.sub("[{}]", "", link.get("href")))
            (Path(place) / f"{len(addresses)}.xml").write_bytes(etree.tostring(tree))
            addresses.append(answer.address)
        files = [f"{at}.xml" for at in range(len(addresses))]
        jing = ["jing", "-i", "-c", "opds.rnc", *files]
        run = subprocess.run(jing, cwd=place, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout[:2000] + run.stderr[:2000]
    return len(addresses)


def repaired(grammar: str) -> str:
    """Corrects a mistake in the grammar of OPDS 1.2: its pattern forbids the letters `r` and `t` in
    addresses. It means the line breaks."""
    return grammar.replace(r'[ <>{}|^`"\nrt]', r'[ <>{}|\^`"\n\r\t]')


def registry(specs: Path) -> Registry:
    """Finds schemas by their addresses in the folder."""
    places = {
        FORMER: specs / "specs" / "schema",
        "https://specs.opds.io/schema/": specs / "specs" / "schema",
        "https://readium.org/webpub-manifest/schema/": specs / "webpub-manifest" / "schema",
        "file:///openapi/": specs / "open-subsonic-api" / "openapi",
    }

    def retrieve(address: str) -> Resource:
        prefix = next(prefix for prefix in places if address.startswith(prefix))
        text = (places[prefix] / address.removeprefix(prefix)).read_text()
        # Named groups of ECMAScript.
        document = json.loads(text.replace("(?<", "(?P<"))
        return Resource.from_contents(document, default_specification=DRAFT202012)

    return Registry(retrieve=retrieve)


def check_json(specs: Path, documents: list[Answer]) -> int:
    """Checks the feeds and publications of OPDS 2.0, and returns their number."""
    found = registry(specs)
    checker = Draft202012Validator.FORMAT_CHECKER
    validators = {}
    for mime, name in ((opds2.FEED, "feed"), (opds2.PUBLICATION, "publication")):
        schema = {"$ref": f"https://specs.opds.io/schema/{name}.schema.json"}
        validators[mime] = Draft202012Validator(schema, registry=found, format_checker=checker)
    checked = 0
    for answer in documents:
        if validator := validators.get(answer.mime):
            expect_valid(validator, answer, answer.json())
            checked += 1
    return checked


def expect_valid(validator: Draft202012Validator, answer: Answer, document: dict) -> None:
    error = next(validator.iter_errors(document), None)
    assert error is None, f"{answer.address}: {error.json_path}: {error.message[:500]}"


def check_openapi(specs: Path, app: App) -> int:
    """Checks the JSON responses of OpenSubsonic, and returns their number."""
    found, validators, checked = registry(specs), {}, 0
    endpoints = specs / "open-subsonic-api" / "openapi" / "endpoints"
    for call in app.calls:
        method = call.method.removesuffix(".view")
        if not (endpoints / f"{method}.json").exists():
            # `hls` has another name there, and `noSuchMethod` none.
            assert call.error in (0, 50), method
            continue
        if method not in validators:
            pointer = "#/get/responses/200"
            endpoint = json.loads((endpoints / f"{method}.json").read_text())
            if "$ref" not in endpoint["get"]["responses"]["200"]:
                pointer += "/content/application~1json/schema"
            schema = {"$ref": f"file:///openapi/endpoints/{method}.json{pointer}"}
            validators[method] = Draft202012Validator(schema, registry=found)
        expect_valid(validators[method], call.answer, call.answer.json())
        checked += 1
    return checked


def check_xml(specs: Path, app: App) -> int:
    """Checks the XML responses to old apps against the schema of Subsonic, and returns their number."""
    schema = etree.XMLSchema(etree.parse(str(specs / "subsonic-rest-api-1.16.1.xsd")))
    checked = 0
    for answer in app.old:
        tree = etree.fromstring(answer.body)
        names = {child.tag.removeprefix(NAMESPACE) for child in tree}
        if names & NEW:
            continue
        for name in ADDED:
            tree.attrib.pop(name)
        for queue in tree.iter(f"{NAMESPACE}playQueue"):
            # An id is a text everywhere. The schema has a number here by mistake.
            queue.attrib.pop("current", None)
        assert schema.validate(tree), f"{answer.address}: {schema.error_log.last_error}"
        checked += 1
    return checked
