/** Playlists: their list, their entries in a changeable order, and the dialog that adds to them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ALBUM, FILM } from '../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, { playlists = 200, ...settings } = {}) =>
  withFake(browser, { playlists }, path, check, { width: 1440, ...settings });
const entries = (page) => page.getByRole('list', { name: 'Entries' });
const titles = (page) => entries(page).locator('li b').allTextContents();
const starts = (page, wanted) =>
  until(
    `the entries ${wanted}`,
    async () => (await titles(page)).slice(0, wanted.length).join() === wanted.join(),
  );
const order = (fake, list) =>
  fake.state.playlists.lists[list].entries.map(({ file }) => file.title ?? file.name);
async function choose(page, name, action) {
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
const dock = (page) => page.getByRole('region', { name: 'Player' });
const playing = (page) =>
  page.evaluate(() => {
    const one = [...document.querySelectorAll('audio')].find((element) => !element.paused);
    return Number(/files\/(\d+)/.exec(one?.src ?? '')?.[1] ?? 0);
  });
const plays = (page, file) => until(`file ${file}`, async () => (await playing(page)) === file);

describe('the list of playlists', () => {
  const cards = (page) => page.getByRole('list', { name: 'Playlists' }).locator('b').allTextContents();
  const shows = (page, names) =>
    until(`the playlists ${names}`, async () => (await cards(page)).join() === names.join());

  it('shows own and public ones, sorted, narrowed and searched, in the address', () =>
    withPage('/playlists', async (page) => {
      await shows(page, ['Autumn evenings', 'Empty shelf', 'Everything', 'Kitchen radio', 'Sea']);
      await page.getByText('by jonas').waitFor();
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Recently changed');
      await shows(page, ['Autumn evenings', 'Kitchen radio', 'Sea', 'Empty shelf', 'Everything']);
      await page.getByRole('button', { name: 'From others' }).click();
      await shows(page, ['Kitchen radio']);
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByRole('searchbox', { name: 'Search playlists' }).fill('sea');
      await shows(page, ['Sea']);
      assert.equal(new URL(page.url()).searchParams.get('q'), 'sea');
      await page.getByRole('searchbox', { name: 'Search playlists' }).fill('nothing like it');
      await page.getByRole('heading', { name: 'No matches' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await until('all of them', async () => (await cards(page)).length === 5);
    }));

  it('creates a playlist, and asks for its name', () =>
    withPage('/playlists', async (page) => {
      await page.getByRole('button', { name: 'New playlist' }).click();
      const dialog = page.getByRole('dialog', { name: 'New playlist' });
      await dialog.getByRole('button', { name: 'New playlist' }).click();
      await dialog.getByText('Enter a name.').waitFor();
      await dialog.getByLabel('Name').fill('Morning');
      await dialog.getByLabel('Description').fill('Before the first coffee.');
      await dialog.getByRole('checkbox', { name: /^Public/ }).check();
      await dialog.getByRole('button', { name: 'New playlist' }).click();
      await page.getByRole('heading', { level: 1, name: 'Morning' }).waitFor();
      await page.getByText('Before the first coffee.').waitFor();
      await page.getByRole('heading', { name: 'This playlist is empty' }).waitFor();
      await page.getByText('Public', { exact: true }).waitFor();
      const main = page.getByRole('navigation', { name: 'Main' });
      const link = main.getByRole('link', { name: 'Playlists' });
      assert.equal(await link.getAttribute('aria-current'), 'page');
      await link.click();
      await shows(page, ['Autumn evenings', 'Empty shelf', 'Everything', 'Kitchen radio', 'Morning', 'Sea']);
    }));

  it('says that there are none, and offers to create one', () =>
    withPage(
      '/playlists',
      async (page) => {
        await page.getByRole('heading', { name: 'No playlists yet' }).waitFor();
        await page.getByRole('button', { name: 'New playlist' }).last().click();
        await page.getByRole('dialog', { name: 'New playlist' }).waitFor();
      },
      { playlists: 0 },
    ));
});

describe('a playlist', () => {
  it('is played from its start, from an entry, and shuffled', () =>
    withPage('/playlists/1', async (page, fake) => {
      await page.getByRole('button', { name: 'Play all' }).click();
      await plays(page, 18100);
      await dock(page)
        .getByRole('button', { name: /12 in the queue/ })
        .waitFor();
      await until('the mark of the entry', () => entries(page).locator('[aria-current=true]').count());
      await entries(page).getByRole('button', { name: 'Breakfast' }).first().click();
      await plays(page, 18104);
      await dock(page)
        .getByRole('button', { name: /8 in the queue/ })
        .waitFor();
      await until('the queue on the server', () => fake.state.playlists.queue.entries.length >= 9);
      await page.getByRole('main').getByRole('button', { name: 'Shuffle' }).click();
      await until('another order', () => {
        const files = fake.state.playlists.queue.entries.map(({ file }) => file.id);
        return files.length === 13 && files.join() !== files.toSorted((a, b) => a - b).join();
      });
      const shuffle = dock(page).getByRole('button', { name: 'Shuffle' });
      assert.equal(await shuffle.getAttribute('aria-pressed'), 'true');
    }));

  it('is reordered by keys and menu, with announcements and the focus on the entry', () =>
    withPage('/playlists/1', async (page, fake) => {
      await starts(page, ['Loomings', 'The Carpet-Bag', 'The Spouter-Inn']);
      await entries(page).getByRole('button', { name: 'The Spouter-Inn' }).first().focus();
      await page.keyboard.press('Alt+ArrowUp');
      await starts(page, ['Loomings', 'The Spouter-Inn', 'The Carpet-Bag']);
      await page.getByRole('status').getByText('The Spouter-Inn: 2 of 13').waitFor({ state: 'attached' });
      await page.keyboard.press('Alt+ArrowUp');
      await starts(page, ['The Spouter-Inn', 'Loomings', 'The Carpet-Bag']);
      const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
      assert.match(await focused(), /The Spouter-Inn/);
      await choose(page, 'More for The Spouter-Inn', 'Move to the end');
      await until('the end', () => order(fake, 0).at(-1) === 'The Spouter-Inn');
      assert.match(await focused(), /The Spouter-Inn/);
      await page.reload();
      await starts(page, ['Loomings', 'The Carpet-Bag', 'The Counterpane']);
    }));

  it('is reordered by dragging', () =>
    withPage('/playlists/1', async (page, fake) => {
      await starts(page, ['Loomings', 'The Carpet-Bag', 'The Spouter-Inn']);
      const grips = entries(page).locator('.grip');
      const from = await grips.nth(0).boundingBox();
      const to = await grips.nth(2).boundingBox();
      await page.mouse.move(from.x + 10, from.y + 20);
      await page.mouse.down();
      await page.mouse.move(to.x + 10, to.y + 20, { steps: 8 });
      await starts(page, ['The Carpet-Bag', 'The Spouter-Inn', 'Loomings']);
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await starts(page, ['Loomings', 'The Carpet-Bag', 'The Spouter-Inn']);
      await page.mouse.move(from.x + 10, from.y + 20);
      await page.mouse.down();
      await page.mouse.move(to.x + 10, to.y + 20, { steps: 8 });
      await page.mouse.up();
      await starts(page, ['The Carpet-Bag', 'The Spouter-Inn', 'Loomings']);
      await until('the server', () => order(fake, 0)[2] === 'Loomings');
    }));

  it('is reordered by touch', () =>
    withPage(
      '/playlists/1',
      async (page, fake) => {
        await starts(page, ['Loomings', 'The Carpet-Bag']);
        const grips = entries(page).locator('.grip');
        await grips.nth(1).scrollIntoViewIfNeeded();
        const from = await grips.nth(0).boundingBox();
        const to = await grips.nth(1).boundingBox();
        const client = await page.context().newCDPSession(page);
        const touch = (type, y) =>
          client.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: type === 'touchEnd' ? [] : [{ x: from.x + 12, y }],
          });
        await touch('touchStart', from.y + 30);
        for (let step = 1; step <= 6; step += 1)
          await touch('touchMove', from.y + 30 + ((to.y - from.y) * step) / 6);
        await touch('touchEnd', 0);
        await starts(page, ['The Carpet-Bag', 'Loomings']);
        await until('the server', () => order(fake, 0)[0] === 'The Carpet-Bag');
      },
      { width: 390, hasTouch: true },
    ));

  it('loses entries, and gets them back', () =>
    withPage('/playlists/1', async (page, fake) => {
      await entries(page).getByRole('button', { name: 'The Carpet-Bag' }).first().focus();
      await page.keyboard.press('Delete');
      await starts(page, ['Loomings', 'The Spouter-Inn']);
      await until('the server', () => fake.state.playlists.lists[0].entries.length === 12);
      await page.getByText('12 entries', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await starts(page, ['Loomings', 'The Carpet-Bag', 'The Spouter-Inn']);
      await page.getByText('13 entries', { exact: true }).waitFor();
      await choose(page, 'More for Loomings', 'Remove from playlist');
      await starts(page, ['The Carpet-Bag', 'The Spouter-Inn']);
    }));

  it('shows the list of another device if a change conflicts', () =>
    withPage('/playlists/1', async (page, fake) => {
      await starts(page, ['Loomings', 'The Carpet-Bag']);
      const [list] = fake.state.playlists.lists;
      list.entries.reverse();
      list.version += 1;
      await choose(page, 'More for Loomings', 'Move down');
      await page.getByRole('alert').getByText('Another device changed this playlist.').waitFor();
      await starts(page, ['A Trip to the Moon']);
      await choose(page, 'More for A Trip to the Moon', 'Move down');
      await until('the next change', () => list.entries[1].file.id === FILM * 100);
      assert.equal(await page.getByRole('alert').count(), 0);
    }));

  it('is edited, also after a change elsewhere, exported and deleted', () =>
    withPage('/playlists/2', async (page, fake) => {
      await page.getByRole('heading', { level: 1, name: 'Sea' }).waitFor();
      await choose(page, 'More actions', 'Edit details');
      const dialog = page.getByRole('dialog', { name: 'Edit details' });
      await dialog.getByLabel('Name').fill('Open sea');
      fake.state.playlists.lists[1].version += 1;
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Another device changed this playlist meanwhile.').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Open sea' }).waitFor();
      const saved = page.waitForEvent('download');
      await choose(page, 'More actions', 'Download as .m3u8');
      assert.equal((await saved).suggestedFilename(), 'Open sea.m3u8');
      await choose(page, 'More actions', 'Delete playlist');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Playlists' }).waitFor();
      await page.getByText('Autumn evenings').first().waitFor();
      assert.equal(await page.getByText('Open sea').count(), 0);
    }));

  it('of another user offers no change', () =>
    withPage('/playlists/4', async (page) => {
      await page.getByText('by jonas', { exact: true }).waitFor();
      await entries(page).getByRole('button', { name: 'Loomings' }).first().waitFor();
      assert.equal(await entries(page).locator('.grip').count(), 0);
      await page.getByRole('button', { name: 'More for Loomings' }).first().click();
      assert.deepEqual(await page.getByRole('menuitem').allTextContents(), [
        'Play next',
        'Add to queue',
        'Add to playlist',
        'Go to item',
      ]);
    }));

  it('shows missing entries, and does not play them', () =>
    withFake(
      browser,
      { playlists: 20, missing: true },
      '/playlists/2',
      async (page) => {
        await entries(page).getByText('Missing').first().waitFor();
        const gone = entries(page).locator('li', { hasText: 'Missing' }).first();
        assert.equal(await gone.getByRole('button', { name: 'Play from here' }).count(), 0);
        assert.deepEqual(await violations(page), []);
      },
      { width: 1440 },
    ));

  it('of ten thousand entries fetches only visible pages, and moves entries through all of it', () =>
    withPage(
      '/playlists/5',
      async (page, fake) => {
        const asked = [];
        page.on('request', (request) => {
          if (request.url().includes('/entries')) asked.push(request.url());
        });
        await page.getByText('10,000 entries').waitFor();
        await entries(page).locator('li b').first().waitFor();
        assert.ok((await entries(page).locator('li').count()) < 60);
        const first = fake.state.playlists.lists[4].entries[0].id;
        await choose(page, 'More for Loomings', 'Move to the end');
        await until('the end of the list', () => fake.state.playlists.lists[4].entries.at(-1).id === first);
        await until('the last row', () => entries(page).locator('[aria-posinset="10000"] b').count());
        assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Loomings/);
        assert.ok(asked.length < 14, `${asked.length} requests`);
        assert.deepEqual(await violations(page), []);
      },
      { playlists: 10_000 },
    ));

  it('that does not exist shows that', () =>
    withPage('/playlists/77', async (page) => {
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }));
});

describe('the dialog that adds to a playlist', () => {
  const dialog = (page) => page.getByRole('dialog', { name: /^Add to playlist/ });

  it('adds an item without duplicates, and reports the result', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await choose(page, 'More actions', 'Add to playlist');
      await dialog(page).getByRole('button', { name: /^Sea/ }).click();
      await page.getByText('Added 6 entries to Sea.').last().waitFor();
      await choose(page, 'More actions', 'Add to playlist');
      assert.deepEqual(await violations(page), []);
      await dialog(page).getByRole('button', { name: /^Sea/ }).click();
      await page.getByText('Nothing was added: Sea contains it already.').last().waitFor();
      await choose(page, 'More actions', 'Add to playlist');
      await dialog(page)
        .getByRole('checkbox', { name: /^Skip files/ })
        .uncheck();
      await dialog(page).getByRole('button', { name: /^Sea/ }).click();
      await page.getByText('Added 6 entries to Sea.').last().waitFor();
      assert.equal(fake.state.playlists.lists[1].entries.length, 24);
      await page.getByRole('link', { name: 'Open', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Sea' }).waitFor();
      await page.getByText('24 entries').waitFor();
    }));

  it('adds a track to a new playlist, and a card to an existing one', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      await choose(page, 'More for Breakfast', 'Add to playlist');
      await dialog(page).getByLabel('Name of the new playlist').fill('First meals');
      await page.keyboard.press('Enter');
      await page.getByText('Added 1 entry to First meals.').last().waitFor();
      assert.deepEqual(order(fake, 5), ['Breakfast']);
      await page.goto(new URL('/library/video', page.url()).href);
      await page.getByRole('link', { name: /A Trip to the Moon/ }).hover();
      await choose(page, 'More for A Trip to the Moon', 'Add to playlist');
      await dialog(page)
        .getByRole('button', { name: /^First meals/ })
        .click();
      await page.getByText('Added 1 entry to First meals.').last().waitFor();
      assert.equal(fake.state.playlists.lists[5].entries.length, 2);
    }));

  it('searches many playlists, and opens from the player', () =>
    withPage(`/items/${ALBUM}`, async (page, fake) => {
      const { make, me } = fake.state.playlists;
      for (let n = 1; n <= 12; n += 1) make(`Number ${n}`, me(), []);
      await page.getByRole('button', { name: 'Listen' }).click();
      await plays(page, ALBUM * 100);
      await dock(page).getByRole('button', { name: 'Add to playlist' }).click();
      await dialog(page).getByRole('searchbox', { name: 'Search your playlists' }).fill('number 7');
      await until('one result', async () => (await dialog(page).getByRole('listitem').count()) === 1);
      await dialog(page)
        .getByRole('button', { name: /^Number 7/ })
        .click();
      await page.getByText('Added 1 entry to Number 7.').last().waitFor();
      await dock(page).getByRole('button', { name: 'Open the player' }).click();
      const sheet = page.getByRole('dialog', { name: 'Player' });
      await sheet.getByRole('button', { name: 'Add to playlist' }).click();
      await dialog(page)
        .getByRole('button', { name: /^Number 7/ })
        .click();
      await page.getByText('Nothing was added: Number 7 contains it already.').last().waitFor();
    }));

  it('reports a rejection, and stays open', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      await page.route('**/playlists/*/entries', (route) =>
        route.fulfill({
          status: 422,
          json: { error: { code: 'invalid', message: 'A list has at most 10000 entries.', field: 'items' } },
        }),
      );
      await choose(page, 'More actions', 'Add to playlist');
      await dialog(page).getByRole('button', { name: /^Sea/ }).click();
      await dialog(page).getByRole('alert').getByText('at most 10000 entries').waitFor();
    }));
});

for (const theme of ['dark', 'light'])
  for (const width of [1440, 390])
    it(`playlists have no violations and large targets, ${theme}, ${width} px`, () =>
      withPage(
        '/playlists',
        async (page) => {
          const narrow = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
          const low = () =>
            page
              .locator('main :is(button, select, input, a.btn)')
              .evaluateAll((all) =>
                all
                  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
                  .map((one) => one.outerHTML.slice(0, 100)),
              );
          await page.getByText('Kitchen radio').first().waitFor();
          assert.deepEqual(await violations(page), []);
          assert.ok(await narrow());
          assert.deepEqual(await low(), []);
          await page.getByRole('link', { name: /^Autumn evenings/ }).click();
          await entries(page).locator('li b').first().waitFor();
          assert.deepEqual(await violations(page), []);
          assert.ok(await narrow());
          assert.deepEqual(await low(), []);
          await choose(page, 'More actions', 'Edit details');
          await page.getByRole('dialog').waitFor();
          assert.deepEqual(await violations(page), []);
        },
        { theme, width, hasTouch: width === 390 },
      ));
