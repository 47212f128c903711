/**
 * Takes every page and state at two widths and in both appearances into screenshots/: most against the stand-in
 * server, readers and games against the real one with its demo. `make screenshots` builds both. An argument narrows
 * it to the shots whose name contains it; it ends with 1 where a shot did not come about.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startFake } from '../test/fake/server.mjs';
import { ALBUM, FILM, GAME, SERIAL } from '../test/fake/world.mjs';

/** @type {any} The tests' own way to a server; its types are those of the tests. */
const harness = await import(new URL('../../tests/browser/harness.mjs', import.meta.url).href);
const { addLibrary, apiOf, logIn, startServer } = harness;
const out = fileURLToPath(new URL('../screenshots/', import.meta.url));
const wanted = process.argv[2] ?? '';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Awaited<ReturnType<typeof startFake>>} Fake */

/** @type {{ name: string, path: string, options?: object, act?: (page: Page, fake: Fake) => Promise<void>, whole?: boolean }[]} */
const shots = [
  { name: 'home', path: '/', whole: true },
  { name: 'home-fresh', path: '/', options: { fresh: true }, whole: true },
  { name: 'home-empty-admin', path: '/', options: { content: 'empty' } },
  { name: 'home-empty-user', path: '/', options: { content: 'ungranted', role: 'user' } },
  { name: 'home-skeleton', path: '/', options: { slow: true } },
  { name: 'home-failed', path: '/', options: { failing: true } },
  { name: 'browse', path: '/library/books' },
  { name: 'browse-missing', path: '/library/books', options: { missing: true } },
  { name: 'browse-square', path: '/library/audio' },
  { name: 'browse-unknown-kind', path: '/library/herbarium' },
  { name: 'browse-skeleton', path: '/library/books', options: { slow: true } },
  { name: 'browse-failed', path: '/library/books', options: { failing: true } },
  { name: 'browse-empty', path: '/library/books', options: { content: 'ungranted', role: 'user' } },
  { name: 'browse-filtered', path: '/library/video?library=77' },
  { name: 'browse-404', path: '/library/nothing' },
  { name: 'browse-started', path: '/library/books?state=started' },
  { name: 'library', path: '/library' },
  { name: 'search', path: '/search?q=mob' },
  { name: 'search-many', path: '/search?q=e', whole: true },
  { name: 'search-prompt', path: '/search' },
  { name: 'search-none', path: '/search?q=zzz' },
  { name: 'search-failed', path: '/search?q=break' },
  { name: 'people', path: '/people' },
  { name: 'series', path: '/series' },
  { name: 'works', path: '/people/6' },
  { name: 'item-series', path: '/items/6', whole: true },
  { name: 'favourites', path: '/favourites' },
  { name: 'favourites-none', path: '/favourites', options: { content: 'empty' } },
  { name: 'history', path: '/history' },
  { name: 'history-none', path: '/history', options: { fresh: true } },
  { name: 'history-failed', path: '/history', options: { failing: true } },
  { name: 'item', path: '/items/182' },
  { name: 'item-book', path: '/items/6' },
  { name: 'item-missing', path: '/items/7', options: { missing: true } },
  { name: 'item-finished', path: '/items/3' },
  { name: 'item-film', path: '/items/190' },
  {
    name: 'item-menu',
    path: '/items/182',
    act: async (page) => page.getByRole('button', { name: 'More actions' }).click(),
  },
  {
    name: 'item-former',
    path: '/items/182',
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Earlier places' }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
  },
  {
    name: 'item-edit',
    path: '/items/182',
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'item-matches',
    path: '/items/182',
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Metadata' }).click();
      await page.getByText('Not found').waitFor();
    },
  },
  { name: 'item-404', path: '/items/99999' },
  {
    name: 'video',
    path: `/items/${FILM}/open/${FILM * 100}`,
    act: async (page) => {
      await page.getByRole('combobox', { name: 'Subtitles' }).selectOption({ label: 'English' });
      await page.evaluate(() => {
        const video = document.querySelector('video');
        if (video) video.currentTime = 7;
      });
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 7.2);
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
    },
  },
  {
    name: 'video-next',
    path: `/items/${SERIAL}/open/${SERIAL * 100}`,
    act: async (page) => {
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.2);
      await page.keyboard.press('End');
      await page.getByText(/Next in/).waitFor();
    },
  },
  {
    name: 'session-ended',
    path: '/',
    act: async (page, fake) => {
      await page.getByText('Recently added').first().waitFor();
      fake.options.loggedIn = false;
      await page.evaluate(() => {
        const link = document.querySelector('a[href="/history"]');
        if (link instanceof HTMLElement) link.click();
        else location.assign('/history');
      });
      await page.getByText('Your session has ended').waitFor();
    },
  },
  {
    name: 'unreachable',
    path: '/',
    act: async (page) => {
      await page.route('**/api/v1/**', (route) => route.abort());
      await page.reload();
      await page.getByText('The server does not answer').waitFor();
    },
  },
  {
    name: 'player',
    path: '/items/182',
    act: async (page) => {
      await page.getByRole('button', { name: 'Continue chapter 3' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.waitForTimeout(1500);
    },
  },
  {
    name: 'player-sheet',
    path: '/items/182',
    act: async (page) => {
      await page.getByRole('button', { name: 'Continue chapter 3' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.getByRole('button', { name: 'Open the player' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'album',
    path: `/items/${ALBUM}`,
    act: async (page) => page.getByRole('button', { name: 'More for Breakfast' }).click(),
    whole: true,
  },
  {
    name: 'player-queue',
    path: `/items/${ALBUM}`,
    act: async (page) => {
      for (const track of ['Loomings', 'Breakfast', 'The Street', 'The Counterpane']) {
        await page.getByRole('button', { name: `More for ${track}` }).click();
        await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      }
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await page.getByRole('button', { name: 'Open the player' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Queue/ })
        .click();
      await page.getByRole('list', { name: 'Queue' }).waitFor();
    },
  },
  {
    name: 'item-saves',
    path: `/items/${GAME}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Earlier saves' }).click();
      await page.getByRole('dialog').locator('img').nth(1).waitFor();
    },
  },
  {
    name: 'video-notice',
    path: '/items/191/open/19100',
    options: { video: false },
    act: async (page) => page.getByRole('alert').waitFor(),
  },
  { name: 'download', path: '/items/206/open/20600' },
  {
    name: 'book-damaged',
    path: '/items/6/open/600',
    act: async (page) => page.getByRole('alert').waitFor(),
  },
  { name: 'login', path: '/', options: { loggedIn: false } },
  { name: 'login-wrong', path: '/', options: { loggedIn: false, login: 'wrong' }, act: attemptLogin },
  { name: 'login-throttled', path: '/', options: { loggedIn: false, login: 'throttled' }, act: attemptLogin },
  { name: 'settings', path: '/settings' },
  { name: 'settings-account', path: '/settings/account' },
  { name: 'settings-libraries', path: '/settings/libraries', options: { scan: 'running', missing: true } },
  { name: 'settings-libraries-empty', path: '/settings/libraries', options: { content: 'empty' } },
  { name: 'settings-libraries-failed', path: '/settings/libraries', options: { scan: 'failed' } },
  {
    name: 'settings-library-add',
    path: '/settings/libraries',
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a library' }).click();
      await page.getByRole('button', { name: 'films' }).waitFor();
    },
  },
  { name: 'settings-library', path: '/settings/libraries/1', options: { scan: 'errors' }, whole: true },
  {
    name: 'settings-library-delete',
    path: '/settings/libraries/1',
    act: async (page) => page.getByRole('button', { name: 'Delete library' }).click(),
  },
  { name: 'settings-users', path: '/settings/users' },
  {
    name: 'settings-user-add',
    path: '/settings/users',
    act: async (page) => page.getByRole('button', { name: 'Add a user' }).click(),
  },
  { name: 'settings-user', path: '/settings/users/2', whole: true },
  { name: 'settings-missing', path: '/settings/missing', options: { missing: true } },
  { name: 'settings-missing-none', path: '/settings/missing' },
  { name: 'settings-jobs', path: '/settings/jobs' },
  { name: 'settings-games', path: '/settings/games', whole: true },
  { name: 'settings-about', path: '/settings/about' },
  { name: 'settings-404', path: '/settings/users', options: { role: 'user' } },
];

/** @param {Page} page */
async function attemptLogin(page) {
  await page.getByLabel('Username').fill('marit');
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.bad').waitFor();
}

await mkdir(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
});
let failed = 0;
/** @param {string} name @param {unknown} error */
function fail(name, error) {
  failed += 1;
  console.error(name, String(error).split('\n')[0]);
}

/** @param {number} width @param {string} theme */
async function openPage(width, theme) {
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 940 },
    deviceScaleFactor: width === 390 ? 2 : 1,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.addInitScript((value) => localStorage.setItem('ledge.theme', value), theme);
  return { context, page };
}

for (const shot of shots) {
  for (const width of [1440, 390]) {
    for (const theme of ['dark', 'light']) {
      const name = `${shot.name}-${width}-${theme}`;
      if (!name.includes(wanted)) continue;
      const fake = await startFake(shot.options);
      const { context, page } = await openPage(width, theme);
      page.on('pageerror', (error) => fail(name, error.message));
      try {
        await page.goto(fake.url + shot.path);
        await page.waitForTimeout(600);
        await shot.act?.(page, fake);
        await page.waitForTimeout(200);
        await page.screenshot({ path: `${out}${name}.png`, fullPage: shot.whole ?? false });
      } catch (error) {
        fail(name, error);
      }
      await context.close();
      void fake.close();
    }
  }
}

/** What opens in a viewer of its own, by the viewer's id. @type {Record<string, (page: Page) => Promise<unknown>>} */
const readers = {
  epub: (page) => page.getByRole('slider', { name: 'Place in the book' }).waitFor({ state: 'attached' }),
  pdf: (page) => page.locator('canvas').first().waitFor(),
  comic: (page) => page.locator('img').first().waitFor(),
  game: (page) => page.locator('iframe, [role=alert], h2').first().waitFor(),
};
const chosen = Object.entries(readers).filter(([viewer]) =>
  [1440, 390].some((width) =>
    ['dark', 'light'].some((theme) => `reader-${viewer}-${width}-${theme}`.includes(wanted)),
  ),
);
if (chosen.length > 0) {
  const server = await startServer();
  const api = await apiOf(server.url);
  await addLibrary(api, server.media);
  const { items } = await api('/items?limit=500');
  const all = await Promise.all(items.map((/** @type {{ id: number }} */ { id }) => api(`/items/${id}`)));
  for (const [viewer, ready] of chosen) {
    const item = all.find((one) => one.files[0]?.viewer === viewer);
    for (const width of [1440, 390]) {
      for (const theme of ['dark', 'light']) {
        const name = `reader-${viewer}-${width}-${theme}`;
        if (!name.includes(wanted)) continue;
        const { context, page } = await openPage(width, theme);
        try {
          await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}`);
          await logIn(page);
          await ready(page);
          await page.waitForTimeout(1500);
          await page.screenshot({ path: `${out}${name}.png` });
        } catch (error) {
          fail(name, error);
        }
        await context.close();
      }
    }
  }
  await server.stop();
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
