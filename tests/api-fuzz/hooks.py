"""Leads generated requests to what there is, and gives those that destroy something to destroy.

Without this nearly every id would be a 404, and the first deletion that is none would take the
scene away for all that follow. What becomes what follows from the generated values alone, so that
the same seed gives the same requests.
"""

import itertools
import json
import os
import struct
import zlib
from functools import cache
from pathlib import Path

import schemathesis
from schemathesis.generation.meta import TestPhase

from api import Api

FACTS = json.loads(os.environ["LEDGE_FUZZ"])
ADMIN = Api(FACTS["base"], FACTS["admin"])
OWN = Api(FACTS["base"], FACTS["own"])
FOLDERS = Path(FACTS["folder"]) / "spare"
# The one of the document's examples.
PASSWORD = "correct horse battery"


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


# A grey pixel.
PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\x80"))
    + chunk(b"IEND", b"")
)
# Beyond every id.
NOWHERE = 1_000_000_000

counter = itertools.count(1)


def spare_name() -> str:
    return f"Spare {os.getpid()} {next(counter)}"


def spare_user() -> dict:
    return ADMIN.post("/users", {"username": spare_name(), "password": PASSWORD})


def spare_session() -> str:
    return Api(FACTS["base"]).sign_in(spare_user()["username"], PASSWORD).token


def spare_folder() -> str:
    folder = FOLDERS / spare_name()
    folder.mkdir(parents=True)
    return str(folder)


def spare_library() -> int:
    return ADMIN.post("/libraries", {"name": spare_name(), "path": spare_folder()})["id"]


def app_password(owner: Api) -> int:
    """Returns a new app password. A user has at most 32."""
    known = owner.get("/app-passwords")["items"]
    if len(known) >= 30:
        owner.send("DELETE", f"/app-passwords/{known[0]['id']}")
    body = {"name": spare_name(), "scopes": ["publications"]}
    return owner.post("/app-passwords", body)["id"]


@cache
def user_of_apps() -> tuple[int, Api]:
    user = spare_user()
    return user["id"], Api(FACTS["base"]).sign_in(user["username"], PASSWORD)


def spare_tag() -> int:
    name = spare_name()
    tags = OWN.put(f"/items/{FACTS['items'][0]}/tags", {"tags": [name, "kept"]})["tags"]
    return next(tag["id"] for tag in tags if tag["name"] == name)


def spare_playlist() -> int:
    body = {"name": spare_name(), "files": FACTS["played"][:3]}
    return OWN.post("/playlists", body)["id"]


@cache
def playlist() -> int:
    return spare_playlist()


def spare_collection() -> int:
    body = {"name": spare_name(), "items": FACTS["items"][:2]}
    return OWN.post("/collections", body)["id"]


@cache
def collection() -> int:
    return spare_collection()


@cache
def smart_collection() -> int:
    body = {"name": spare_name(), "kind": "smart", "rule": {"all": []}}
    return OWN.post("/collections", body)["id"]


@cache
def series() -> list[int]:
    item = FACTS["items"][0]
    ADMIN.patch(f"/items/{item}", {"series": {"name": "Spare", "index": 1}})
    return [named["id"] for named in OWN.get("/series?limit=20")["items"]]


@cache
def shows() -> list[int]:
    """Returns the items with seasons."""
    found = OWN.get("/items?kind=video&subkind=series&limit=20")
    return [item["id"] for item in found["items"]]


def collected(collection: int) -> int:
    """Returns an item of the collection, which may have lost all of them."""
    OWN.post(f"/collections/{collection}/items", {"items": FACTS["items"][:1]})
    return OWN.get(f"/collections/{collection}/items?limit=1")["items"][0]["id"]


def entry(playlist: int) -> int:
    """Returns an entry of the playlist, which may have lost all of them."""
    OWN.post(f"/playlists/{playlist}/entries", {"files": FACTS["played"][:1], "at": 0})
    return OWN.get(f"/playlists/{playlist}/entries?limit=1")["items"][0]["id"]


