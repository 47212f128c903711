/** Plays after an hour's pause, and after a sleep of the machine, in real time. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { addLibrary, enter } from '../harness.mjs';
import { filesOf } from './corpus.mjs';
import { outcome, play } from './outages.mjs';
import { browserProcesses } from './threads.mjs';

const run = promisify(execFile);

const PAUSE_MINUTES = Number(process.env.LEDGE_PLAYBACK_PAUSE ?? 60);
const SLEEP_MINUTES = Number(process.env.LEDGE_PLAYBACK_SLEEP ?? 10);
/** Seconds of each file: more than the page buffers. */
const LENGTH = 600;

const picture = ['-f', 'lavfi', '-i', `testsrc2=size=480x360:rate=25:duration=${LENGTH}`];
const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${LENGTH}`];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '2M', '-g', '50'];
/** A file for each way. */
const FILES = {
  'native.mp4': [...picture, ...sound, ...h264, '-c:a', 'aac'],
  'repackaged.mkv': [...picture, ...sound, ...h264, '-c:a', 'ac3'],
  'decoded.mpg': [...picture, ...sound, '-c:v', 'mpeg2video', '-b:v', '2M', '-c:a', 'ac3', '-f', 'vob'],
  'sound.wv': [...sound, '-c:a', 'wavpack'],
};

/** Makes the files once, and returns the addresses of their viewers by name. */
async function prepare(server, api) {
  server.paused ??= (async () => {
    const folder = join(server.folder, 'pauses');
    await mkdir(folder);
    for (const [name, options] of Object.entries(FILES))
      await run('ffmpeg', ['-nostdin', '-loglevel', 'error', ...options, join(folder, name)]);
    const files = await filesOf(api, await addLibrary(api, folder, 'pauses'));
    return Object.fromEntries(
      files.map(({ item, file }) => [file.path, `/items/${item}/open/${file.id}?at=0`]),
    );
  })();
  return server.paused;
}

/** Runs in the page: the element that plays. */
const element = () => document.querySelector('video[src], audio[src]');
const positionOf = (page) => page.evaluate(`(${element})().currentTime`);

/** Plays the rest of a file. Its end needs requests after the pause. */
async function continued(page, position) {
  await page.evaluate(`void (${element})().play()`);
  const here = await outcome(page, position + 2);
  if (here !== 'continues') return here;
  const now = await positionOf(page);
  if (now > position + 60) return `continues at ${now.toFixed(1)} s instead of ${position.toFixed(1)} s`;
  await page.evaluate(`(${element})().currentTime = ${LENGTH - 60}`);
  return outcome(page, LENGTH - 58);
}

/** Opens each file in a page of its own. */
async function openAll(stage, films) {
  const opened = [];
  for (const [name, address] of Object.entries(films)) {
    const { page, context } = await enter(stage.browser, stage.url);
    await play(page, stage.url + address);
    opened.push({ name, page, context });
  }
  return opened;
}

/** Interrupts all files at once, and continues them one after the other. */
async function interrupt(stage, films, label, wait) {
  const opened = await openAll(stage, films);
  for (const one of opened) one.position = await positionOf(one.page);
  await wait(opened);
  const results = [];
  for (const { name, page, context, position } of opened) {
    results.push([`${name}: ${label}`, await continued(page, position)]);
    await context.close();
  }
  return results;
}

async function stayPaused(opened) {
  for (const { page } of opened) await page.evaluate(`(${element})().pause()`);
  await pause(PAUSE_MINUTES * 60_000);
}

/**
 * Stops all processes of the browser while the files play. Its clocks go on, as those of some systems do during sleep, and
 * the server closes the connections meanwhile.
 */
async function sleep() {
  const processes = browserProcesses();
  for (const id of processes) process.kill(id, 'SIGSTOP');
  await pause(SLEEP_MINUTES * 60_000);
  for (const id of processes) process.kill(id, 'SIGCONT');
}

/** Returns what happens, as pairs of a label and a description. */
export async function survivePauses(stage, server, api, log) {
  const films = await prepare(server, api);
  const results = [
    ...(await interrupt(stage, films, `pause of ${PAUSE_MINUTES} minutes`, stayPaused)),
    ...(await interrupt(stage, films, `sleep of ${SLEEP_MINUTES} minutes`, sleep)),
  ];
  for (const [label, value] of results) log(`${label}: ${value}`);
  return results;
}
