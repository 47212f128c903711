/** The player's queue as the user's queue on the server, for several devices. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ALBUM, FILM, SECOND_ALBUM } from '../../../web/test/fake/world.mjs';
import { keysWork, launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, settings) => withFake(browser, { playlists: 20 }, path, check, settings);
const dock = (page) => page.getByRole('region', { name: 'Player' });
const offer = (page) => page.getByRole('region', { name: 'Continue from another device' });
const conflict = (page) => page.getByRole('group', { name: 'Another device changed the queue' });
const playing = (page) =>
  page.evaluate(() => {
    const one = [...document.querySelectorAll('audio')].find(
      (element) => !element.paused && element.readyState >= 2,
    );
    return Number(/files\/(\d+)/.exec(one?.src ?? '')?.[1] ?? 0);
  });
const plays = (page, file) => until(`file ${file}`, async () => (await playing(page)) === file);
const toTheEnd = (page) =>
  page.evaluate(() => {
    const one = [...document.querySelectorAll('audio')].find(
      (element) => !element.paused && element.readyState >= 2,
    );
    one.currentTime = 59.7;
  });
const files = (fake) => fake.state.playlists.queue.entries.map(({ file }) => file.id);
const album = (id) => Array.from({ length: 6 }, (_, at) => id * 100 + at);
async function choose(page, name, action) {
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
const pageOf = (fake, id) => `${fake.url}/items/${id}`;

describe('the saved queue', () => {
  it('is written after changes, with few requests, and ends with the player', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      const { queue, queueWrites } = fake.state.playlists;
      await page.getByRole('button', { name: 'Listen' }).click();
      await plays(page, ALBUM * 100);
      await until('the album', () => files(fake).join() === album(ALBUM).join());
      await choose(page, 'More for Breakfast', 'Play next');
      await until('the entry', () => files(fake).at(-1) === ALBUM * 100 + 4 && files(fake).length === 7);
      await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
      await until('the track', () => queue.current === 1);
      await page.evaluate(() => (document.querySelector('audio:not([src=""])').currentTime = 20));
      await dock(page).getByRole('button', { name: 'Pause' }).click();
      await until('the position', () => queue.position >= 1 || queue.current === 1);
      assert.ok(queueWrites.length <= 6, `${queueWrites.length} writes`);
      assert.ok(queueWrites.slice(2).every((write) => !('files' in write)));
      await dock(page).getByRole('button', { name: 'Close player' }).click();
      await until('an empty queue', () => files(fake).length === 0);
    }));

  it('is offered on another device, continued there, and not offered again after a refusal', () =>
    withPage('/library/books', async (page, fake) => {
      fake.state.playlists.queueFromElsewhere({
        files: [18100, ...album(ALBUM), SECOND_ALBUM * 100 + 2],
        current: 2,
        position: 31,
      });
      await page.reload();
      await offer(page).getByText('The Carpet-Bag').waitFor();
      await offer(page).getByText('0:31').waitFor();
      assert.deepEqual(await violations(page), []);
      await offer(page).getByRole('button', { name: 'Do not continue' }).click();
      await page.reload();
      await keysWork(page);
      assert.equal(await offer(page).count(), 0);
      fake.state.playlists.queueFromElsewhere({
        files: [18100, ...album(ALBUM), SECOND_ALBUM * 100 + 2],
        current: 2,
        position: 32,
      });
      const { version } = fake.state.playlists.queue;
      await page.reload();
      await offer(page).getByRole('button', { name: 'Continue', exact: true }).click();
      await plays(page, ALBUM * 100 + 1);
      await dock(page)
        .getByText(/^0:3\d of 1:00$/)
        .waitFor();
      assert.equal(await offer(page).count(), 0);
      await dock(page)
        .getByRole('button', { name: /1 in the queue/ })
        .waitFor();
      assert.equal(fake.state.playlists.queue.version, version);
      // Played entries stay until the list changes.
      await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
      await until('the next track', () => fake.state.playlists.queue.current === 3);
      assert.equal(files(fake).length, 8);
    }));

  it('of another device replaces this one only after a question', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      const { queue, queueFromElsewhere } = fake.state.playlists;
      await page.getByRole('button', { name: 'Listen' }).click();
      await plays(page, ALBUM * 100);
      await until('the album', () => files(fake).length === 6);
      queueFromElsewhere({ files: album(SECOND_ALBUM), current: 3, position: 12 });
      await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
      await conflict(page).getByText('It plays The Counterpane, 0:12.').waitFor();
      assert.deepEqual(await violations(page), []);
      await plays(page, ALBUM * 100 + 1);
      await conflict(page).getByRole('button', { name: 'Keep this queue' }).click();
      await until('this queue', () => files(fake).join() === album(ALBUM).join() && queue.current === 1);
      assert.equal(await conflict(page).count(), 0);

      queueFromElsewhere({ files: album(SECOND_ALBUM), current: 3, position: 12 });
      await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
      await conflict(page).getByRole('button', { name: 'Use that queue' }).click();
      await plays(page, SECOND_ALBUM * 100 + 3);
      assert.equal(await conflict(page).count(), 0);
      assert.deepEqual(files(fake), album(SECOND_ALBUM));
    }));

  it('survives an outage, and a reload', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      await plays(page, ALBUM * 100);
      await until('the album', () => files(fake).length === 6);
      await page.route('**/api/v1/queue*', (route) => route.abort());
      await choose(page, 'More for Breakfast', 'Add to queue');
      await page.getByText('Added to the queue: Breakfast').waitFor();
      await page.unroute('**/api/v1/queue*');
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await until('the entry', () => files(fake).length === 7);
      const { version } = fake.state.playlists.queue;
      await page.goto(pageOf(fake, 1));
      await dock(page)
        .getByRole('button', { name: /1 in the queue/ })
        .waitFor();
      assert.equal(await offer(page).count(), 0);
      assert.equal(await conflict(page).count(), 0);
      assert.ok(fake.state.playlists.queue.version <= version + 2);
      assert.equal(files(fake).length, 7);
      // The last request of the closed page does not cause a conflict.
      await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
      await plays(page, ALBUM * 100);
      await page.evaluate(() => ([...document.querySelectorAll('audio')].at(0).currentTime = 25));
      await page.goto(pageOf(fake, 2));
      await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
      await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
      await until('the next track', () => fake.state.playlists.queue.current === 1);
      assert.equal(await conflict(page).count(), 0);
    }));

  it('stays if the user logs out', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      await until('the album', () => files(fake).length === 6);
      await page.goto(`${fake.url}/settings/account`);
      await dock(page).waitFor();
      await page.getByRole('button', { name: 'Log out' }).first().click();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      assert.equal(files(fake).length, 6);
    }));

  for (const width of [1440, 390])
    for (const theme of ['dark', 'light'])
      it(`is offered without violations, ${theme}, ${width} px`, () =>
        withPage(
          '/library',
          async (page, fake) => {
            fake.state.playlists.queueFromElsewhere({ files: album(ALBUM), current: 1, position: 31 });
            await page.reload();
            await offer(page).waitFor();
            assert.deepEqual(await violations(page), []);
            const low = await offer(page)
              .getByRole('button')
              .evaluateAll((all) =>
                all.map((one) => one.getBoundingClientRect().height).filter((h) => h < 44),
              );
            assert.deepEqual(low, []);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
          },
          { width, theme },
        ));
});

