/** Pictures of the players: films, sound and their queue. */
import { ALBUM, FILM, SERIAL } from '../../test/fake/world.mjs';
import { chooseSubtitles, openSheet, answer, lengthen } from './steps.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** @type {import('../shots.mjs').Shot[]} */
export const players = [
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
      await page
        .getByText(/Up next in/)
        .first()
        .waitFor();
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
    name: 'video-notice',
    path: '/items/191/open/19100',
    act: async (page) => page.getByRole('alert').waitFor(),
  },
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
