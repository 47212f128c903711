/** Screenshots of the search, of the forms of a title, and of imports. */
import { BOOK, RECORDING } from '../../test/fake/titles/works.mjs';

/** @typedef {import('../shots.mjs').Shot} Shot */
/** @typedef {import('playwright-core').Page} Page */

/** @type {Shot['options']} */
const options = { works: true, handover: 'fraction' };

/** @param {Page} page */
async function check(page) {
  await page.getByRole('combobox').first().selectOption('navidrome');
  await page.locator('input.input').first().fill('/srv/navidrome/navidrome.db');
  await page.locator('form .row button').click();
  await page.locator('#report').waitFor();
  await page.locator('td select').first().selectOption('jonas');
  await page.locator('section .row button').first().click();
  await page.locator('progress').waitFor({ state: 'detached' });
}

/** @type {Shot[]} */
export const works = [
  { name: 'search-corrected', path: '/search?q=austn' },
  { name: 'search-corrected-de', path: '/search?q=austn', locale: 'de-DE' },
  { name: 'search-exact', path: '/search?q=austn&fuzzy=false' },
  { name: 'search-suggestions', path: '/search?q=frankenstien+qqqqqq' },
  {
    name: 'search-names',
    path: '/search?q=sea',
    options: { collections: 5 },
    act: (page) => page.locator('#names-collections').waitFor(),
    whole: true,
  },
  { name: 'home-works', path: '/', options },
  {
    name: 'item-works',
    path: `/items/${BOOK}`,
    options,
    act: (page) => page.locator('#forms').waitFor(),
    whole: true,
  },
  {
    name: 'item-works-link',
    path: `/items/${BOOK}`,
    options,
    act: async (page) => {
      await page.locator('#forms').waitFor();
      await page.getByRole('button', { name: 'Link another form…' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Link:/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'reader-works',
    path: `/items/${BOOK}/open/${BOOK * 100}?at=20`,
    options,
    act: (page) => page.getByRole('button', { name: 'Continue listening from here' }).waitFor(),
  },
  {
    name: 'reader-estimate',
    path: `/items/${BOOK}/open/${BOOK * 100}?at=20`,
    options,
    act: async (page) => {
      await page.getByRole('button', { name: 'Continue listening from here' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'player-works',
    path: `/items/${RECORDING}`,
    options,
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Continue/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Open the player' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Continue reading from here' }).waitFor();
    },
  },
  { name: 'settings-import', path: '/settings/import', whole: true },
  { name: 'settings-import-report', path: '/settings/import', act: check, whole: true },
  { name: 'settings-import-report-de', path: '/settings/import', act: check, whole: true, locale: 'de-DE' },
  { name: 'settings-account-export', path: '/settings/account', whole: true },
];
