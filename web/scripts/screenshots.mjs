/**
 * Takes screenshots of every page and state at two widths and in both themes. Most use the stand-in server; readers and
 * games use the real one with its demo. `make screenshots` builds both. Arguments select the shots whose name contains
 * one of them; `--missing` selects those without a picture. A failed shot is taken again once, because a browser can
 * crash on a busy machine. The exit status is 1 if a shot failed twice.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startFake } from '../test/fake/server.mjs';
import { fill, readers } from './reader-shots.mjs';
import { shots } from './shots.mjs';

/** @type {any} The tests' own way to a server; its types are those of the tests. */
const harness = await import(new URL('../../tests/browser/harness.mjs', import.meta.url).href);
const { addLibrary, apiOf, logIn, startServer } = harness;
const out = fileURLToPath(new URL('../screenshots/', import.meta.url));
/** @param {string} name */
const pathOf = (name) => `${out}${name}.png`;
/** Screenshots of the readme, in the size of a screen. @type {Readonly<Record<string, string>>} */
const README = {
  'browse-1440-dark': 'browse-dark',
  'browse-1440-light': 'browse-light',
  'home-1440-dark': 'home-dark',
  'item-1440-light': 'item-light',
  'video-1440-dark': 'film-dark',
  'settings-games-1440-light': 'games-light',
};
const readme = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** Number of parallel pages. */
const TOGETHER = 2;
/** Attempts per picture. */
const TRIES = 2;

const args = process.argv.slice(2);
const parts = args.filter((arg) => arg !== '--missing');
const onlyMissing = args.includes('--missing');
// Old pictures of removed pages must not remain.
if (args.length === 0) await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
/** @param {string} name */
const isWanted = (name) =>
  !(onlyMissing && existsSync(pathOf(name))) &&
  (parts.length === 0 || parts.some((part) => name.includes(part)));

/** @typedef {import('playwright-core').Browser} Browser */
/** @type {Promise<Browser>[]} */
const launched = [];
/** @param {string[]} flags */
function launch(...flags) {
  const browser = chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--autoplay-policy=no-user-gesture-required', ...flags],
  });
  launched.push(browser);
  return browser;
}

/** Gives a browser that lives: another one where the last has fallen over. @param {string[]} flags */
function living(...flags) {
  /** @type {Promise<Browser> | undefined} */
  let last;
  return async () => {
    const known = last;
    const browser = await known?.catch(() => undefined);
    if (browser?.isConnected()) return browser;
    // If two callers find it crashed, only one starts another.
    if (last === known) last = launch(...flags);
    return /** @type {Promise<Browser>} */ (last);
  };
}
const plain = living('--disable-gpu');
// Games need WebGL, also on a machine without a graphics card.
const gaming = living('--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader');
/** @type {string[]} */
const failed = [];
let taken = 0;

/**
 * Takes a picture, and once more where that fails: an error of the page is a failure, too.
 * @param {string} name
 * @param {(page: import('playwright-core').Page) => Promise<void>} act
 * @param {() => Promise<{ context: import('playwright-core').BrowserContext, page: import('playwright-core').Page }>} open
 * @param {boolean} [whole]
 */
async function picture(name, open, act, whole = false) {
  await rm(pathOf(name), { force: true });
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    /** @type {import('playwright-core').BrowserContext | undefined} */
    let context;
    try {
      const opened = await open();
      context = opened.context;
      /** @type {Error[]} */
      const thrown = [];
      opened.page.on('pageerror', (error) => thrown.push(error));
      await act(opened.page);
      if (thrown[0]) throw thrown[0];
      const shown = README[name];
      if (shown) {
        const path = `${readme}${shown}.jpg`;
        await opened.page.screenshot({ path, type: 'jpeg', quality: 84, animations: 'disabled' });
      }
      if (whole) await stretch(opened.page, name);
      await opened.page.screenshot({ path: pathOf(name), animations: 'disabled' });
      taken += 1;
      return;
    } catch (error) {
      console.error(`${name}, try ${attempt} of ${TRIES}: ${String(error).split('\n')[0]}`);
    } finally {
      // A response that is still on its way is not needed any more.
      for (const page of context?.pages() ?? [])
        await page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => {});
      await context?.close().catch(() => {});
    }
  }
  failed.push(name);
}

