// The library as subsonic-api reads it: node subsonic.mjs NODE_MODULES PORT SECRET
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, port, secret] = process.argv.slice(2);
const resolve = createRequire(join(modules, 'x.js')).resolve;
const { SubsonicAPI } = await import(pathToFileURL(resolve('subsonic-api')).href);

const url = `http://127.0.0.1:${port}`;
for (const auth of [{ username: 'admin', password: secret }, { apiKey: secret }]) {
  for (const post of [false, true]) {
    const api = new SubsonicAPI({ url, auth, post });
    assert.equal((await api.ping()).status, 'ok');
    const { artists } = await api.getArtists();
    assert.ok(artists.index.length > 0);
    const { albumList2 } = await api.getAlbumList2({ type: 'newest', size: 500 });
    for (const { id } of albumList2.album) {
      const { album } = await api.getAlbum({ id });
      assert.equal(album.song.length, album.songCount);
    }
    const { searchResult3 } = await api.search3({ query: '', songCount: 500, albumCount: 500 });
    assert.equal(searchResult3.album.length, albumList2.album.length);
    const [song] = searchResult3.song;
    const stream = await api.stream({ id: song.id });
    assert.equal((await stream.arrayBuffer()).byteLength, song.size);
    assert.equal((await api.getAlbum({ id: 'al-999999999' })).error.code, 70);
  }
}
