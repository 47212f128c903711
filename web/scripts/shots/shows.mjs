/** Screenshots of shows by season, and of series. */
import { RICH_ALBUM, RICH_FILM } from '../../test/fake/titles/metadata.mjs';
import { SHOW } from '../../test/fake/titles/shows.mjs';

/** @typedef {import('../shots.mjs').Shot} Shot */

const options = { show: 7 };
/** Metadata of providers. */
const rich = { ...options, metadata: true };
const path = `/items/${SHOW}`;

/** @type {Shot[]} */
export const shows = [
  { name: 'show', path, options },
  { name: 'show-whole', path, options, whole: true },
  { name: 'show-fresh', path, options: { ...options, fresh: true } },
  { name: 'show-missing', path: `${path}?season=3`, options, whole: true },
  { name: 'show-specials', path: `${path}?season=0`, options, whole: true },
  { name: 'show-de', path, options, locale: 'de-DE' },
  {
    name: 'show-marked',
    path,
    options,
    act: async (page) => {
      await page.getByRole('button', { name: 'Mark season watched' }).click();
      await page.getByText('5 episodes marked as watched.').waitFor();
    },
  },
  {
    name: 'show-menu',
    path,
    options,
    act: async (page) => {
      await page
        .getByRole('button', { name: /^More for S2 E1/ })
        .first()
        .click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'show-downloads',
    path,
    options,
    act: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Download', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'show-metadata', path, options: rich, whole: true },
  { name: 'film-metadata', path: `/items/${RICH_FILM}`, options: rich, whole: true },
  { name: 'album-metadata', path: `/items/${RICH_ALBUM}`, options: rich, whole: true },
  {
    name: 'person',
    path,
    options: rich,
    whole: true,
    act: async (page) => {
      await page.locator('a[href^="/people/"]').first().click();
      await page.getByRole('region', { name: 'Books' }).waitFor();
    },
  },
  { name: 'series-gaps', path: '/series/2', whole: true },
  { name: 'series-de', path: '/series/2', locale: 'de-DE' },
  { name: 'home-next', path: '/', options, whole: true },
];
