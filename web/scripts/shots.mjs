/** What is taken against the stand-in server: every page, and every state that it can be in. */
import { ALBUM, FILM, GAME, SERIAL } from '../test/fake/world.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Awaited<ReturnType<typeof import('../test/fake/server.mjs').startFake>>} Fake */
/**
 * @typedef {object} Shot
 * @property {string} name
 * @property {string} path
 * @property {Partial<import('../test/fake/world.mjs').Options>} [options]
 * @property {(page: Page, fake: Fake) => Promise<unknown>} [before] what is arranged before the page is opened
 * @property {(page: Page, fake: Fake) => Promise<unknown>} [act] what is done on the page
 * @property {boolean} [whole] the whole page rather than what a screen shows of it
 * @property {string} [locale]
 */

/** @type {Partial<import('../test/fake/world.mjs').Options>} */
const nothing = { content: 'ungranted', role: 'user' };

/** @type {Shot[]} */
export const shots = [
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
      await chooseSubtitles(page, 'English');
      await page.evaluate(() => {
        const video = document.querySelector('video');
        if (video) video.currentTime = 7;
      });
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 7.2);
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
    },
  },
  {
    name: 'video-options',
    path: `/items/${FILM}/open/${FILM * 100}`,
    act: async (page) => {
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.2);
      const sheet = page.getByRole('button', { name: 'Playback settings' });
      if (await sheet.isVisible()) await sheet.click();
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
  { name: 'settings-device', path: '/settings/device' },
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
  // Words longer than anybody expected.
  { name: 'home-long', path: '/', before: lengthen, whole: true },
  { name: 'browse-long', path: '/library/books', before: lengthen },
  { name: 'item-long', path: '/items/182', before: lengthen, whole: true },
  { name: 'search-long', path: '/search?q=mob', before: lengthen },
  {
    name: 'player-long',
    path: '/items/182',
    before: lengthen,
    act: async (page) => {
      await page.getByRole('button', { name: 'Continue chapter 3' }).click();
      await page.getByRole('button', { name: 'Open the player' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  // Large letters, and another language.
  { name: 'home-large', path: '/', before: enlarge },
  { name: 'item-large', path: '/items/182', before: enlarge },
  { name: 'settings-large', path: '/settings', before: enlarge },
  { name: 'home-de', path: '/', locale: 'de-DE' },
  { name: 'item-de', path: '/items/182', locale: 'de-DE', whole: true },
  { name: 'settings-de', path: '/settings', locale: 'de-DE', whole: true },
  { name: 'settings-library-de', path: '/settings/libraries/1', locale: 'de-DE', whole: true },
  // Whoever may see nothing.
  { name: 'library-ungranted', path: '/library', options: nothing },
  { name: 'search-ungranted', path: '/search?q=emma', options: nothing },
  { name: 'settings-ungranted', path: '/settings', options: nothing },
  // What goes wrong.
  { name: 'nowhere', path: '/nowhere/at/all' },
  { name: 'item-failed', path: '/items/182', before: (page) => answer(page, '**/api/v1/items/182?*', 500) },
  {
    name: 'item-skeleton',
    path: '/items/182',
    before: async (page) => page.route('**/api/v1/items/182?*', () => {}),
  },
  {
    name: 'page-away',
    path: '/',
    act: async (page) => {
      await page.route('**/assets/**', (route) => route.abort());
      await page.evaluate(() => {
        const link = document.querySelector('a[href="/history"]');
        if (link instanceof HTMLElement) link.click();
        else history.pushState({}, '', '/history');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'settings-failed',
    path: '/settings/libraries',
    before: (page) => answer(page, '**/api/v1/libraries*', 500),
  },
  {
    name: 'settings-account-wrong',
    path: '/settings/account',
    before: (page) => answer(page, '**/api/v1/auth/password', 403),
    act: async (page) => {
      await page.getByLabel('Current password').fill('not this one');
      await page.getByLabel('New password', { exact: true }).fill('another long one');
      await page.getByLabel('New password again').fill('another long one');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.locator('.bad:not(:empty)').first().waitFor();
    },
  },
  {
    name: 'settings-user-delete',
    path: '/settings/users/2',
    act: async (page) => page.getByRole('button', { name: 'Delete user' }).click(),
  },
  {
    name: 'settings-missing-purge',
    path: '/settings/missing',
    options: { missing: true },
    act: async (page) => page.getByRole('button', { name: 'Purge' }).first().click(),
  },
  {
    name: 'item-queue-failed',
    path: '/library/audio',
    act: async (page) => {
      await page.route('**/api/v1/items/*?*', (route) => route.abort());
      await page.getByRole('listitem').filter({ hasText: 'Low Lanterns' }).hover();
      await page.getByRole('button', { name: 'More for Low Lanterns' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  // What is told in passing.
  {
    name: 'home-scanning',
    path: '/',
    act: async (page, fake) => {
      await until(() => fake.listeners.size > 0);
      const none = {
        added: 0,
        updated: 0,
        moved: 0,
        missing: 0,
        restored: 0,
        errors: [],
        errors_overflow: 0,
      };
      fake.tell('scan', { ...none, library_id: 1, status: 'running', job_id: 9, scanned: 713, total: 1924 });
      await page.getByText('713 of 1,924 files').waitFor({ state: 'attached' });
    },
  },
  {
    name: 'toast',
    path: '/library/books',
    act: async (page) => {
      await page
        .getByRole('link', { name: /^Cranford/ })
        .first()
        .focus();
      await page.keyboard.press('f');
      await page
        .getByRole('status')
        .filter({ hasText: /favourite/i })
        .waitFor();
    },
  },
  // Players.
  {
    name: 'video-away',
    path: `/items/${FILM}/open/${FILM * 100}`,
    options: { away: true },
    act: async (page) => page.getByRole('alert').waitFor(),
  },
  {
    name: 'player-away',
    path: `/items/${ALBUM}`,
    before: (page) => answer(page, '**/files/*/content', 503),
    act: async (page) => {
      await page.getByRole('button', { name: 'More for Loomings' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await page.getByRole('region', { name: 'Player' }).getByText('The server does not answer').waitFor();
    },
  },
  {
    name: 'player-refused',
    path: `/items/${ALBUM}`,
    before: async (page) =>
      page.route('**/files/*/content', (route) =>
        route.fulfill({ status: 200, contentType: 'audio/x-ms-wma', body: 'not what it says' }),
      ),
    act: async (page) => {
      await page.getByRole('button', { name: 'More for Loomings' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await page.getByRole('region', { name: 'Player' }).getByRole('alert').waitFor();
      await openSheet(page);
    },
  },
  {
    name: 'player-words',
    path: `/items/${ALBUM}`,
    before: async (page) =>
      page.route('**/lyrics', (route) =>
        route.fulfill({
          json: {
            items: [
              {
                source: 'tag',
                synced: true,
                lines: Array.from({ length: 24 }, (_, at) => ({
                  start: at * 4,
                  text: at % 6 === 5 ? '' : `Line ${at + 1} of what is sung over the water tonight`,
                })),
              },
            ],
          },
        }),
      ),
    act: async (page) => {
      await page.getByRole('button', { name: 'More for Loomings' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await openSheet(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Lyrics' }).click();
    },
  },
  ...['Queue', 'Playback'].map((view) => ({
    name: `player-view-${view.toLowerCase()}`,
    path: `/items/${ALBUM}`,
    act: async (/** @type {Page} */ page) => {
      await page.getByRole('button', { name: 'More for Loomings' }).click();
      await page.getByRole('menuitem', { name: 'Add to queue' }).click();
      await openSheet(page);
      await page.getByRole('dialog').getByRole('button', { name: view }).click();
    },
  })),
  {
    name: 'player-queue-long',
    path: '/library/audio',
    act: async (page) => {
      await page.evaluate(() => {
        const heard = [181, 182, 183, 184, 185, 186, 187, 188, 189];
        const kept = Array.from({ length: 60 }, (_, at) => heard[at % heard.length]);
        sessionStorage.setItem(
          'ledge.queue.1',
          JSON.stringify(kept.map((item) => ({ item, file: null, alone: false }))),
        );
      });
      await page.reload();
      await openSheet(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Queue/ })
        .click();
      await page.waitForTimeout(500);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^\d+ more$/ })
        .scrollIntoViewIfNeeded();
    },
  },
];

/** By the bar of a wide window, or the sheet of a narrow one. @param {Page} page @param {string} label */
async function chooseSubtitles(page, label) {
  const select = page.getByRole('combobox', { name: 'Subtitles' });
  const sheet = page.getByRole('button', { name: 'Playback settings' });
  await select.or(sheet).waitFor();
  if (await select.isVisible()) {
    await select.selectOption({ label });
    return;
  }
  await sheet.click();
  await page.getByRole('radio', { name: label }).check();
  await page.getByRole('button', { name: 'Close' }).click();
}

/** @param {Page} page */
async function attemptLogin(page) {
  await page.getByLabel('Username').fill('marit');
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.bad').waitFor();
}

/** The player as one sees it whole. @param {Page} page */
async function openSheet(page) {
  await page.getByRole('button', { name: 'Open the player' }).click();
  await page.getByRole('dialog').waitFor();
}

/** @param {() => boolean} fits */
async function until(fits) {
  for (let look = 0; look < 100 && !fits(); look += 1) await new Promise((go) => setTimeout(go, 100));
}

/** What fits is answered so. @param {Page} page @param {string} pattern @param {number} status */
async function answer(page, pattern, status) {
  const error = { code: 'internal', message: 'Something went wrong on the server.' };
  await page.route(pattern, (route) => route.fulfill({ status, json: { error } }));
}

/** Large letters, as Settings → This device makes them. @param {Page} page */
async function enlarge(page) {
  await page.addInitScript(() => localStorage.setItem('ledge.text', '1.5'));
}

/** Makes every title and name longer than there is room for, one with a word that cannot be wrapped. @param {Page} page */
async function lengthen(page) {
  /** @param {string} text */
  const grown = (text) =>
    `${text}, or the Whole and True History of What Befell Them Upon the Coast, Told for the First Time in Full`;
  const unbroken = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
  /** @param {any} value @returns {any} */
  const walk = (value) => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const pairs = Object.entries(value).map(([key, inner]) => {
      if (key === 'title' && typeof inner === 'string')
        return [key, value.id % 2 === 0 ? grown(inner) : `${inner} ${unbroken}`];
      if (key === 'authors' && typeof inner === 'string' && inner !== '') return [key, grown(inner)];
      return [key, walk(inner)];
    });
    return Object.fromEntries(pairs);
  };
  await page.route(/\/api\/v1\/(items|home|search)/, async (route) => {
    if (route.request().method() !== 'GET' || !route.request().url().includes('/api/v1/'))
      return route.continue();
    const response = await route.fetch();
    const type = response.headers()['content-type'] ?? '';
    if (!type.includes('json')) return route.fulfill({ response });
    return route.fulfill({ response, json: walk(await response.json()) });
  });
}