@cache
def forms() -> list[int]:
    """Returns a text and a recording that are forms of one work."""
    kinds = ("books", "audio")
    items = [OWN.get(f"/items?kind={kind}&subkind={sub}")["items"] for kind, sub in
             zip(kinds, ("prose", "audiobook"))]
    return [found[0]["id"] for found in items]


def work() -> int:
    return ADMIN.post("/works", {"items": forms()})["id"]


def batch() -> int:
    """Returns an edit of the user, which may have been undone."""
    for rating in (3, 4):
        body = {"ids": FACTS["items"][:1], "set": {"rating": rating}}
        edited = OWN.patch("/items", body)
    return edited["batch"] or OWN.get("/edits?limit=1")["items"][0]["id"]


@cache
def started_import() -> int:
    """Returns the job of an import. It fails, because there is no such file."""
    body = {"source": "navidrome", "path": "/nowhere/navidrome.db"}
    return ADMIN.post("/imports", body)["job_id"]


def first_file(item: int) -> int:
    return OWN.get(f"/items/{item}")["files"][0]["id"]


def annotation(item: int) -> int:
    body = {"file_id": first_file(item), "position": 0, "type": "bookmark"}
    return OWN.post(f"/items/{item}/annotations", body)["id"]


def past_place(item: int) -> int:
    for _ in range(2):
        OWN.put(f"/items/{item}/progress", {"file_id": first_file(item), "position": 0})
    return OWN.get(f"/items/{item}/progress/history")["items"][0]["id"]


def version(item: int, slot: str) -> int:
    for content in (b"first", b"second"):
        OWN.put(f"/items/{item}/saves/{slot}", content)
    return OWN.get(f"/items/{item}/saves/{slot}/versions")["items"][0]["n"]


@cache
def picture(item: int) -> int:
    """Returns a picture that the item can have as its cover."""
    ADMIN.send("PUT", f"/items/{item}/cover", PICTURE, "image/png")
    return ADMIN.get(f"/items/{item}/covers")["items"][-1]["id"]


@cache
def session_with_a_password_to_change() -> str:
    return spare_session()


@schemathesis.auth(refresh_interval=None)
class Session:
    """The user's session; what would end it has another."""

    def get(self, case, context) -> str:
        if case.operation.path.endswith("/auth/logout"):
            return spare_session()
        if case.operation.path.endswith("/auth/password"):
            return session_with_a_password_to_change()
        return OWN.token

    def set(self, case, token, context) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    path, method, segments = case.operation.path, case.method.upper(), case.path_parameters
    if as_id(segments.get("batch")) and not goes_nowhere(case, as_id(segments["batch"])):
        segments["batch"] = batch()
    if path.endswith("/metadata/providers/{provider}/test") and len(str(segments["provider"])) % 3:
        segments["provider"] = "local_files"  # It needs no network.
    id = as_id(segments.get("id"))
    if id and goes_nowhere(case, id):
        segments["id"] = NOWHERE + id % NOWHERE
    elif id:
        segments["id"] = existing(method, path, id)
        fill_in(method, segments["id"], segments)
        fill_in_what_is_inside(method, path, segments["id"], segments)
    if isinstance(case.body, dict):
        fill_in_body(method, path, segments.get("id"), case.body)
    if case.query:
        fill_in_query(method, path, segments.get("id"), case.query)
        case.query.update(written_out(case.query))


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Notes what succeeded, so that the run can tell what it never got to."""
    if response.status_code < 300:
        with open(FACTS["succeeded"], "a", encoding="utf-8") as log:
            log.write(f"{case.operation.label}\n")


def written_out(query: dict) -> dict:
    """What would vanish from the request, so that the wrong value it stands for is really sent: an
    object becomes parameters of other names, and an empty list becomes none at all."""
    return {
        name: json.dumps(value)
        for name, value in query.items()
        if isinstance(value, dict) or value == []
    }


def as_id(value: object) -> int | None:
    """The id that a generated value is once it is sent: in a path `7`, `"7"` and `[7]` are one."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = str(value)
    if not (text.isascii() and text.isdigit()) or text.startswith("0"):
        return None
    return int(text) if int(text) < 2**63 else None


