"""The library as py-opensonic reads it. Its types refuse absent and wrong values.

`get_music_folders` is left out, because version 10.4.1 does not read the form of the protocol.
"""

import asyncio

from libopensonic import AsyncConnection

ORDERS = ["random", "newest", "frequent", "recent", "starred", "highest"]
ORDERS += ["alphabeticalByName", "alphabeticalByArtist"]


def check(port: int, username: str, secret: str) -> None:
    """Uses the server with each login of the library."""
    logins = [
        {"username": username, "password": secret},
        {"username": username, "password": secret, "legacy_auth": True},
        {"api_key": secret},
        {"api_key": secret, "use_get": True, "use_views": False},
    ]
    for login in logins:
        asyncio.run(browse(AsyncConnection("http://127.0.0.1", port=port, **login)))


async def browse(server: AsyncConnection) -> None:
    try:
        assert await server.ping()
        extensions = await server.get_open_subsonic_extensions()
        assert "songLyrics" in [extension.name for extension in extensions]
        await artists(server)
        albums = await server.get_album_list2("alphabeticalByName", size=500)
        assert albums
        for order in ORDERS:
            assert len(await server.get_album_list2(order, size=500)) <= len(albums), order
        for one in albums:
            await album(server, one)
        await lists(server, len(albums))
    finally:
        await server.cleanup()


async def artists(server: AsyncConnection) -> None:
    letters = (await server.get_artists()).index
    assert letters
    for letter in letters:
        for entry in letter.artist:
            artist = await server.get_artist(entry.id)
            assert artist.album and artist.album_count == len(artist.album), artist
            await server.get_artist_info2(entry.id)
            await server.get_top_songs(entry.name)
    assert (await server.get_indexes()).index


async def album(server: AsyncConnection, one) -> None:
    found = await server.get_album(one.id)
    assert found.song and found.song_count == len(found.song), found
    directory = await server.get_music_directory(one.id)
    assert len(directory.child) == len(found.song)
    await server.get_similar_songs2(one.id)
    song = await server.get_song(found.song[0].id)
    assert song.title and song.album_id == one.id, song
    await server.get_lyrics_by_song_id(song.id)
    stream = await server.stream(song.id)
    assert len(await stream.read()) == song.size, song


async def lists(server: AsyncConnection, albums: int) -> None:
    everything = await server.search3("", artist_count=500, album_count=500, song_count=500)
    assert len(everything.album) == albums and everything.song
    word = everything.song[0].title.split()[0]
    assert (await server.search3(word, song_count=500)).song is not None
    assert (await server.search2(word)) is not None
    for genre in await server.get_genres():
        songs = await server.get_songs_by_genre(genre.value, count=500)
        assert len(songs) == genre.song_count, genre
    assert await server.get_random_songs(size=5)
    await server.get_starred2()
    await server.get_scan_status()
