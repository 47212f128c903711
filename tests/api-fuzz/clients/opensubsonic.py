"""Every method of the server, in JSON against a schema, and in XML against the JSON."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from jsonschema import Draft202012Validator
from lxml import etree

from device import Answer, Device
from opensubsonic_schema import SCHEMA

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent.parent / "protocols" / "opensubsonic" / "src" / "lib.rs"
NAMESPACE = "{http://subsonic.org/restapi}"
ENVELOPE = {"status", "version", "type", "serverVersion", "openSubsonic"}
# Members that are an element with a text in XML. All other texts are attributes.
ELEMENTS = {"notes", "biography"}
# Methods whose response is not an envelope.
MEDIA = {"stream", "download", "getCoverArt", "getAvatar"}
LISTS = ["random", "newest", "highest", "frequent", "recent", "alphabeticalByName"]
LISTS += ["alphabeticalByArtist", "starred"]


@dataclass(frozen=True)
class Call:
    """A call of a method, and its response in JSON."""

    method: str
    answer: Answer
    error: int | None


class App:
    """A music app. `checks` are further checks of each response in JSON, and `old` of XML for old apps."""

    def __init__(self, device: Device, secret: str) -> None:
        self.device, self.secret = device, secret
        self.calls: list[Call] = []
        self.old: list[Answer] = []
        self.errors: list[str] = []

    def send(self, method: str, params: list[tuple[str, object]], **common: str) -> Answer:
        login = {"apiKey": self.secret, "v": "1.16.1", "c": "clients", **common}
        query = urlencode([*login.items(), *params])
        return self.device.get(f"/rest/{method}?{query}")

    def call(
        self,
        method: str,
        element: str | None = None,
        definition: str | None = None,
        *params: tuple[str, object],
        error: int | None = None,
        status: int = 200,
        repeat: bool = True,
        same: bool = True,
    ) -> dict:
        """Calls a method, and returns its element. `repeat` calls it in XML as well; `same` compares both."""
        params = [(name, str(value)) for name, value in params]
        answer = self.send(method, params, f="json").expect(status)
        assert answer.mime == "application/json", f"{answer.address}: {answer.mime}"
        self.calls.append(Call(method, answer, error))
        response = answer.json()["subsonic-response"]
        self.check_envelope(answer, response, error)
        if error is not None:
            element, definition = "error", "error"
        self.check(answer, response, element, definition)
        if repeat:
            self.check_xml(method, params, response, same, status)
        return response.get(element) if element else {}

    def check_envelope(self, answer: Answer, response: dict, error: int | None) -> None:
        expected = "ok" if error is None else "failed"
        code = response.get("error", {}).get("code")
        assert (response["status"], code) == (expected, error), f"{answer.address}: {answer.body[:500]!r}"
        assert response["version"] == "1.16.1" and response["openSubsonic"] is True
        assert response["type"] == "ledge" and response["serverVersion"]

    def check(self, answer: Answer, response: dict, element: str | None, definition: str | None) -> None:
        others = set(response) - ENVELOPE - {element}
        assert not others, f"{answer.address}: {others}"
        if not element:
            return
        schema = {**SCHEMA, "$ref": f"#/$defs/{definition}"}
        found = Draft202012Validator(schema).iter_errors(response[element])
        self.errors += [f"{answer.address}: {one.json_path}: {one.message[:300]}" for one in found]

    def check_xml(self, method: str, params: list, response: dict, same: bool, status: int) -> None:
        answer = self.send(method, params, f="xml").expect(status)
        assert answer.mime == "text/xml; charset=utf-8", f"{answer.address}: {answer.mime}"
        root = etree.fromstring(answer.body)
        assert root.tag == f"{NAMESPACE}subsonic-response", root.tag
        if same:
            self.errors += [f"{answer.address}: {text}" for text in differences(root, response, "$")]
        self.old.append(self.send(method, params, f="xml", c="DSub").expect(status))


def differences(element: etree._Element, value: dict, path: str) -> list[str]:
    """Compares an element with an object of the JSON response."""
    names = [child.tag.removeprefix(NAMESPACE) for child in element]
    filled = {name for name, member in value.items() if member != [] and name != "value"}
    found = set(element.attrib) | set(names)
    if found != filled:
        return [f"{path}: {found ^ filled} only in one form"]
    texts = []
    for name, member in value.items():
        children = [child for child in element if child.tag == NAMESPACE + name]
        if name == "value" or name in ELEMENTS or not isinstance(member, (dict, list)):
            inside = children[0].text if name in ELEMENTS else element.text
            text = inside or "" if name in ELEMENTS | {"value"} else element.attrib[name]
            if not is_same(text, member):
                texts.append(f"{path}.{name}: {text!r} instead of {member!r}")
            continue
        members = member if isinstance(member, list) else [member]
        if len(children) != len(members):
            texts.append(f"{path}.{name}: {len(children)} elements instead of {len(members)}")
        for at, (child, one) in enumerate(zip(children, members)):
            if isinstance(one, dict):
                texts += differences(child, one, f"{path}.{name}[{at}]")
            elif not is_same(child.text or "", one):
                texts.append(f"{path}.{name}[{at}]: {child.text!r} instead of {one!r}")
    return texts


def is_same(text: str, value: str | bool | int | float) -> bool:
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, (int, float)):
        return float(text) == value
    return text == value


def check(device: Device, secret: str) -> App:
    """Calls every method, and returns the app with all responses."""
    app = App(device, secret)
    steps: list[Callable[[App], None]] = [system, browsing, lists, media, marks, playlists, queue, bookmarks]
    for step in [*steps, absent, refusals]:
        step(app)
    assert not app.errors, "\n".join(app.errors[:20])
    called = {call.method.removesuffix(".view") for call in app.calls} | MEDIA
    methods = set(re.findall(r'^    "(\w+)" =>', SOURCE.read_text(), re.MULTILINE))
    assert methods and methods <= called, f"never called: {methods - called}"
    return app


def system(app: App) -> None:
    app.call("ping")
    app.call("ping.view")
    app.call("getLicense", "license", "license")
    app.call("getOpenSubsonicExtensions", "openSubsonicExtensions", "openSubsonicExtensions")
    app.call("tokenInfo", "tokenInfo", "tokenInfo")
    app.call("getUser", "user", "user", ("username", "ADMIN"))
    app.call("getUsers", "users", "users")
    app.call("getScanStatus", "scanStatus", "scanStatus")
    app.call("getMusicFolders", "musicFolders", "musicFolders")


def browsing(app: App) -> None:
    indexes = app.call("getIndexes", "indexes", "artists")
    known = ("ifModifiedSince", indexes["lastModified"])
    assert app.call("getIndexes", "indexes", "artists", known)["index"] == []
    letters = app.call("getArtists", "artists", "artists")["index"]
    artists = [artist for letter in letters for artist in letter["artist"]]
    assert artists
    for artist in artists[:8]:
        one = ("id", artist["id"])
        app.call("getArtist", "artist", "artistWithAlbums", one)
        app.call("getMusicDirectory", "directory", "directory", one)
        app.call("getArtistInfo", "artistInfo", "artistInfo", one)
        app.call("getArtistInfo2", "artistInfo2", "artistInfo", one)
        app.call("getTopSongs", "topSongs", "songs", ("artist", artist["name"]))
    for folder in app.call("getMusicFolders", "musicFolders", "musicFolders")["musicFolder"]:
        app.call("getMusicDirectory", "directory", "directory", ("id", folder["id"]))
    for album in albums(app)[:12]:
        one = ("id", album["id"])
        app.call("getAlbum", "album", "albumWithSongs", one)
        app.call("getMusicDirectory", "directory", "directory", one)
        app.call("getAlbumInfo", "albumInfo", "albumInfo", one)
        app.call("getAlbumInfo2", "albumInfo", "albumInfo", one)
        app.call("getSimilarSongs", "similarSongs", "songs", one, same=False)
        app.call("getSimilarSongs2", "similarSongs2", "songs", one, same=False)


def albums(app: App) -> list[dict]:
    params = ("type", "alphabeticalByName"), ("size", 500)
    return app.call("getAlbumList2", "albumList2", "albums", *params)["album"]


def songs(app: App) -> list[dict]:
    params = ("query", '""'), ("songCount", 500), ("albumCount", 0), ("artistCount", 0)
    found = app.call("search3", "searchResult3", "found", *params)["song"]
    assert len({song["type"] for song in found}) == 2, "no music, or no audiobook"
    return found


def lists(app: App) -> None:
    for method, element, definition in (
        ("getAlbumList", "albumList", "albumDirectories"),
        ("getAlbumList2", "albumList2", "albums"),
    ):
        for order in LISTS:
            params = ("type", order), ("size", 100)
            app.call(method, element, definition, *params, same=order != "random")
        years = ("type", "byYear"), ("fromYear", 2030), ("toYear", 1900), ("size", 100)
        app.call(method, element, definition, *years)
    for genre in app.call("getGenres", "genres", "genres")["genre"]:
        one = ("genre", genre["value"])
        app.call("getSongsByGenre", "songsByGenre", "songs", one, ("count", 100))
        app.call("getAlbumList2", "albumList2", "albums", ("type", "byGenre"), one)
        app.call("getRandomSongs", "randomSongs", "songs", one, same=False)
    for method, element, definition in (
        ("search2", "searchResult2", "foundDirectories"),
        ("search3", "searchResult3", "found"),
    ):
        for words in ("", songs(app)[0]["title"], "no such words", ']]> <x> & "c"'):
            app.call(method, element, definition, ("query", words), ("songCount", 50))


def media(app: App) -> None:
    covers = []
    for song in songs(app)[:20]:
        app.call("getSong", "song", "song", ("id", song["id"]))
        app.call("getLyricsBySongId", "lyricsList", "lyricsList", ("id", song["id"]))
        app.call("getLyrics", "lyrics", "lyrics", ("artist", song["artist"]), ("title", song["title"]))
        for method in ("stream", "download"):
            streamed = app.send(method, [("id", song["id"])]).expect(200)
            assert (len(streamed.body), streamed.mime) == (song["size"], song["contentType"]), song
        # A song without a cover also has an id of one.
        cover = app.send("getCoverArt", [("id", song["coverArt"]), ("size", 100)])
        assert (cover.status, cover.mime) in ((200, "image/jpeg"), (404, "text/xml; charset=utf-8"))
        covers.append(cover.status)
    assert 200 in covers, covers
    for method in MEDIA:
        refused = app.send(method, [("id", "tr-999999999"), ("username", "admin")], f="json").expect(404)
        assert refused.json()["subsonic-response"]["error"]["code"] == 70, method


def marks(app: App) -> None:
    song, album = songs(app)[0], albums(app)[0]
    artist = next(one["artistId"] for one in albums(app) if "artistId" in one)
    every = ("id", song["id"]), ("albumId", album["id"]), ("artistId", artist)
    app.call("star", None, None, *every)
    for one in (song["id"], album["id"], artist):
        app.call("setRating", None, None, ("id", one), ("rating", 4))
    app.call("scrobble", None, None, ("id", song["id"]))
    app.call("scrobble", None, None, ("id", song["id"]), ("submission", "false"))
    playing = ("mediaId", song["id"]), ("mediaType", "song"), ("positionMs", 1500), ("state", "playing")
    app.call("reportPlayback", None, None, *playing)
    assert app.call("getNowPlaying", "nowPlaying", "nowPlaying")["entry"]
    app.call("getSong", "song", "song", ("id", song["id"]))
    app.call("getArtist", "artist", "artistWithAlbums", ("id", artist))
    for method, element, definition in (
        ("getStarred", "starred", "foundDirectories"),
        ("getStarred2", "starred2", "found"),
    ):
        starred = app.call(method, element, definition)
        assert starred["song"] and starred["album"] and starred["artist"]
    app.call("unstar", None, None, *every)


def playlists(app: App) -> None:
    ids = [("songId", song["id"]) for song in songs(app)[:3]]
    new = ("name", "Evening ]]> <x> &"), *ids
    created = app.call("createPlaylist", "playlist", "playlistWithSongs", *new, same=False)
    one = created["id"]
    texts = ("playlistId", one), ("comment", 'For "later" <b>\n&'), ("public", "true")
    app.call("updatePlaylist", None, None, *texts)
    app.call("updatePlaylist", None, None, ("playlistId", one), ("songIndexToRemove", 0), repeat=False)
    app.call("createPlaylist", "playlist", "playlistWithSongs", ("playlistId", one), *ids, same=False)
    listed = app.call("getPlaylist", "playlist", "playlistWithSongs", ("id", one))
    assert len(listed["entry"]) == listed["songCount"] == len(ids)
    found = app.call("getPlaylists", "playlists", "playlists")["playlist"]
    assert one in [playlist["id"] for playlist in found]
    app.call("deletePlaylist", None, None, ("id", one), repeat=False)


def queue(app: App) -> None:
    ids = [song["id"] for song in songs(app)[:3]]
    entries = [("id", one) for one in ids]
    app.call("savePlayQueue", None, None, *entries, ("current", ids[1]), ("position", 12345))
    saved = app.call("getPlayQueue", "playQueue", "playQueue")
    assert [song["id"] for song in saved["entry"]] == ids and saved["current"] == ids[1]
    app.call("savePlayQueueByIndex", None, None, *entries, ("currentIndex", 2), ("position", 12345))
    saved = app.call("getPlayQueueByIndex", "playQueueByIndex", "playQueueByIndex")
    assert saved["currentIndex"] == 2
    app.call("savePlayQueue")
    app.call("getPlayQueue", "playQueue", "playQueue")


def bookmarks(app: App) -> None:
    kinds = {song["type"]: ("id", song["id"]) for song in songs(app)}
    for one in kinds.values():
        params = one, ("position", 1000), ("comment", "Here & <there>")
        app.call("createBookmark", None, None, *params)
    marked = app.call("getBookmarks", "bookmarks", "bookmarks")["bookmark"]
    # Started audiobooks are bookmarks, too.
    found = {bookmark["entry"]["id"] for bookmark in marked if bookmark["position"] == 1000}
    assert found >= {song for _, song in kinds.values()}, f"{found} for {kinds}"
    for one in kinds.values():
        app.call("deleteBookmark", None, None, one)


def absent(app: App) -> None:
    for element in ("internetRadioStations", "podcasts", "newestPodcasts", "shares", "videos", "chatMessages"):
        app.call("get" + element[0].upper() + element[1:], element, element)
    refused = re.findall(r'"(\w+)" => method\(absent::forbidden\)', SOURCE.read_text())
    assert len(refused) > 10
    for method in refused:
        app.call(method, error=50)


def refusals(app: App) -> None:
    app.call("getAlbum", error=10)
    app.call("getAlbum", None, None, ("id", "al-999999999"), error=70)
    app.call("getAlbumList2", None, None, ("type", "newest"), ("size", -1), error=10)
    app.call("getUser", None, None, ("username", "other"), error=50)
    app.call("noSuchMethod", error=0, status=404)
    for wrong, code in (
        (("apiKey=wrong",), 44),
        (("u=admin", "p=wrong"), 40),
        (("u=admin",), 10),
        (("u=admin", "apiKey=x"), 43),
    ):
        answer = app.device.get(f"/rest/ping?f=json&{'&'.join(wrong)}").expect(200)
        response = answer.json()["subsonic-response"]
        app.check_envelope(answer, response, code)
        app.check(answer, response, "error", "error")