def goes_nowhere(case, id: int) -> bool:
    """One in eight, but only at random: the other phases try one thing at a time, which an id
    that is nowhere would hide."""
    return case.meta.phase.name == TestPhase.FUZZING and id % 8 == 7


def lead(value: int, known: list[int]) -> int:
    return known[value % len(known)]


def existing(method: str, path: str, value: int) -> int:
    if path.endswith("/app-passwords/{password}"):
        return user_of_apps()[0]
    if "/users/" in path:
        return spare_user()["id"]
    if "/app-passwords/" in path:
        return app_password(OWN)
    if "/libraries/" in path:
        changes = method in ("PATCH", "DELETE") or path.endswith(("/purge", "/grants/{user_id}"))
        if changes and not path.endswith("/scan"):
            return spare_library()
        return lead(value, FACTS["libraries"])
    if "/tags/" in path:
        return spare_tag()
    if "/playlists/" in path:
        return spare_playlist() if method == "DELETE" else playlist()
    if path.endswith("/collections/{id}") and method == "PATCH":
        return smart_collection()
    if "/collections/" in path:
        return spare_collection() if method == "DELETE" else collection()
    if "/series/" in path:
        return lead(value, series())
    if "/people/" in path:
        return lead(value, [one["id"] for one in OWN.get("/people")["items"]])
    if path.endswith(("/seasons", "/episodes")):
        return lead(value, shows())
    if "/works/" in path:
        return work()
    if path.endswith("/handover"):
        work()
        return forms()[0]
    if "/saves" in path or path.endswith("/gains"):
        return lead(value, FACTS["games" if "/saves" in path else "recordings"])
    if "/items/" in path:
        return lead(value, FACTS["items"])
    if "/imports/" in path:
        return started_import()
    if "/kinds/" in path:
        # entries, pages, lyrics, subtitles, fonts
        return lead(value, FACTS["inside"][path.split("/{id}/")[1].split("/")[0]])
    if "/files/" in path:
        return lead(value, FACTS["files"])
    return lead(value, sorted(job["id"] for job in ADMIN.get("/jobs")["items"]))


def fill_in(method: str, id: int, segments: dict) -> None:
    if as_id(segments.get("user_id")):
        segments["user_id"] = spare_user()["id"]
    if as_id(segments.get("annotation")):
        segments["annotation"] = annotation(id)
    if as_id(segments.get("entry")):
        segments["entry"] = past_place(id)
    if as_id(segments.get("item")):
        segments["item"] = forms()[1]
    if as_id(segments.get("candidate")):
        segments["candidate"] = picture(id)
    if as_id(segments.get("password")):
        segments["password"] = app_password(user_of_apps()[1])
    slot = segments.get("slot")
    if isinstance(slot, str) and len(slot) % 2 == 0 and method != "PUT":
        segments["slot"] = "auto"
        number = version(id, "auto")
        if as_id(segments.get("n")):
            segments["n"] = number


def fill_in_what_is_inside(method: str, path: str, id: int, segments: dict) -> None:
    """Some of what is asked for is there."""
    looks_or_unlinks = path.endswith("/matches/{provider}/search") or method == "DELETE"
    if looks_or_unlinks and len(str(segments.get("provider", ""))) % 3:
        # It looks beside the files, and needs no network.
        segments["provider"] = "local_files"
    if path.endswith("/entries/{path}") and len(str(segments["path"])) % 2:
        segments["path"] = "mimetype"
    if path.endswith("/pages/{n}") and as_id(segments["n"]):
        segments["n"] = 1 + as_id(segments["n"]) % 4
    if path.endswith("/subtitles/{track}") and len(str(segments["track"])) % 3:
        tracks = OWN.get(f"/kinds/video/files/{id}/subtitles")["items"]
        segments["track"] = f"{tracks[0]['id']}.vtt"


def is_there(id: object) -> bool:
    return (as_id(id) or NOWHERE) < NOWHERE


def fill_in_query(method: str, path: str, id: object, query: dict) -> None:
    if path.endswith("/handover") and as_id(query.get("to")):
        query["to"] = forms()[1]
    # The server ignores parameters that it does not know. A request with one is meant to be refused.
    if method == "DELETE" and set(query) == {"id"} and is_there(id) and len(str(query["id"])) % 3:
        if path.endswith("/playlists/{id}/entries"):
            query["id"] = entry(as_id(id))
        if path.endswith("/collections/{id}/items"):
            query["id"] = collected(as_id(id))
    if path.startswith("/stats"):
        fill_in_range(query)


