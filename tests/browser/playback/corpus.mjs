/** Catalogues the folder of the table, and states what each of its files has to prove. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { addLibrary } from '../harness.mjs';
import { encode, FILMS, hasFfmpeg, RECORDINGS } from '../media/encoded.mjs';

const run = promisify(execFile);

const LIBRARIES = ['audio', 'video'];

/** The folder to play; the encoded media if none is named. */
export function corpusOf(server) {
  const named = process.env.LEDGE_TEST_CORPUS;
  if (named) return resolve(named);
  if (!hasFfmpeg()) throw new Error('ffmpeg is not installed; LEDGE_TEST_CORPUS can name a folder of media');
  const folder = join(server.folder, 'corpus');
  encode(join(folder, 'video'), FILMS);
  encode(join(folder, 'audio'), RECORDINGS);
  return folder;
}

/** Facts of another probe, by path: they show streams that the server does not see. */
async function manifestOf(corpus) {
  const path = join(corpus, 'manifest.json');
  if (!existsSync(path)) return new Map();
  const { rows } = JSON.parse(await readFile(path, 'utf8'));
  return new Map(rows.map((row) => [row.path, row.facts ?? {}]));
}

/** Returns the catalogued files of a library. */
export async function filesOf(api, library) {
  const found = [];
  for (let offset = 0; ; offset += 100) {
    const { items } = await api(`/items?library=${library.id}&limit=100&offset=${offset}`);
    for (const { id } of items) {
      const { files } = await api(`/items/${id}`);
      found.push(...files.map((file) => ({ item: id, file })));
    }
    if (items.length < 100) return found;
  }
}

async function rowOf(api, library, folder, { item, file }, manifest) {
  const name = `${library}/${file.path}`;
  const facts = manifest.get(name) ?? {};
  const { container, vcodec, acodec } = file;
  const body = JSON.stringify({ item_id: item, file_id: file.id, engines: ['html5'] });
  const { playable } = await api('/playback/resolve', { method: 'POST', body });
  return {
    library,
    name,
    path: join(folder, file.path),
    address: `/items/${item}/open/${file.id}?at=0`,
    ...{ container, vcodec, acodec },
    format: [container ?? 'unknown', vcodec, acodec].filter(Boolean).join(' '),
    before: playable,
    expected: {
      // A picture in a sound file is a cover.
      hasPicture: file.viewer === 'video' && (vcodec ?? facts.vcodec ?? null) !== null,
      hasSound: (acodec ?? facts.acodec ?? null) !== null,
      duration: file.duration ?? facts.duration ?? null,
    },
  };
}

/** Seconds of a file in which sound has to begin. */
const HEARD = 12;

/** Returns true if a file has nothing but silence at its start, by ffmpeg. */
export async function isSilent(path) {
  const options = ['-nostdin', '-loglevel', 'quiet', '-i', path, '-map', 'a:0', '-t', String(HEARD)];
  const settings = { encoding: 'buffer', maxBuffer: 1 << 28 };
  const { stdout } = await run('ffmpeg', [...options, '-f', 's16le', '-'], settings);
  return stdout.every((byte) => byte === 0);
}

/** Catalogues the folders. Returns a row for each audio and video file, and the other files with their state. */
export async function catalogue(api, corpus) {
  const manifest = await manifestOf(corpus);
  const rows = [];
  const left = [];
  for (const name of LIBRARIES.filter((one) => existsSync(join(corpus, one)))) {
    const folder = join(corpus, name);
    const library = await addLibrary(api, folder, name);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = new Set(
      entries
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name).slice(folder.length + 1)),
    );
    for (const one of await filesOf(api, library)) {
      paths.delete(one.file.path);
      if (LIBRARIES.includes(one.file.viewer)) rows.push(await rowOf(api, name, folder, one, manifest));
      else left.push([`${name}/${one.file.path}`, `viewer ${one.file.viewer || 'none'}`]);
    }
    left.push(...[...paths].sort().map((path) => [`${name}/${path}`, 'not catalogued']));
  }
  return { rows: rows.sort((one, other) => (one.name < other.name ? -1 : 1)), left };
}
