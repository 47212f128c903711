/** Decodes damaged copies of films in the page: no crash, no frozen page, and an end of each. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { addLibrary, enter } from '../harness.mjs';
import { filesOf } from './corpus.mjs';

const run = promisify(execFile);

const MUTANTS = Number(process.env.LEDGE_MUTANTS ?? 1000);
/** Mutants for each one that is also opened in its viewer, with a media source and a canvas. */
const VIEWED = 25;
/** Milliseconds that a mutant of one second may take. The page itself waits for 45 seconds. */
const LIMIT = 20_000;
/** Milliseconds for which a viewer is observed. */
const VIEW = 2500;

const FORMATS = [
  ['mkv', '-c:v', 'libx264', '-c:a', 'ac3'],
  ['mp4', '-c:v', 'libx264', '-c:a', 'aac'],
  ['avi', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  ['wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'],
  ['ts', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  ['webm', '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus'],
  ['ogv', '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  ['mov', '-c:v', 'libx265', '-x265-params', 'log-level=none', '-c:a', 'pcm_s16le'],
];

/** Returns numbers below 1 that only depend on the seed. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a damaged copy: bytes replaced, more of them in the headers, or a part cut out. */
function mutant(original, seed) {
  const random = randomOf(seed);
  const copy = Buffer.from(original);
  const reach = random() < 0.5 ? Math.min(copy.length, 4096) : copy.length;
  for (let left = 1 + Math.floor(random() * 40); left > 0; left -= 1)
    copy[Math.floor(random() * reach)] = random() < 0.3 ? 255 : Math.floor(random() * 256);
  if (random() > 0.2) return copy;
  const at = Math.floor(random() * copy.length);
  return Buffer.concat([copy.subarray(0, at), copy.subarray(at + Math.floor(random() * 2000))]);
}

/** Writes the mutants, and catalogues them. */
async function prepare(server, api) {
  const folder = join(server.folder, 'mutants');
  await mkdir(folder);
  for (const [index, [type, ...codecs]] of FORMATS.entries()) {
    const path = join(folder, `whole.${type}`);
    const inputs = ['testsrc2=size=160x120:rate=10:duration=1', 'sine=duration=1'];
    const options = inputs.flatMap((input) => ['-f', 'lavfi', '-i', input]);
    await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...options, ...codecs, path]);
    const original = await readFile(path);
    await rm(path);
    for (let seed = index + 1; seed <= MUTANTS; seed += FORMATS.length)
      await writeFile(join(folder, `Mutant ${seed}.${type}`), mutant(original, seed));
  }
  return filesOf(api, await addLibrary(api, folder, 'mutants'));
}

/** Keeps the address of the worker, and the longest time in which the page did nothing. */
function watcher() {
  if (location.protocol !== 'http:') return; // an empty page
  const seen = { worker: null, gap: 0 };
  globalThis.ledgeMutants = seen;
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(url, options) {
      super(url, options);
      seen.worker = String(url);
    }
  };
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    seen.gap = Math.max(seen.gap, now - last);
    last = now;
  }, 50);
}

/** Decodes a file as the session does, without showing it. Runs in the page. Returns how it ended. */
function decode([url, name, script, isCopied, at, limit]) {
  return new Promise((done) => {
    const worker = new Worker(script, { name: 'decoder' });
    let time = at;
    const clock = () =>
      worker.postMessage({ kind: 'clock', run: 1, time: (time += 0.5), waiting: 0, hidden: false });
    const timers = [setInterval(clock, 20), setTimeout(() => expire(), limit)];
    // Damaged times can lie hours ahead. A worker that waits for them reports every second.
    let heard = performance.now();
    const expire = () => finish(performance.now() - heard < 5000 ? 'waiting' : 'stuck');
    const finish = (result) => {
      for (const timer of timers) clearTimeout(timer);
      worker.terminate();
      done(result);
    };
    worker.onerror = ({ message }) => finish(`crashed: ${message}`);
    worker.onmessage = ({ data }) => {
      heard = performance.now();
      if (data.kind === 'failed') finish(data.reason === 'crashed' ? `crashed: ${data.detail}` : data.reason);
      else if (data.kind === 'end') finish('end');
      if (data.kind !== 'opened') return;
      const lane = (type) => {
        const stream = data.contents.streams.find((one) => one.type === type);
        return stream ? { stream: stream.index, method: isCopied && stream.mime ? 'copy' : 'decode' } : null;
      };
      const [video, audio] = [lane('video'), lane('audio')];
      worker.postMessage({ kind: 'start', run: 1, at, video, audio, subtitles: [] });
    };
    worker.postMessage({ kind: 'open', url, wasm: 'full', name });
  });
}

/** Opens mutants in their viewers. Returns the number of those after which the page still answers. */
async function view(page, url, files) {
  let answered = 0;
  for (const { item, file } of files) {
    await page.goto(`${url}/items/${item}/open/${file.id}?at=0`, { waitUntil: 'commit' });
    await pause(VIEW);
    const answer = page.evaluate(() => document.querySelector('video, audio') !== null).catch(() => null);
    if ((await Promise.race([answer, pause(10_000, null)])) !== null) answered += 1;
  }
  return answered;
}

/** Returns figures as pairs of a label and a value. */
export async function playMutants(stage, server, api, log) {
  server.mutants ??= prepare(server, api);
  const files = await server.mutants;
  const { page, context } = await enter(stage.browser, stage.url);
  let hasCrashed = false;
  page.on('crash', () => (hasCrashed = true));
  await page.addInitScript(watcher);
  const viewed = files.filter((_, index) => index % VIEWED === 0);
  const answered = await view(page, stage.url, viewed);
  // One film that needs the decoder names its script.
  const film = files.find(({ file }) => file.path.endsWith('.ts'));
  await page.goto(`${stage.url}/items/${film.item}/open/${film.file.id}?at=0`);
  await page.waitForFunction(() => globalThis.ledgeMutants.worker !== null);
  const script = await page.evaluate(() => globalThis.ledgeMutants.worker);
  await page.goto(stage.url);
  const ends = new Map();
  for (const [index, { file }] of files.entries()) {
    const given = [file.content_url, file.name, script, index % 2 === 0, index % 3 === 0 ? 0.5 : 0, LIMIT];
    const result = await page.evaluate(decode, given);
    if (/crashed|stuck/.test(result)) log(`${file.path}: ${result}`);
    const kind = result.split(':')[0];
    ends.set(kind, (ends.get(kind) ?? 0) + 1);
    if (index % 100 === 99) log(`${index + 1} mutants: ${[...ends].join(' ')}`);
  }
  const { gap } = await page.evaluate(() => globalThis.ledgeMutants);
  await context.close();
  const list = [...ends].sort().map(([kind, count]) => `${kind} ${count}`);
  return [
    ['damaged files: decoded', files.length],
    ['damaged files: result', list.join(', ')],
    ['damaged files: longest pause of the page', `${Math.round(gap)} ms`],
    ['damaged files: viewers that answered', `${answered} of ${viewed.length}`],
    ['damaged files: crashes of the page', hasCrashed ? 1 : 0],
  ];
}
