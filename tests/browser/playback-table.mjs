/**
 * Plays each audio and video file of a folder in the real server and in real browsers, by plain HTTP and a host name, and
 * writes the results to `target/playback.md`. `LEDGE_TEST_CORPUS` names a folder with `audio/` and `video/`, and optionally
 * a `manifest.json`. Without it, the small films and recordings of the browser tests are played.
 *
 * node playback-table.mjs [--only PART,...] [--browsers NAME,...] [--docs]
 *   parts: files, pictures, mutants, figures (about 15 minutes for each browser), pauses (75 minutes for each browser); all
 *   but the last two without the option
 *   --docs writes the tables of docs/playback.md, too
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { firefoxObstacle, launchFirefox } from './firefox.mjs';
import { apiOf, launchBrowser, startServer } from './harness.mjs';
import { catalogue, corpusOf } from './playback/corpus.mjs';
import { measureFilms } from './playback/figures.mjs';
import { replaceParts } from './playback/markdown.mjs';
import { playMutants } from './playback/mutants.mjs';
import { comparePictures, prepareClips } from './playback/pictures.mjs';
import { survivePauses } from './playback/pauses.mjs';
import { partsOf, report, similar, totals } from './playback/report.mjs';
import { playAll, Stage } from './playback/stage.mjs';

const pathOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const OUTPUT = pathOf('target/playback.md');
/** Results of earlier parts, so that each can be measured again by itself. */
const STORE = pathOf('target/playback.json');
const DOCS = pathOf('docs/playback.md');

const chromium = () => launchBrowser(['--enable-unsafe-swiftshader', '--force-color-profile=srgb']);
const BROWSERS = { Chromium: chromium, Firefox: launchFirefox };

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'files,pictures,mutants' },
    browsers: { type: 'string', default: Object.keys(BROWSERS).join(',') },
    docs: { type: 'boolean', default: false },
  },
});
const parts = new Set(values.only.split(','));
const names = values.browsers.split(',').filter((name) => {
  if (!Object.hasOwn(BROWSERS, name)) return false;
  const obstacle = name === 'Firefox' && firefoxObstacle();
  if (obstacle) console.error(`Firefox: ${obstacle}`);
  return !obstacle;
});

/** Replaces the result of a browser in a list of results. */
function put(list = [], result) {
  const name = result.browser.split(' ')[0];
  const others = list.filter(({ browser }) => !browser.startsWith(name));
  return [...others, result].sort((one, other) => (one.browser < other.browser ? -1 : 1));
}

/** Measures one browser. Returns its results by part. */
async function measure(stage, { rows, clips, server, api }) {
  const browser = `${stage.name} ${stage.browser.version()}`;
  const figures = [];
  const own = {};
  if (rows) own.runs = { browser, rows: await playAll(stage, rows, console.log) };
  if (clips)
    own.compared = { browser, results: await comparePictures(stage, clips, server.folder, console.log) };
  if (parts.has('mutants')) figures.push(...(await playMutants(stage, server, api, console.log)));
  if (parts.has('figures')) figures.push(...(await measureFilms(stage, server, api, console.log)));
  if (parts.has('pauses')) figures.push(...(await survivePauses(stage, server, api, console.log)));
  if (figures.length > 0) own.measured = { browser, figures };
  return own;
}

/** Adds figures to those of other parts. */
function merged(list, { browser, figures }) {
  const labels = new Set(figures.map(([label]) => label));
  const before = list?.find((one) => one.browser.split(' ')[0] === browser.split(' ')[0])?.figures ?? [];
  return { browser, figures: [...before.filter(([label]) => !labels.has(label)), ...figures] };
}

/** Writes the results of a browser, with those of earlier parts. */
async function write(left, { runs, compared, measured }) {
  const results = existsSync(STORE) ? JSON.parse(await readFile(STORE, 'utf8')) : {};
  if (left) results.left = left;
  if (runs) results.runs = put(results.runs, runs);
  if (compared) results.compared = put(results.compared, compared);
  if (measured) results.measured = put(results.measured, merged(results.measured, measured));
  await mkdir(dirname(OUTPUT), { recursive: true });
  await writeFile(STORE, JSON.stringify(results));
  await writeFile(OUTPUT, report(results));
  if (values.docs) await writeFile(DOCS, replaceParts(await readFile(DOCS, 'utf8'), partsOf(results)));
  for (const text of runs ? totals(runs) : []) console.log(text);
  if (compared) console.log(similar(compared));
}

const server = await startServer();
try {
  const api = await apiOf(server.url);
  const prepared = { server, api };
  if (parts.has('files')) Object.assign(prepared, await catalogue(api, corpusOf(server)));
  if (parts.has('pictures')) prepared.clips = await prepareClips(api, join(server.folder, 'clips'));
  for (const name of names) {
    const browser = await BROWSERS[name]();
    try {
      await write(prepared.left, await measure(new Stage(browser, server.named, name), prepared));
    } finally {
      await browser.close();
    }
  }
  if (names.length === 0) await write(null, {});
  console.log(`The tables are in ${OUTPUT}.`);
} finally {
  await server.stop();
}
