/** The queue over several items, against the stand-in server: adding, order, end, and reload. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ALBUM, SECOND_ALBUM } from '../../../../web/test/fake/world.mjs';
import { keysWork, launchBrowser, until, violations, withFake } from '../../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, settings) => withFake(browser, {}, path, check, settings);
const dock = (page) => page.getByRole('region', { name: 'Player' });
const sheet = (page) => page.getByRole('dialog', { name: 'Player' });
const rows = (page) => sheet(page).getByRole('list', { name: 'Queue' }).locator('li b');
const named = (page, titles) =>
  until(`the queue ${titles}`, async () => (await rows(page).allTextContents()).join() === titles.join());

/** Returns the playing file, once there is one. */
const sounding = (page) =>
  until('a sound', () =>
    page.evaluate(() => {
      const one = [...document.querySelectorAll('audio')].find(
        (element) => !element.paused && element.readyState >= 2,
      );
      return Number(/files\/(\d+)/.exec(one?.src ?? '')?.[1] ?? 0);
    }),
  );
const sounds = (page, file) => until(`file ${file} to sound`, async () => (await sounding(page)) === file);
/** Seeks to shortly before the end. */
const toTheEnd = (page) =>
  page.evaluate(() => {
    const one = [...document.querySelectorAll('audio')].find((element) => !element.paused);
    one.currentTime = 59.7;
  });
async function choose(page, name, action) {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}
async function openQueue(page) {
  await dock(page).getByRole('button', { name: 'Open the player' }).click();
  await sheet(page)
    .getByRole('button', { name: /^Queue/ })
    .click();
}

