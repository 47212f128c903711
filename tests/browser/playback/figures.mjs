/** Measures films in the page: starts, seeks, a long playback, a change of the sound track, and outages. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { addLibrary, enter } from '../harness.mjs';
import { openTracks } from '../viewers/video/film-page.mjs';
import { filesOf } from './corpus.mjs';
import { surviveOutages } from './outages.mjs';
import { usedSince, workerTimes } from './threads.mjs';

const run = promisify(execFile);

/** Seconds of a film that is encoded once, and repeated. */
const PART = 30;
/** Minutes of the film that is played as a whole. */
const MINUTES = Number(process.env.LEDGE_PLAYBACK_MINUTES ?? 10);
const SEEKS = 100;
/** Milliseconds in which playback has to continue. */
const LIMIT = 30_000;

const noise = (size) => `testsrc2=size=${size}:rate=25:duration=${PART},noise=alls=12:allf=t`;
const surround = (pitch) =>
  `sine=frequency=${pitch}:duration=${PART},pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0`;
const FILMS = {
  'long.mkv': [
    ...['-f', 'lavfi', '-i', noise('1920x1080'), '-f', 'lavfi', '-i', surround(440)],
    ...['-f', 'lavfi', '-i', surround(880), '-map', '0', '-map', '1', '-map', '2'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50'],
    ...['-b:v', '6800k', '-minrate', '6800k', '-maxrate', '6800k', '-bufsize', '2M'],
    ...['-x264-params', 'nal-hrd=cbr', '-c:a', 'ac3', '-b:a', '384k'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
  ],
  'pal.mpg': [
    ...['-f', 'lavfi', '-i', noise('720x576'), '-f', 'lavfi', '-i', surround(440)],
    ...[
      '-c:v',
      'mpeg2video',
      '-b:v',
      '5M',
      '-g',
      '12',
      '-bf',
      '2',
      '-c:a',
      'ac3',
      '-b:a',
      '384k',
      '-f',
      'vob',
    ],
  ],
};

/** Writes a film of some length, from a part that is repeated without encoding. */
async function make(path, options, minutes) {
  const part = path.replace(/(\.\w+)$/, '-part$1');
  const quiet = ['-nostdin', '-loglevel', 'error', '-y'];
  await run('ffmpeg', [...quiet, ...options, part]);
  const times = String(Math.round((minutes * 60) / PART) - 1);
  const format = path.endsWith('.mpg') ? ['-f', 'vob'] : [];
  await run('ffmpeg', [
    ...quiet,
    '-stream_loop',
    times,
    '-i',
    part,
    '-map',
    '0',
    '-c',
    'copy',
    ...format,
    path,
  ]);
  await rm(part);
}

/** Makes the films once, and returns the addresses of their viewers by name. */
async function prepare(server, api) {
  server.films ??= (async () => {
    const folder = join(server.folder, 'long');
    await mkdir(folder);
    await make(join(folder, 'long.mkv'), FILMS['long.mkv'], MINUTES);
    await make(join(folder, 'pal.mpg'), FILMS['pal.mpg'], 3);
    const files = await filesOf(api, await addLibrary(api, folder, 'long'));
    return Object.fromEntries(
      files.map(({ item, file }) => [file.path, `/items/${item}/open/${file.id}?at=0`]),
    );
  })();
  return server.films;
}

/** Collects reports of the worker, and pauses for data. Runs in the page before its own scripts. */
function collector() {
  if (location.protocol !== 'http:') return; // an empty page
  const seen = { heap: [], stalls: 0 };
  globalThis.ledgeFigures = seen;
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(...options) {
      super(...options);
      this.addEventListener(
        'message',
        ({ data }) => data?.kind === 'statistics' && seen.heap.push(data.heap),
      );
    }
  };
  const stalled = ({ target }) => !target.seeking && target.currentTime > 1 && (seen.stalls += 1);
  document.addEventListener('waiting', stalled, true);
}

/** Returns the milliseconds from the request of a page until its film plays. */
async function start(page, address, isDrawn) {
  await page.goto(address, { waitUntil: 'commit' });
  return page.evaluate(
    ([drawn, limit]) =>
      new Promise((done, fail) => {
        const look = () => {
          const video = document.querySelector('video');
          const canvas = document.querySelector('canvas.drawn');
          const plays = video && !video.paused && video.currentTime > 0.05;
          if (plays && (!drawn || canvas?.width > 300)) done(performance.now());
          else if (performance.now() > limit) fail(new Error('the film does not start'));
          else setTimeout(look, 10);
        };
        look();
      }),
    [isDrawn, LIMIT],
  );
}

/** Returns the milliseconds from a seek until playback continues; null if it does not. */
const seek = (page, to) =>
  page.evaluate(
    ([time, limit]) =>
      new Promise((done) => {
        const video = document.querySelector('video');
        const begin = performance.now();
        video.currentTime = time;
        const look = () => {
          const { currentTime, seeking } = video;
          const isThere = !seeking && currentTime > time + 0.02 && currentTime < time + 20;
          if (isThere) done(performance.now() - begin);
          else if (performance.now() - begin > limit) done(null);
          else setTimeout(look, 10);
        };
        look();
      }),
    [to, LIMIT],
  );

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const mebibytes = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Seeks to places that only depend on the seed. */
async function seeks(page, count) {
  const length = await page.evaluate(() => document.querySelector('video').duration);
  const taken = [];
  for (let seed = 1; seed <= count; seed += 1)
    taken.push(await seek(page, ((seed * 0.618034) % 1) * (length - 15)));
  const there = taken.filter((one) => one !== null).sort((one, other) => one - other);
  const [median, slow] = [seconds(share(there, 0.5)), seconds(share(there, 0.95))];
  return { text: `${median}, 95th percentile ${slow}`, kept: `${there.length} of ${taken.length}` };
}

/** Returns the milliseconds from the choice of a sound track until playback continues. */
async function switchTrack(page) {
  await page.waitForFunction(() => {
    const { buffered, currentTime } = document.querySelector('video');
    return buffered.length > 0 && buffered.end(buffered.length - 1) > currentTime + 10;
  });
  const panel = await openTracks(page);
  const radio = panel.getByRole('group', { name: 'Sound' }).getByRole('radio', { name: /German/ });
  const taken = page.evaluate(
    (limit) =>
      new Promise((done) => {
        document.addEventListener(
          'change',
          () => {
            const video = document.querySelector('video');
            const begin = performance.now();
            // The sound of the other track replaces what is buffered: about 20 seconds.
            const ahead = () => {
              const { buffered, currentTime } = video;
              const last = buffered.length - 1;
              return last < 0 ? 0 : buffered.end(last) - currentTime;
            };
            const whole = ahead();
            let hasEmptied = false;
            const look = () => {
              const now = ahead();
              hasEmptied ||= now < whole / 2;
              if (hasEmptied && now > 0.2 && video.readyState >= 3) done(performance.now() - begin);
              else if (performance.now() - begin > limit) done(null);
              else setTimeout(look, 5);
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    LIMIT,
  );
  await radio.check();
  return taken;
}

/** Plays the film from its start to its end. */
async function playWhole(page, address, log) {
  await start(page, address, false);
  const before = workerTimes();
  const begin = Date.now();
  for (;;) {
    await pause(5000);
    const { time, duration, ended } = await page.evaluate(() => {
      const { currentTime, duration: length, ended: isOver } = document.querySelector('video') ?? {};
      return { time: currentTime, duration: length, ended: isOver };
    });
    const took = (Date.now() - begin) / 1000;
    if (!ended && time < duration - 8 && took < duration * 1.5) continue;
    const { heap, stalls } = await page.evaluate(() => globalThis.ledgeFigures);
    log(`played ${time} s of ${duration} s in ${took} s, ${stalls} stalls`);
    const quarter = Math.floor(heap.length / 4);
    const peak = (from, to) => mebibytes(Math.max(...heap.slice(from, to)));
    return [
      ['film of 1080p: played', `${Math.round(time)} s in ${Math.round(took)} s`],
      ['film of 1080p: stalls', stalls],
      ['film of 1080p: processor time of the worker', `${((usedSince(before) / took) * 100).toFixed(1)} %`],
      ['film of 1080p: WebAssembly memory, first and last quarter', `${peak(0, quarter)}, ${peak(-quarter)}`],
    ];
  }
}

/** Returns figures as pairs of a label and a value. */
export async function measureFilms(stage, server, api, log) {
  const films = await prepare(server, api);
  const { page, context } = await enter(stage.browser, stage.url);
  await page.addInitScript(collector);
  const long = stage.url + films['long.mkv'];
  const figures = [];
  const add = (label, value) => {
    figures.push([label, value]);
    log(`${label}: ${value}`);
  };
  add('film of 1080p: start', seconds(await start(page, long, false)));
  const { text, kept } = await seeks(page, SEEKS);
  add('film of 1080p: seek', text);
  add('film of 1080p: seeks after which it continued', kept);
  const switched = await switchTrack(page);
  add('film of 1080p: other sound track', switched === null ? 'not heard' : seconds(switched));
  add('MPEG-2 576p: start with a picture', seconds(await start(page, stage.url + films['pal.mpg'], true)));
  add('MPEG-2 576p: seek', (await seeks(page, 20)).text);
  for (const [label, value] of await surviveOutages({ page, context, stage, server, api })) add(label, value);
  await context.close();
  const again = await enter(stage.browser, stage.url);
  await again.page.addInitScript(collector);
  for (const [label, value] of await playWhole(again.page, long, log)) add(label, value);
  await again.context.close();
  return figures;
}