def fill_in_range(query: dict) -> None:
    """Some ranges are short enough, and some time zones exist."""
    if isinstance(query.get("tz"), str) and len(query["tz"]) % 3:
        query["tz"] = "Europe/Berlin"
    if isinstance(query.get("from"), str) and len(str(query)) % 3:
        query.update({"from": "2026-01-01", "to": "2026-12-31"})
    elif isinstance(query.get("to"), str) and len(str(query)) % 3:
        query["to"] = "2026-12-31"


def fill_in_collection(path: str, id: object, body: dict) -> None:
    if isinstance(body.get("items"), list) and all(map(as_id, body["items"])):
        body["items"] = [lead(as_id(value), FACTS["items"]) for value in body["items"]]
    if path.endswith("/items") and is_there(id):
        moves = body.get("move")
        for move in moves if isinstance(moves, list) else []:
            if isinstance(move, dict) and as_id(move.get("id")):
                move.update(id=collected(as_id(id)), to=0)
    # Generated rules are objects without a condition.
    if isinstance(body.get("rule"), dict) and len(body["rule"]) % 2 == 0:
        body["rule"] = {"all": [{"field": "year", "op": "greater", "value": 1900}]}


def fill_in_body(method: str, path: str, id: object, body: dict) -> None:
    if path.endswith("/auth/login") and set(body) == {"username", "password"}:
        # Some know their password.
        if len(str(body["username"])) % 2:
            body.update(username=spare_user()["username"], password=PASSWORD)
    if path.endswith("/libraries") and method == "POST" and isinstance(body.get("path"), str):
        body["path"] = spare_folder()
    if as_id(body.get("item_id")):
        id = body["item_id"] = lead(as_id(body["item_id"]), FACTS["items"])
    if as_id(body.get("file_id")) and id in FACTS["items"]:
        body["file_id"] = first_file(id)
    if path.endswith("/now-playing") and as_id(body.get("file_id")):
        body["file_id"] = FACTS["played"][0]
    if path.endswith("/playlists/{id}/entries") and is_there(id):
        # Either names the entries, few items have a timeline, and few places are within the list.
        if method == "POST" and ("files" in body or len(body.get("items") or []) % 2):
            body.pop("items", None)
            body["files"] = FACTS["played"][:1]
        if as_id(body.get("at")):
            body["at"] = as_id(body["at"]) % 2
        moves = body.get("move")
        for move in moves if isinstance(moves, list) else []:
            if isinstance(move, dict) and as_id(move.get("id")):
                move.update(id=entry(as_id(id)), to=0)
    if "/collections" in path:
        fill_in_collection(path, id, body)
    if path.endswith("/imports") and len(str(body.get("source", ""))) % 3:
        # A file that is not there: no generated path may be read.
        body.update(source="navidrome", path="/nowhere/navidrome.db")
        body.pop("library", None)
    if path.endswith("/items") and method == "PATCH" and isinstance(body.get("ids"), list):
        # Only one of both selects items.
        if body["ids"]:
            body.pop("filter", None)
    if path.endswith("/items/{id}/mark") and is_there(id):
        # Only one of them selects files.
        for other in ("season", "until"):
            if len(body) % 2:
                body.pop(other, None)
        if isinstance(body.get("files"), list) and all(map(as_id, body["files"])):
            body["files"] = [first_file(as_id(id)) for _ in body["files"][:3]]
            return
    if path.endswith("/items/{id}/cover") and is_there(id) and as_id(body.get("candidate")):
        body["candidate"] = picture(as_id(id))
    lists = {
        "ids": FACTS["items"],
        "library_ids": FACTS["libraries"],
        "grants": [FACTS["user"]],
        "files": FACTS["played"],
    }
    for field, known in lists.items():
        if isinstance(body.get(field), list) and all(map(as_id, body[field])):
            body[field] = [lead(as_id(value), known) for value in body[field]]