describe('playback queue', () => {
  it('accepts tracks, albums and search results, and plays them in order', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await choose(page, 'More for Breakfast', 'Add to queue');
      await sounds(page, ALBUM * 100 + 4);
      await dock(page).getByText('Breakfast', { exact: true }).waitFor();
      assert.equal(await dock(page).getByRole('button', { name: 'Next', exact: true }).isDisabled(), true);
      await choose(page, 'More for Loomings', 'Add to queue');
      await page.getByText('Added to the queue: Loomings').waitFor();
      await page.goto(`${fake.url}/search?q=sea+songs`);
      await page.getByRole('heading', { name: 'Audio' }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Sea Songs' }).hover();
      await choose(page, 'More for Sea Songs', 'Play next');
      await page.getByText('Plays next: Sea Songs').waitFor();
      await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
      await sounds(page, ALBUM * 100 + 4);
      await toTheEnd(page);
      await sounds(page, SECOND_ALBUM * 100);
      await dock(page).getByText('Sea Songs').first().waitFor();
      // To its last track, and beyond.
      for (let track = 1; track < 6; track += 1) {
        await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
        await sounds(page, SECOND_ALBUM * 100 + track);
      }
      await toTheEnd(page);
      await sounds(page, ALBUM * 100);
      await until('the places of both', () => {
        const ends = fake.state.written.filter(({ finished }) => finished).map(({ file_id }) => file_id);
        return [ALBUM * 100 + 4, SECOND_ALBUM * 100 + 5].every((file) => ends.includes(file));
      });
      assert.equal(fake.state.views, 3);
    }));

  it('is reordered by mouse and keyboard, shortened, restored, and started at any entry', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      for (const track of ['Loomings', 'Breakfast', 'The Street', 'The Counterpane'])
        await choose(page, `More for ${track}`, 'Add to queue');
      await sounds(page, ALBUM * 100);
      await openQueue(page);
      await named(page, ['Breakfast', 'The Street', 'The Counterpane']);
      assert.deepEqual(await violations(page), []);
      await sheet(page).getByRole('button', { name: 'Move up: The Counterpane' }).click();
      await named(page, ['Breakfast', 'The Counterpane', 'The Street']);
      await sheet(page).getByText('The Counterpane: 2 of 3').waitFor();
      await page.keyboard.press('Alt+ArrowUp');
      await named(page, ['The Counterpane', 'Breakfast', 'The Street']);
      await page.keyboard.press('Alt+ArrowDown');
      await page.keyboard.press('Alt+ArrowDown');
      await named(page, ['Breakfast', 'The Street', 'The Counterpane']);
      await page.keyboard.press('Delete');
      await named(page, ['Breakfast', 'The Street']);
      await sheet(page).getByRole('button', { name: 'Undo' }).click();
      await named(page, ['Breakfast', 'The Street', 'The Counterpane']);

      const grips = sheet(page).locator('.grip');
      const from = await grips.nth(2).boundingBox();
      const to = await grips.nth(0).boundingBox();
      await page.mouse.move(from.x + 10, from.y + 20);
      await page.mouse.down();
      await page.mouse.move(to.x + 10, to.y + 20, { steps: 8 });
      await page.mouse.up();
      await named(page, ['The Counterpane', 'Breakfast', 'The Street']);

      await sheet(page)
        .getByRole('button', { name: /^Breakfast/ })
        .click();
      await sounds(page, ALBUM * 100 + 4);
      await named(page, ['The Counterpane', 'The Street']);
      await sheet(page).getByRole('button', { name: 'Clear', exact: true }).click();
      await sheet(page).getByText('The queue is empty', { exact: true }).waitFor();
      assert.deepEqual(await violations(page), []);
      await sheet(page).getByRole('button', { name: 'Undo' }).press('Enter');
      await named(page, ['The Counterpane', 'The Street']);
    }));

  it('is restored paused at its position after a reload, without deleted items', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await choose(page, 'More for Loomings', 'Add to queue');
      await sounds(page, ALBUM * 100);
      await choose(page, 'More actions', 'Add to queue');
      for (const id of [181, SECOND_ALBUM]) {
        await page.goto(`${fake.url}/items/${id}`);
        await choose(page, 'More actions', 'Add to queue');
      }
      await dock(page)
        .getByRole('button', { name: /3 in the queue/ })
        .waitFor();
      await page.evaluate(() => (document.querySelector('audio').currentTime = 31));
      await page.route(`**/api/v1/items/${SECOND_ALBUM}?*`, (route) =>
        route.fulfill({ status: 404, json: { error: { code: 'not_found', message: 'No such item.' } } }),
      );
      await page.goto(`${fake.url}/library/audio`);
      await dock(page).getByText('Loomings', { exact: true }).waitFor();
      await dock(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
      assert.equal(fake.state.views, 1);
      await openQueue(page);
      await named(page, ['Low Lanterns', 'Goldberg Variations']);
      await page.keyboard.press('Escape');
      await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
      await sounds(page, ALBUM * 100);
      await dock(page).getByRole('button', { name: 'Close player' }).click();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Audio' }).waitFor();
      await page.getByRole('link', { name: /Low Lanterns/ }).waitFor();
      assert.equal(await dock(page).count(), 0);
    }));

  it('loads a long list in parts, as far as it is scrolled', () =>
    withPage('/library/books', async (page) => {
      const heard = [181, 182, ALBUM, 184, 185, SECOND_ALBUM, 187, 188, 189];
      const asked = [];
      page.on('request', (request) => {
        const item = /\/items\/(\d+)\?/.exec(request.url());
        if (item) asked.push(Number(item[1]));
      });
      await page.evaluate((items) => {
        const long = Array.from({ length: 100 }, (_, at) => items[at % items.length]);
        const kept = long.map((item) => ({ item, file: null, alone: false }));
        const [user] = Object.keys(sessionStorage).filter((name) => name.startsWith('ledge.queue.'));
        sessionStorage.setItem(user ?? 'ledge.queue.1', JSON.stringify(kept));
      }, heard);
      await page.reload();
      await dock(page)
        .getByRole('button', { name: /99 in the queue/ })
        .waitFor();
      await openQueue(page);
      await until('more than was fetched at first', async () => (await rows(page).count()) >= 15);
      const further = sheet(page).getByRole('button', { name: /^\d+ more$/ });
      await further.waitFor();
      assert.deepEqual(await violations(page), []);
      const before = await rows(page).count();
      assert.ok(before < 60, `${before} rows before anybody looked for more`);
      assert.ok(asked.length < 60, `${asked.length} requests`);
      await further.scrollIntoViewIfNeeded();
      await until('the next ones', async () => (await rows(page).count()) > before);

      await page.route('**/api/v1/items/*?*', (route) => route.fulfill({ status: 503, json: {} }));
      const reached = await rows(page).count();
      await further.press('Enter');
      await sheet(page).getByText('The server does not answer.', { exact: false }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.unroute('**/api/v1/items/*?*');
      await further.press('Enter');
      await until('the next ones, by hand', async () => (await rows(page).count()) > reached);
      await until('the last one', async () => {
        if ((await further.count()) > 0) await further.press('Enter').catch(() => {});
        return (await rows(page).count()) === 99;
      });
    }));

  it('adds the focused card with q; books show a message', () =>
    withPage('/library/audio', async (page, fake) => {
      await keysWork(page);
      await page.getByRole('link', { name: /Winterreise/ }).focus();
      await page.keyboard.press('q');
      await sounds(page, 188 * 100);
      await page.getByRole('link', { name: /Low Lanterns/ }).focus();
      await page.keyboard.press('q');
      await page.getByText('Added to the queue: Low Lanterns').waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Books/ }).click();
      // A new page takes the focus for its heading, once it is shown.
      const heading = page.getByRole('heading', { level: 1, name: 'Books' });
      await until('focus of the heading', () => heading.evaluate((it) => it === document.activeElement));
      await page
        .getByRole('link', { name: /^Cranford Elizabeth/ })
        .first()
        .focus();
      await page.keyboard.press('q');
      await page.getByText('No audio: Cranford').waitFor();
      assert.equal(fake.state.views, 1);
    }));

  for (const theme of ['dark', 'light'])
    it(`has no axe violation on a phone, ${theme}`, () =>
      withPage(
        '/search?q=songs',
        async (page) => {
          await choose(page, 'More for Sea Songs', 'Add to queue');
          await sounds(page, SECOND_ALBUM * 100);
          await choose(page, 'More for Sea Songs', 'Add to queue');
          assert.deepEqual(await violations(page), []);
          await openQueue(page);
          await named(page, ['Sea Songs']);
          assert.deepEqual(await violations(page), []);
          const wide = await page.evaluate(() => document.querySelector('dialog .sheet').scrollWidth);
          assert.ok(wide <= 390, `${wide} wide`);
        },
        { width: 390, hasTouch: true, theme },
      ));
});
