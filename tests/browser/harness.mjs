/** Shared by the browser tests: a browser, a server of their own, and checks for errors. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFake } from '../../web/test/fake/server.mjs';
import { HOST } from './firefox.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(join(root, 'web/package.json'));
const { chromium } = require('playwright-core');
const axe = require('axe-core');

export const password = 'lantern-on-the-ledge';

/** @typedef {import('playwright-core').Page} Page */

/** Number of starts of a browser that crashes before its first page. */
const LAUNCHES = 3;

/** Starts a browser. Chromium sometimes crashes at its start on a busy machine, which is unrelated to Ledge. */
export async function launchBrowser(extra = []) {
  for (let launch = 1; ; launch += 1) {
    try {
      return await startBrowser(extra);
    } catch (error) {
      if (launch === LAUNCHES) throw error;
      console.error(
        `the browser did not start, try ${launch} of ${LAUNCHES}: ${error.message.split('\n')[0]}`,
      );
    }
  }
}

function startBrowser(extra) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
      `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
      ...extra,
    ],
  });
}

/** Runs in the page. Firefox also runs it in the empty page, which has no storage. */
function setTheme(value) {
  if (location.protocol === 'http:') localStorage.setItem('ledge.theme', value);
}

/** Opens a page that records all errors of the browser. Without a theme (null) it is a first visit. */
export async function openPage(browser, { theme = 'dark', width = 1280, ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...more,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  if (theme !== null) await page.addInitScript(setTheme, theme);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  page.on('console', (message) => {
    // The browser reports every refused request; some tests cause them on purpose.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(`console: ${message.text()}`);
    }
  });
  return { context, page, complaints };
}

/** Opens a page of the stand-in server, calls `check`, and expects no error. */
export async function withFake(browser, options, path, check, settings) {
  const fake = await startFake(options);
  const { page, context, complaints } = await openPage(browser, settings);
  await page.goto(fake.url + path);
  try {
    await check(page, fake);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await fake.close();
  }
}

/** Returns the violations that axe reports for the page, one line each. */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // Content that is drawn only after scrolling has no colours yet.
  const drawn = await page.addStyleTag({ content: '* { content-visibility: visible !important }' });
  // Finishes transitions, so that the final colours are checked.
  await page.waitForFunction(
    () => !document.getAnimations().some((running) => running instanceof CSSTransition),
  );
  const { violations: found } = await page.evaluate(() => globalThis.axe.run(document));
  await drawn.evaluate((style) => style.remove());
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
}

async function freePort() {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}

const target = process.env.CARGO_TARGET_DIR ?? 'target';
const binary = (variable, name) => resolve(root, process.env[variable] ?? `${target}/debug/${name}`);

async function run(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
}

/** Lays out a folder of media with the project's generator. */
export async function makeMedia(folder, ...kind) {
  const [command, ...options] = kind;
  await run(binary('LEDGE_FIXTURES_BIN', 'ledge-fixtures'), [command, folder, ...options]);
}

/**
 * Starts the executable with an empty database and a folder of small real media. It can be paused and continued by
 * signals, and killed and started again on the same port and database.
 */
export async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'ledge-browser-'));
  const media = join(folder, 'media');
  await makeMedia(media, 'demo');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child = await launchServer(folder, port, url);
  const end = async (signal) => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return {
    url,
    /** The same server by a name that browsers do not trust (`launchBrowser`, `launchFirefox`). */
    named: `http://${HOST}:${port}`,
    port,
    folder,
    media,
    pause: () => child.kill('SIGSTOP'),
    continue: () => child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    async restart() {
      child = await launchServer(folder, port, url);
    },
    async stop() {
      child.kill('SIGCONT');
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launchServer(folder, port, url) {
  const child = spawn(binary('LEDGE_BIN', 'ledge'), ['serve'], {
    cwd: folder,
    env: {
      ...process.env,
      LEDGE_LISTEN: `127.0.0.1:${port}`,
      LEDGE_DATABASE: join(folder, 'ledge.db'),
      LEDGE_ADMIN_PASSWORD: password,
      LEDGE_ENRICH: 'off',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  await ready(url, child, () => log);
  return child;
}

async function ready(url, child, log) {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended at once:\n${log()}`);
    const healthy = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return;
    await pause(100);
  }
  throw new Error(`the server is not ready after 15 s:\n${log()}`);
}

export async function logIn(page, username = 'admin', secret = password) {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Adds a folder as a library, scans it, and waits for the end of the scan. */
export async function addLibrary(api, path, name = 'Everything') {
  const library = await api('/libraries', { method: 'POST', body: JSON.stringify({ name, path }) });
  await api(`/libraries/${library.id}/scan`, { method: 'POST', body: '{}' });
  await settledScan(api, library.id);
  return library;
}

/** Waits for the end of a library's scan, and fails unless it succeeded. */
export async function settledScan(api, library) {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const scan = await api(`/libraries/${library}/scan/status`);
    if (scan.status === 'done') return scan;
    if (scan.status === 'failed') throw new Error(`the scan failed: ${scan.error}`);
    if (Date.now() > deadline) throw new Error(`the scan is still ${scan.status} after two minutes`);
    await pause(50);
  }
}

/** Opens a separate page, signed in, at the home page. */
export async function enter(browser, url, settings) {
  const opened = await openPage(browser, settings);
  await opened.page.goto(url);
  await logIn(opened.page);
  await opened.page.getByText('Recently added').first().waitFor();
  return opened;
}

/** Records the positions that a page sends to the server. */
export function toldPlaces(page) {
  const told = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/progress')) told.push(request.postDataJSON());
  });
  return told;
}

/** An item with its files, by its title. */
export async function itemOf(api, title) {
  const { items } = await api('/items?limit=500');
  const card = items.find((one) => one.title === title);
  if (!card) throw new Error(`${title} is not among ${items.map((one) => one.title)}`);
  return api(`/items/${card.id}`);
}

/** Repeats a request until it returns a value, for up to 20 seconds. */
export async function until(what, ask) {
  const end = Date.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(100);
  }
}

/** Leaves a viewer with its own button, and waits for the page of the item. */
export async function leave(page, item, button = page.getByRole('button', { name: 'Back' })) {
  const pressed = await button.elementHandle();
  await button.click();
  await pressed.waitForElementState('hidden');
  await page.waitForURL((url) => url.pathname === `/items/${item.id}`);
}

/** A program's session on the same server. */
export async function apiOf(url, username = 'admin', secret = password) {
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password: secret }),
  });
  const { token } = await login.json();
  return async (path, init = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Waits until the keys of cards work: they load after the first content. */
export async function keysWork(page) {
  await page.waitForFunction(() =>
    performance
      .getEntriesByType('resource')
      .some(({ name, responseEnd }) => name.includes('SpatialNavigation') && responseEnd > 0),
  );
  await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
}
