/** Screenshots of playlists, collections, and the queue of another device. */
import { ALBUM } from '../../test/fake/world.mjs';

/** @typedef {import('../shots.mjs').Shot} Shot */
/** @typedef {import('playwright-core').Page} Page */

const options = { playlists: 200 };

/** @param {Page} page @param {string} action */
async function choose(page, action) {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  await page.getByRole('dialog').waitFor();
}

/** @type {Shot[]} */
export const organised = [
  { name: 'playlists', path: '/playlists', options },
  { name: 'playlists-none', path: '/playlists' },
  { name: 'playlists-de', path: '/playlists', options, locale: 'de-DE' },
  { name: 'playlist', path: '/playlists/1', options },
  { name: 'playlist-de', path: '/playlists/1', options, locale: 'de-DE' },
  {
    name: 'playlist-empty',
    path: '/playlists/3',
    options,
    act: (page) => page.getByText('This playlist is empty').waitFor(),
  },
  { name: 'playlist-other', path: '/playlists/4', options },
  { name: 'playlist-missing', path: '/playlists/2', options: { ...options, missing: true }, whole: true },
  { name: 'playlist-edit', path: '/playlists/1', options, act: (page) => choose(page, 'Edit details') },
  { name: 'playlist-delete', path: '/playlists/1', options, act: (page) => choose(page, 'Delete playlist') },
  { name: 'playlist-add', path: `/items/${ALBUM}`, options, act: (page) => choose(page, 'Add to playlist') },
  {
    name: 'playlist-playing',
    path: '/playlists/1',
    options,
    act: async (page) => {
      await page.getByRole('button', { name: 'Play all' }).click();
      await page.getByRole('region', { name: 'Player' }).waitFor();
    },
  },
  { name: 'collections', path: '/collections', options: { collections: 80 } },
  { name: 'collection', path: '/collections/1', options: { collections: 80 } },
  { name: 'collection-rule', path: '/collections/2/rule', options: { collections: 80 }, whole: true },
  { name: 'collection-new', path: '/collections/new', whole: true },
  {
    name: 'queue-offer',
    path: '/library',
    before: async (_, fake) =>
      fake.state.playlists.queueFromElsewhere({
        files: [ALBUM * 100, ALBUM * 100 + 1],
        current: 1,
        position: 31,
      }),
    act: async (page) => page.getByRole('region', { name: 'Continue from another device' }).waitFor(),
  },
  {
    name: 'queue-conflict',
    path: `/items/${ALBUM}`,
    act: async (page, fake) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      const player = page.getByRole('region', { name: 'Player' });
      await player
        .getByText(/^0:0[1-9] of/)
        .first()
        .waitFor({ state: 'attached' });
      fake.state.playlists.queueFromElsewhere({ files: [18600, 18601], current: 1, position: 12 });
      await player.getByRole('button', { name: 'Next', exact: true }).click();
      await page.getByRole('group', { name: 'Another device changed the queue' }).waitFor();
    },
  },
];
