"""Elements of the responses of OpenSubsonic as JSON Schema.

They follow the documentation of OpenSubsonic and of Subsonic 1.16.1. Every object is closed: an
unknown member is an error. Members that apps need are required, also if the protocol permits their
absence.
"""

TEXT = {"type": "string", "pattern": r"\S"}
ANY_TEXT = {"type": "string"}
TRUTH = {"type": "boolean"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
COUNT = {"type": "integer", "minimum": 0}
POSITIVE = {"type": "integer", "minimum": 1}
STARS = {"type": "integer", "minimum": 1, "maximum": 5}
# An app cannot read microseconds.
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}
MIME = {"type": "string", "pattern": r"^[a-z]+/[a-z0-9.+-]+$"}
COVER = {"type": "string", "pattern": r"^(al|pl)-[1-9]\d*(-[0-9a-f]{8})?$"}


def text(pattern: str) -> dict:
    return {"type": "string", "pattern": pattern}


def number_of(prefix: str) -> dict:
    return text(rf"^{prefix}-[1-9]\d*$")


def values(*allowed: str | bool) -> dict:
    return {"enum": list(allowed)}


def many(item: dict, **limits: int) -> dict:
    return {"type": "array", "items": item, **limits}


def of(name: str) -> dict:
    return {"$ref": f"#/$defs/{name}"}


def members(optional: dict | None = None, **required: dict) -> dict:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**(optional or {}), **required},
    }


NAMED = members(id=number_of("ar"), name=TEXT)
GENRES = many(members(name=TEXT))
OWN = {"starred": TIME, "userRating": STARS, "playCount": POSITIVE, "played": TIME}
SONG = {
    "id": number_of("tr"),
    "parent": number_of("al"),
    "isDir": values(False),
    "title": TEXT,
    "album": TEXT,
    "albumId": number_of("al"),
    "artist": TEXT,
    # Empty if no person is credited.
    "artistId": text(r"^(ar-[1-9]\d*)?$"),
    "track": COUNT,
    "discNumber": COUNT,
    "year": COUNT,
    "genre": ANY_TEXT,
    "coverArt": COVER,
    "size": POSITIVE,
    "contentType": MIME,
    "suffix": text("^[a-z0-9]*$"),
    "duration": COUNT,
    "bitRate": COUNT,
    "path": TEXT,
    "created": TIME,
    "isVideo": values(False),
    "type": values("music", "audiobook"),
    "mediaType": values("song"),
    "genres": GENRES,
    "artists": many(NAMED),
    "albumArtists": many(NAMED),
    "contributors": many(members(role=TEXT, artist=NAMED)),
}
GAIN = {name: NUMBER for name in ("trackGain", "albumGain", "trackPeak", "albumPeak")}
SONG_FACTS = {
    **OWN,
    **{name: POSITIVE for name in ("bpm", "samplingRate", "channelCount", "bitDepth")},
    **{name: TEXT for name in ("displayArtist", "displayAlbumArtist", "displayComposer")},
    "replayGain": members(GAIN),
}
ALBUM = {
    "id": number_of("al"),
    "name": TEXT,
    "songCount": COUNT,
    "duration": COUNT,
    "created": TIME,
    "genres": GENRES,
    "artists": many(NAMED),
    "releaseTypes": many(values("Album", "Audiobook", "Single"), minItems=1),
}
ALBUM_FACTS = {
    **OWN,
    "artist": TEXT,
    "artistId": number_of("ar"),
    "coverArt": COVER,
    "year": INTEGER,
    "genre": TEXT,
    "displayArtist": TEXT,
    "releaseDate": members({"month": POSITIVE, "day": POSITIVE}, year=INTEGER),
}
DIRECTORY = {**ALBUM, "isDir": values(True), "title": TEXT, "album": TEXT, "mediaType": values("album")}
ARTIST = {"id": number_of("ar"), "name": TEXT, "albumCount": COUNT}
ARTIST_FACTS = {"starred": TIME, "userRating": STARS}
PLAYLIST = {
    "id": number_of("pl"),
    "name": TEXT,
    "owner": TEXT,
    "public": TRUTH,
    "songCount": COUNT,
    "duration": COUNT,
    "created": TIME,
    "changed": TIME,
    "readonly": TRUTH,
}
PLAYLIST_FACTS = {"comment": TEXT, "coverArt": COVER}
QUEUE = {"username": TEXT, "changed": TIME, "changedBy": TEXT, "position": COUNT, "entry": many(of("song"))}
ROLES = ["scrobblingEnabled"] + [
    f"{name}Role"
    for name in "admin settings download upload playlist coverArt comment podcast stream jukebox share "
    "videoConversion".split()
]
USER = members(username=TEXT, folder=many(POSITIVE), **{name: TRUTH for name in ROLES})
PLAYER = {
    "username": TEXT,
    "minutesAgo": COUNT,
    "playerId": POSITIVE,
    "playerName": TEXT,
    "state": values("starting", "playing", "paused", "stopped"),
    "positionMs": COUNT,
    "playbackRate": NUMBER,
}
LYRICS = members(
    {"displayArtist": TEXT},
    lang=TEXT,
    synced=TRUTH,
    displayTitle=TEXT,
    line=many(members({"start": COUNT}, value=ANY_TEXT), minItems=1),
)
BOOKMARK = members(
    {"comment": TEXT}, position=COUNT, username=TEXT, created=TIME, changed=TIME, entry=of("song")
)
# An artist in the directory of a music folder.
ENTRY = members(id=number_of("ar"), parent=text(r"^\d+$"), isDir=values(True), title=TEXT)


