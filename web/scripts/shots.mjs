/** Screenshots against the stand-in server: every page, in every state. */
import { GAME } from '../test/fake/world.mjs';
import { connected } from './shots/apps.mjs';
import { organised } from './shots/organised.mjs';
import { players } from './shots/players.mjs';
import { shows } from './shots/shows.mjs';
import { reports } from './shots/reports.mjs';
import { works } from './shots/works.mjs';
import { attemptLogin, until, answer, enlarge, lengthen } from './shots/steps.mjs';

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
      await page.getByRole('menuitem', { name: 'Progress history' }).click();
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
    name: 'unreachable',
    path: '/',
    act: async (page) => {
      await page.route('**/api/v1/**', (route) => route.abort());
      await page.reload();
      await page.getByText('The server does not answer').waitFor();
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
  // Very long words.
  { name: 'home-long', path: '/', before: lengthen, whole: true },
  { name: 'browse-long', path: '/library/books', before: lengthen },
  { name: 'item-long', path: '/items/182', before: lengthen, whole: true },
  { name: 'search-long', path: '/search?q=mob', before: lengthen },
  // Large text, and another language.
  { name: 'home-large', path: '/', before: enlarge },
  { name: 'item-large', path: '/items/182', before: enlarge },
  { name: 'settings-large', path: '/settings', before: enlarge },
  { name: 'home-de', path: '/', locale: 'de-DE' },
  { name: 'item-de', path: '/items/182', locale: 'de-DE', whole: true },
  { name: 'settings-de', path: '/settings', locale: 'de-DE', whole: true },
  { name: 'settings-library-de', path: '/settings/libraries/1', locale: 'de-DE', whole: true },
  // A user without granted libraries.
  { name: 'library-ungranted', path: '/library', options: nothing },
  { name: 'search-ungranted', path: '/search?q=emma', options: nothing },
  { name: 'settings-ungranted', path: '/settings', options: nothing },
  // Errors.
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
  // Notifications.
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
  ...connected,
  ...organised,
  ...shows,
  ...works,
  ...players,
  ...reports,
];
