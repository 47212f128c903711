/** Films during outages: no connection, the end of the session, and a file that is replaced. */
import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { addLibrary, logIn } from '../harness.mjs';
import { filesOf } from './corpus.mjs';

const run = promisify(execFile);
/** Milliseconds without a connection. */
const OFFLINE = 30_000;
/** Milliseconds in which playback continues, or a message appears. */
const LIMIT = 40_000;

async function make(path, pitch, duration) {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=25:duration=${duration}`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=${pitch}:duration=${duration}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '3M', '-c:a', 'ac3'];
  await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...picture, ...sound, ...codecs, path]);
}

/** State of the film, and the messages of the page. Runs in the page. */
function state() {
  const { currentTime = 0, paused = true } = document.querySelector('video[src], audio[src]') ?? {};
  const alerts = [...document.querySelectorAll('[role=alert]')].map((one) =>
    one.innerText.trim().split('\n').filter(Boolean).slice(0, 2).join(': '),
  );
  const asksForLogin = document.querySelector('input[type=password]') !== null;
  return { currentTime, paused, asksForLogin, alerts: alerts.filter(Boolean) };
}

/** Waits until playback passes a position, a message or the login appears, and describes it. */
export async function outcome(page, position) {
  const end = Date.now() + LIMIT;
  for (;;) {
    const { currentTime, paused, asksForLogin, alerts } = await page.evaluate(state);
    if (asksForLogin) return 'login';
    if (alerts.length > 0) return `${alerts.length === 1 ? 'message' : 'messages'}: ${alerts.join(' / ')}`;
    if (!paused && currentTime > position) return 'continues';
    if (Date.now() > end) return `stops at ${currentTime.toFixed(1)} s without a message`;
    await pause(250);
  }
}

export async function play(page, address) {
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.querySelector('video[src], audio[src]')?.currentTime > 1, null, {
    timeout: 30_000,
  });
}

const jump = (page, to) => page.evaluate((time) => (document.querySelector('video').currentTime = time), to);

/** Stops the server for half a minute: requests get no answer. */
async function disconnected(page, server, address) {
  await play(page, address);
  server.pause();
  await pause(OFFLINE);
  server.continue();
  const { currentTime } = await page.evaluate(state);
  const end = Date.now() + LIMIT;
  // A message of the outage disappears by itself.
  while (Date.now() < end) {
    const now = await page.evaluate(state);
    if (!now.paused && now.currentTime > currentTime + 5 && now.alerts.length === 0) return 'continues';
    await pause(250);
  }
  return outcome(page, currentTime + 5);
}

async function loggedOut(page, context, address) {
  await play(page, address);
  await context.clearCookies();
  await jump(page, 200);
  const seen = await outcome(page, 203);
  if (seen !== 'login') return seen;
  await logIn(page);
  await page.waitForFunction(() => document.querySelector('input[type=password]') === null);
  return `login, then ${await outcome(page, 203)}`;
}

async function replaced(page, path, address) {
  await play(page, address);
  await rename(path.replace('.mkv', '.new'), path);
  await jump(page, 200);
  return outcome(page, 203);
}

/** Returns what happens, as pairs of a label and a description. */
export async function surviveOutages({ page, context, stage, server, api }) {
  const folder = join(server.folder, `outages-${stage.name}`);
  await mkdir(folder);
  const path = join(folder, 'short.mkv');
  await make(path, 440, 300);
  const [{ item, file }] = await filesOf(api, await addLibrary(api, folder, `outages ${stage.name}`));
  // Not a film: the scanner must not see it.
  await make(join(folder, 'short.mkv.mkv'), 880, 290);
  await rename(join(folder, 'short.mkv.mkv'), join(folder, 'short.new'));
  const address = `${stage.url}/items/${item}/open/${file.id}?at=0`;
  const results = [];
  results.push(['30 seconds without a server', await disconnected(page, server, address)]);
  results.push(['session that ended', await loggedOut(page, context, address)]);
  await context.clearCookies();
  await page.goto(stage.url);
  await logIn(page);
  await page.getByText('Recently added').first().waitFor();
  results.push(['file that was replaced', await replaced(page, path, address)]);
  return results;
}