describe('a queue of sound and films', () => {
  it('opens a film on its page, and continues after it', () =>
    withPage('/playlists/1', async (page, fake) => {
      const [list] = fake.state.playlists.lists;
      const [film] = list.entries.splice(-1);
      list.entries.splice(1, 0, film);
      await page.reload();
      await page.getByRole('button', { name: 'Play all' }).click();
      await plays(page, 18100);
      await toTheEnd(page);
      await until('the film', () => page.url().includes(`/items/${FILM}/open/${FILM * 100}`));
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
      assert.equal(await playing(page), 0);
      await until('the film in the queue', () => fake.state.playlists.queue.current === 1);
      await page.evaluate(() => (document.querySelector('video').currentTime = 11.6));
      await plays(page, 18101);
      await until('the page before', () => page.url().endsWith('/playlists/1'));
      await dock(page).getByText('The Carpet-Bag', { exact: true }).waitFor();
    }));

  it('keeps a film that was left as the current entry', () =>
    withPage('/playlists/1', async (page) => {
      await page.getByRole('list', { name: 'Entries' }).locator('li b').first().waitFor();
      await page
        .getByRole('list', { name: 'Entries' })
        .getByRole('button', { name: /A Trip/ })
        .first()
        .click();
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1.2);
      await page.goBack();
      await dock(page).getByText('A Trip to the Moon').first().waitFor();
      await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
      await until('the film', () => page.url().includes(`/items/${FILM}/open/${FILM * 100}`));
    }));
});
