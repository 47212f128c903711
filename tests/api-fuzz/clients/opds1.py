"""Every Atom document of the catalogue, against a grammar, and every link, against its target."""

from collections import deque
from pathlib import Path
from urllib.parse import quote_plus

import rnc2rng
from lxml import etree

from device import Answer, Device

SCHEMA = Path(__file__).parent / "schemas" / "opds1.rnc"
ROOTS = ["/opds", "/opds/", "/opds/v1.2", "/opds/v1.2/"]
ATOM = "{http://www.w3.org/2005/Atom}"
SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
DESCRIPTION = "application/opensearchdescription+xml"
FACET = "http://opds-spec.org/facet"
PAGES = "http://vaemendis.net/opds-pse/stream"
ACQUISITION = "http://opds-spec.org/acquisition"
# Lists of one name: their facets are those of the other lists.
NARROW = ("author=", "series=", "subject=", "q=")
SEARCHES = ["the", "a b", "zzzzzz", ']]> <x> & "c" \u00e9', ""]


def compiled(path: Path) -> etree.RelaxNG:
    """Compiles a grammar in compact syntax."""
    grammar = rnc2rng.dumps(rnc2rng.load(str(path)))
    return etree.RelaxNG(etree.fromstring(grammar.encode()))


def check(device: Device) -> list[Answer]:
    """Walks along all links from the roots on, and returns the documents."""
    grammar = compiled(SCHEMA)
    documents = walk(device)
    for answer in documents:
        tree = parsed(answer)
        assert grammar.validate(tree), f"{answer.address}: {list(grammar.error_log)[:5]}"
        if tree.tag == f"{ATOM}feed":
            check_feed(answer, tree)
        elif tree.tag == f"{ATOM}entry":
            check_entry(answer, tree)
    check_refusals(grammar, documents)
    check_pages(device)
    return documents


def check_refusals(grammar: etree.RelaxNG, documents: list[Answer]) -> None:
    """The grammar must refuse documents with a missing or an unknown element."""
    for answer in documents[:20]:
        without, other = parsed(answer), parsed(answer)
        without.remove(without[0])
        etree.SubElement(other, f"{ATOM}subtitle").text = "x"
        assert not grammar.validate(without) and not grammar.validate(other), answer.address


def walk(device: Device) -> list[Answer]:
    documents, targets = [], {}
    queue = deque((device.base + root, None) for root in ROOTS)
    seen = {address for address, _ in queue}
    while queue:
        address, mime = queue.popleft()
        answer = device.get(address).expect(200)
        assert mime in (None, answer.mime), f"{address}: {answer.mime} instead of {mime}"
        documents.append(answer)
        for href, mime, rel in links(answer):
            if rel == PAGES:
                href = href.replace("{pageNumber}", "0").replace("{maxWidth}", "200")
            if not mime.startswith("application/atom+xml") and mime != DESCRIPTION:
                targets[href] = mime
            elif href not in seen and not (rel == FACET and is_narrow(address)):
                seen.add(href)
                # The facets of a facet lead to the same feeds in another order.
                queue.append((href, mime))
    for href, mime in targets.items():
        found = device.head(href).expect(200).mime
        assert found.split(";")[0] == mime, f"{href}: {found} instead of {mime}"
    return documents


def is_narrow(address: str) -> bool:
    query = address.partition("?")[2]
    return query.count("=") > 1 or any(name in query for name in NARROW)


def links(answer: Answer) -> list[tuple[str, str, str]]:
    """Returns the addresses, types and relations of all links."""
    tree = parsed(answer)
    if tree.tag == f"{SEARCH}OpenSearchDescription":
        url = tree.find(f"{SEARCH}Url")
        template, mime = url.get("template"), url.get("type")
        filled = [template.replace("{searchTerms}", quote_plus(words)) for words in SEARCHES]
        return [(address, mime, "search") for address in filled]
    found = tree.iter(f"{ATOM}link")
    return [(link.get("href"), link.get("type"), link.get("rel")) for link in found]


def parsed(answer: Answer) -> etree._Element:
    for part in (b"<![CDATA[", b"<!--", b"\xef\xbb\xbf"):
        assert part not in answer.body, f"{answer.address}: {part!r}"
    assert answer.body.endswith(b">"), answer.address
    return etree.fromstring(answer.body, etree.XMLParser(resolve_entities=False, no_network=True))


def check_feed(answer: Answer, feed: etree._Element) -> None:
    """Checks the rules that the grammar cannot express."""
    rels = [link.get("rel") for link in feed.findall(f"{ATOM}link")]
    for rel in ("self", "start", "search"):
        assert rels.count(rel) == 1, f"{answer.address}: {rels.count(rel)} links {rel}"
    assert answer.headers.get("Last-Modified") is None, answer.address
    entries = feed.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids), f"{answer.address}: repeated ids"
    if answer.mime.endswith("kind=navigation"):
        return
    for entry in entries:
        rels = [link.get("rel") for link in entry.findall(f"{ATOM}link")]
        assert ACQUISITION in rels, f"{answer.address}: {entry.findtext(f'{ATOM}title')}"
    active = [link for link in feed.iter(f"{ATOM}link") if link.get("rel") == FACET]
    groups = [link.get("{http://opds-spec.org/2010/catalog}facetGroup") for link in active]
    assert groups == sorted(groups, key=groups.index), f"{answer.address}: mixed groups of facets"


def check_entry(answer: Answer, entry: etree._Element) -> None:
    """Checks the rules of Atom for an entry without a feed."""
    rels = [link.get("rel") for link in entry.findall(f"{ATOM}link")]
    assert "alternate" in rels, f"{answer.address}: an entry without content needs `alternate`"
    assert entry.find(f"{ATOM}author") is not None, f"{answer.address}: an entry needs an author"


def check_pages(device: Device) -> None:
    """The pages of a list contain every publication once."""
    ids, address, total = [], device.base + "/opds/v1.2/publications", 0
    while address:
        feed = parsed(device.get(address).expect(200))
        ids += [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
        total = int(feed.findtext(f"{SEARCH}totalResults"))
        following = [link.get("href") for link in feed.iter(f"{ATOM}link") if link.get("rel") == "next"]
        address = following[0] if following else None
    assert total > 50, f"{total} publications have one page"
    assert len(ids) == total == len(set(ids)), f"{len(ids)} entries, {len(set(ids))} ids, total {total}"