/** @type {any} Session on the real server, after the first login: logins are rate-limited. */
let session;
/** @param {number} width @param {string} theme @param {string} [locale] */
async function openPage(width, theme, locale = 'en-GB', give = plain) {
  const browser = await give();
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 940 },
    deviceScaleFactor: width === 390 ? 2 : 1,
    reducedMotion: 'reduce',
    locale,
    ...(session && { storageState: session }),
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.addInitScript((value) => localStorage.setItem('ledge.theme', value), theme);
  return { context, page };
}

/** @type {[number, string][]} */
const combinations = [1440, 390].flatMap((width) =>
  ['dark', 'light'].map((theme) => /** @type {[number, string]} */ ([width, theme])),
);

/**
 * Makes a window as high as its page: bars that stand at the foot of it stay there, and what is only now seen comes.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
async function stretch(page, name) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height });
  await page.waitForTimeout(300);
  await loaded(page, name);
}

/**
 * Waits until no visible placeholder is left, unless the picture shows placeholders.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 */
async function loaded(page, name) {
  if (!name.includes('-skeleton-'))
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.bone')].every((bone) => bone.getBoundingClientRect().top > innerHeight),
    );
  await page.waitForTimeout(200);
}

/** @param {import('./shots.mjs').Shot} shot @param {number} width @param {string} theme */
async function take(shot, width, theme) {
  const name = `${shot.name}-${width}-${theme}`;
  if (!isWanted(name)) return;
  const fakes = new Map();
  await picture(
    name,
    async () => {
      const fake = await startFake(shot.options);
      const opened = await openPage(width, theme, shot.locale);
      fakes.set(opened.page, fake);
      return opened;
    },
    async (page) => {
      const fake = fakes.get(page);
      await shot.before?.(page, fake);
      await page.goto(fake.url + shot.path);
      await page.waitForTimeout(600);
      await shot.act?.(page, fake);
      await loaded(page, name);
    },
    shot.whole,
  );
  for (const fake of fakes.values()) void fake.close();
}

const all = shots.flatMap((shot) =>
  combinations.map(
    ([width, theme]) =>
      () =>
        take(shot, width, theme),
  ),
);
await Promise.all(
  Array.from({ length: TOGETHER }, async () => {
    for (let next = all.shift(); next; next = all.shift()) await next();
  }),
);

const chosen = readers.filter(({ name }) =>
  combinations.some(([width, theme]) => isWanted(`reader-${name}-${width}-${theme}`)),
);
if (chosen.length > 0) {
  const server = await startServer();
  await fill(server.media);
  const api = await apiOf(server.url);
  await addLibrary(api, server.media);
  const { items } = await api('/items?limit=500');
  for (const shot of chosen) {
    const card = items.find((/** @type {{ title: string }} */ { title }) => title === shot.title);
    const item = card && (await api(`/items/${card.id}`));
    for (const [width, theme] of combinations) {
      const name = `reader-${shot.name}-${width}-${theme}`;
      if (!isWanted(name)) continue;
      const give = shot.name.startsWith('game') ? gaming : plain;
      await picture(
        name,
        () => openPage(width, theme, undefined, give),
        async (page) => {
          await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${shot.at ?? ''}`);
          if (!session) {
            await logIn(page);
            await page.getByLabel('Username').waitFor({ state: 'hidden' });
            session = await page.context().storageState();
          }
          await shot.act(page);
          await page.waitForTimeout(1000);
        },
      );
    }
  }
  await server.stop();
}
await Promise.all(launched.map((browser) => browser.then((one) => one.close()).catch(() => {})));
console.log(`${taken} pictures in ${out}`);
if (failed.length > 0) console.error(`${failed.length} failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