def results(album: str) -> dict:
    return members(artist=many(of("artist")), album=many(of(album)), song=many(of("song")))


def empty(element: str) -> dict:
    return members(**{element: many({}, maxItems=0)})


DEFINITIONS = {
    "song": members(SONG_FACTS, **SONG),
    "songs": members(song=many(of("song"))),
    "nowPlaying": members(entry=many(members(SONG_FACTS, **SONG, **PLAYER))),
    "album": members(ALBUM_FACTS, **ALBUM),
    "albums": members(album=many(of("album"))),
    "albumWithSongs": members(ALBUM_FACTS, **ALBUM, song=many(of("song"))),
    "albumDirectory": members({**ALBUM_FACTS, "parent": number_of("ar")}, **DIRECTORY),
    "albumDirectories": members(album=many(of("albumDirectory"))),
    "directory": members(
        {"parent": number_of("ar")},
        id=TEXT,
        name=TEXT,
        child=many({"anyOf": [of("song"), of("albumDirectory"), ENTRY]}),
    ),
    "artist": members(ARTIST_FACTS, **ARTIST),
    "artistWithAlbums": members(ARTIST_FACTS, **ARTIST, roles=many(TEXT), album=many(of("album"))),
    "artists": members(
        ignoredArticles=ANY_TEXT,
        lastModified=COUNT,
        index=many(members(name=TEXT, artist=many(of("artist"), minItems=1))),
    ),
    "artistInfo": members({"biography": TEXT}, similarArtist=many(of("artist"))),
    "albumInfo": members({"notes": TEXT}),
    "musicFolders": members(musicFolder=many(members(id=POSITIVE, name=TEXT))),
    "genres": members(genre=many(members(songCount=COUNT, albumCount=COUNT, value=TEXT))),
    "found": results("album"),
    "foundDirectories": results("albumDirectory"),
    "lyrics": members({"artist": TEXT, "title": TEXT}, value=ANY_TEXT),
    "lyricsList": members(structuredLyrics=many(LYRICS)),
    "playlist": members(PLAYLIST_FACTS, **PLAYLIST),
    "playlists": members(playlist=many(of("playlist"))),
    "playlistWithSongs": members(PLAYLIST_FACTS, **PLAYLIST, entry=many(of("song"))),
    "playQueue": members({"current": number_of("tr")}, **QUEUE),
    "playQueueByIndex": members({"currentIndex": COUNT}, **QUEUE),
    "bookmarks": members(bookmark=many(BOOKMARK)),
    "user": USER,
    "users": members(user=many(USER)),
    "tokenInfo": members(username=TEXT),
    "license": members(valid=values(True)),
    "scanStatus": members(scanning=TRUTH, count=COUNT),
    "openSubsonicExtensions": many(members(name=TEXT, versions=many(POSITIVE))),
    "error": members(code={"enum": [0, 10, 40, 41, 43, 44, 50, 70]}, message=TEXT),
    "internetRadioStations": empty("internetRadioStation"),
    "podcasts": empty("channel"),
    "newestPodcasts": empty("episode"),
    "shares": empty("share"),
    "videos": empty("video"),
    "chatMessages": empty("chatMessage"),
}
SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": DEFINITIONS}
