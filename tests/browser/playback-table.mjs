/**
 * Plays each audio and video file of a folder in the real server and a real browser, and writes the results by format to
 * `target/playback.md`. `LEDGE_TEST_CORPUS` names a folder with `audio/` and `video/`, and optionally a `manifest.json`.
 * Without it, the small films and recordings of the browser tests are played.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addLibrary, apiOf, enter, launchBrowser, startServer } from './harness.mjs';
import { encode, FILMS, hasFfmpeg, RECORDINGS } from './media/encoded.mjs';
import { observe, recorder } from './playback/observe.mjs';
import { report, totals } from './playback/report.mjs';

const LIBRARIES = ['audio', 'video'];
/** Attempts per file: a busy machine can decode too slowly once. */
const ATTEMPTS = 2;
const OUTPUT = fileURLToPath(new URL('../../target/playback.md', import.meta.url));

/** The folder to play; the encoded media if none is named. */
function corpusOf(server) {
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
async function filesOf(api, library) {
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

async function rowOf(api, library, { item, file }, manifest) {
  const name = `${library}/${file.path}`;
  const facts = manifest.get(name) ?? {};
  const { container, vcodec, acodec } = file;
  const body = JSON.stringify({ item_id: item, file_id: file.id, engines: ['html5'] });
  const { playable } = await api('/playback/resolve', { method: 'POST', body });
  return {
    library,
    name,
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

/** Catalogues the folders. Returns a row for each audio and video file, and the other files with their state. */
async function catalogue(api, corpus) {
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
      if (LIBRARIES.includes(one.file.viewer)) rows.push(await rowOf(api, name, one, manifest));
      else left.push([`${name}/${one.file.path}`, `viewer ${one.file.viewer || 'none'}`]);
    }
    left.push(...[...paths].sort().map((path) => [`${name}/${path}`, 'not catalogued']));
  }
  return { rows: rows.sort((one, other) => (one.name < other.name ? -1 : 1)), left };
}

/** A signed-in page that is replaced after a crash. */
class Stage {
  #opened = null;
  hasCrashed = false;

  constructor(browser, url) {
    this.browser = browser;
    this.url = url;
  }

  async page() {
    if (this.#opened && !this.hasCrashed) return this.#opened;
    await this.#opened?.context.close().catch(() => {});
    this.#opened = await enter(this.browser, this.url);
    this.hasCrashed = false;
    this.#opened.page.on('crash', () => (this.hasCrashed = true));
    await this.#opened.page.addInitScript(recorder);
    return this.#opened;
  }
}

async function attempt(stage, row) {
  const { page, complaints } = await stage.page();
  complaints.length = 0;
  try {
    const seen = await observe(page, stage.url + row.address, row.expected);
    return { ...seen, complaints: [...complaints] };
  } catch (error) {
    const reason = stage.hasCrashed ? 'the page crashed' : error.message.split('\n')[0];
    // The next file gets a new page.
    stage.hasCrashed = true;
    return { ways: [], lacks: [reason], message: '', complaints: [...complaints] };
  }
}

async function play(stage, row) {
  let result;
  for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
    result = { ...(await attempt(stage, row)), attempts };
    if (result.lacks.length === 0) break;
  }
  return { ...row, ...result, plays: result.lacks.length === 0 };
}

const server = await startServer();
let browser;
try {
  const api = await apiOf(server.url);
  const { rows, left } = await catalogue(api, corpusOf(server));
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
  const stage = new Stage(browser, server.url);
  const played = [];
  for (const row of rows) {
    const result = await play(stage, row);
    played.push(result);
    const { plays, ways, lacks, message } = result;
    const state = plays
      ? ways.join(' → ')
      : `DOES NOT PLAY: ${[...lacks, message].filter(Boolean).join('; ')}`;
    console.log(`${played.length}/${rows.length} ${row.name} (${row.format}): ${state}`);
  }
  await mkdir(dirname(OUTPUT), { recursive: true });
  await writeFile(OUTPUT, report(played, left, `Chromium ${browser.version()}`));
  for (const text of totals(played)) console.log(text);
  console.log(`The table is in ${OUTPUT}.`);
} finally {
  await browser?.close();
  await server.stop();
}
