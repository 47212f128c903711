/**
 * Takes every page and state at two widths and in both appearances into screenshots/: most against the stand-in
 * server, readers and games against the real one with its demo. `make screenshots` builds both. An argument narrows
 * it to the shots whose name contains it; it ends with 1 where a shot did not come about.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startFake } from '../test/fake/server.mjs';
import { fill, readers } from './reader-shots.mjs';
import { shots } from './shots.mjs';

/** @type {any} The tests' own way to a server; its types are those of the tests. */
const harness = await import(new URL('../../tests/browser/harness.mjs', import.meta.url).href);
const { addLibrary, apiOf, logIn, startServer } = harness;
const out = fileURLToPath(new URL('../screenshots/', import.meta.url));
const wanted = process.argv[2] ?? '';

await mkdir(out, { recursive: true });
/** Pages that are taken at a time. */
const TOGETHER = 2;

/** @param {string[]} flags */
const launch = (...flags) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--autoplay-policy=no-user-gesture-required', ...flags],
  });
let browser = await launch('--disable-gpu');
let failed = 0;
/** @param {string} name @param {unknown} error */
function fail(name, error) {
  failed += 1;
  console.error(name, String(error).split('\n')[0]);
}

/** @type {any} A session on the real server, once there is one: it bears no login for each picture. */
let session;
/** @param {number} width @param {string} theme @param {string} [locale] */
async function openPage(width, theme, locale = 'en-GB', within = browser) {
  // On a busy machine a browser falls over now and then.
  if (within === browser && !browser.isConnected()) within = browser = await launch('--disable-gpu');
  const context = await within.newContext({
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

/** @param {import('./shots.mjs').Shot} shot @param {number} width @param {string} theme */
async function take(shot, width, theme) {
  const name = `${shot.name}-${width}-${theme}`;
  if (!name.includes(wanted)) return;
  const fake = await startFake(shot.options);
  try {
    const { context, page } = await openPage(width, theme, shot.locale);
    page.on('pageerror', (error) => fail(name, error.message));
    await shot.before?.(page, fake);
    await page.goto(fake.url + shot.path);
    await page.waitForTimeout(600);
    await shot.act?.(page, fake);
    await page.waitForTimeout(200);
    await page.screenshot({ path: `${out}${name}.png`, fullPage: shot.whole ?? false });
    await context.close();
  } catch (error) {
    fail(name, error);
  }
  void fake.close();
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
  combinations.some(([width, theme]) => `reader-${name}-${width}-${theme}`.includes(wanted)),
);
if (chosen.length > 0) {
  // Games want WebGL, on a machine without a graphics card, too.
  const gaming = await launch('--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader');
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
      if (!name.includes(wanted)) continue;
      const within = shot.name.startsWith('game') ? gaming : browser;
      const { context, page } = await openPage(width, theme, undefined, within);
      page.on('pageerror', (error) => fail(name, error.message));
      try {
        await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${shot.at ?? ''}`);
        if (!session) {
          await logIn(page);
          await page.getByLabel('Username').waitFor({ state: 'hidden' });
          session = await context.storageState();
        }
        await shot.act(page);
        await page.waitForTimeout(1000);
        await page.screenshot({ path: `${out}${name}.png` });
      } catch (error) {
        fail(name, error);
      }
      await context.close();
    }
  }
  await server.stop();
  await gaming.close();
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
