/** Collections: their list, their items in a changeable order, the editor of rules, and the ways to fill one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, { collections = 180, ...settings } = {}) =>
  withFake(browser, { collections, playlists: 20 }, path, check, { width: 1440, ...settings });
const grid = (page, name) => page.getByRole('list', { name, exact: true });
const titles = (page, name) => grid(page, name).locator('li b').allTextContents();
const starts = (page, name, wanted) =>
  until(
    `the items ${wanted}`,
    async () => (await titles(page, name)).slice(0, wanted.length).join() === wanted.join(),
  );
async function choose(page, name, action) {
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}
const SEA = 'Sea voyages';
const preview = (page) => page.getByRole('region', { name: 'Preview' });
const previewIs = (page, text) =>
  preview(page).getByRole('status').getByText(text, { exact: true }).waitFor();

describe('the list of collections', () => {
  const cards = (page) => page.getByRole('list', { name: 'Collections' }).locator('b').allTextContents();
  const shows = (page, names) =>
    until(`the collections ${names}`, async () => (await cards(page)).join() === names.join());

  it('shows own and public ones, searched and narrowed, and creates a manual one', () =>
    withPage('/collections', async (page) => {
      await shows(page, ['Empty shelf', 'Everything', 'Old films', 'Rated well', SEA]);
      await page.getByText('by jonas').waitFor();
      await page.getByText('Smart collection').first().waitFor();
      await page.getByRole('button', { name: 'From others' }).click();
      await shows(page, ['Old films']);
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByRole('searchbox', { name: 'Search collections' }).fill('sea');
      await shows(page, [SEA]);
      await page.getByRole('button', { name: 'New collection' }).click();
      const dialog = page.getByRole('dialog', { name: 'New collection' });
      await dialog.getByLabel('Name').fill('Winter');
      await dialog.getByRole('button', { name: 'New collection' }).click();
      await page.getByRole('heading', { level: 1, name: 'Winter' }).waitFor();
      await page.getByRole('heading', { name: 'This collection is empty' }).waitFor();
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Collections' });
      assert.equal(await link.getAttribute('aria-current'), 'page');
    }));
});

describe('a manual collection', () => {
  const order = (fake) => fake.state.collections.lists[0].items;

  it('is reordered by keys and menu, with the focus on the item', () =>
    withPage('/collections/1', async (page, fake) => {
      await starts(page, SEA, ['Moby-Dick', 'Moby-Dick', 'Metropolis']);
      await grid(page, SEA).getByRole('link', { name: 'Metropolis' }).focus();
      await page.keyboard.press('Alt+ArrowLeft');
      await starts(page, SEA, ['Moby-Dick', 'Metropolis', 'Moby-Dick']);
      await page.getByRole('status').getByText('Metropolis: 2 of 6').waitFor({ state: 'attached' });
      await until('the server', () => order(fake)[1] === 190);
      assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Metropolis/);
      await choose(page, 'More for Metropolis', 'Move to the end');
      await until('the end', () => order(fake).at(-1) === 190);
      await page.keyboard.press('Alt+ArrowUp');
      await until('the row above', () => order(fake)[0] === 190);
    }));

  it('is reordered by dragging', () =>
    withPage('/collections/1', async (page, fake) => {
      await starts(page, SEA, ['Moby-Dick', 'Moby-Dick', 'Metropolis']);
      const grip = grid(page, SEA).locator('.grip');
      await grip.nth(2).scrollIntoViewIfNeeded();
      const from = await grip.nth(2).boundingBox();
      const to = await grip.nth(0).boundingBox();
      await page.mouse.move(from.x + 20, from.y + 20);
      await page.mouse.down();
      await page.mouse.move(to.x + 20, to.y + 20, { steps: 8 });
      await starts(page, SEA, ['Metropolis', 'Moby-Dick', 'Moby-Dick']);
      await page.mouse.up();
      await until('the server', () => order(fake)[0] === 190);
    }));

  it('is reordered by touch', () =>
    withPage(
      '/collections/1',
      async (page, fake) => {
        const grip = grid(page, SEA).locator('.grip');
        await grip.nth(1).scrollIntoViewIfNeeded();
        const from = await grip.nth(0).boundingBox();
        const to = await grip.nth(1).boundingBox();
        const client = await page.context().newCDPSession(page);
        const touch = (type, x) =>
          client.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: type === 'touchEnd' ? [] : [{ x, y: from.y + 22 }],
          });
        await touch('touchStart', from.x + 22);
        for (let step = 1; step <= 6; step += 1)
          await touch('touchMove', from.x + 22 + ((to.x - from.x) * step) / 6);
        await touch('touchEnd', 0);
        await until('the server', () => order(fake)[1] === 6);
      },
      { width: 390, hasTouch: true },
    ));

  it('keeps the focus when the note of a removed item disappears', () =>
    withPage('/collections/1', async (page, fake) => {
      await starts(page, SEA, ['Moby-Dick', 'Moby-Dick', 'Metropolis']);
      const isInList = () => grid(page, SEA).evaluate((list) => list.contains(document.activeElement));
      for (const name of ['Undo', 'Close']) {
        await choose(page, 'More for Metropolis', 'Remove from collection');
        await page.getByRole('button', { name, exact: true }).click();
        await until('the focus in the list', isInList);
      }
      await until('the server', () => order(fake).length === 5);
    }));

  it('loses items and gets them back, and shows a conflict', () =>
    withPage('/collections/1', async (page, fake) => {
      await starts(page, SEA, ['Moby-Dick', 'Moby-Dick', 'Metropolis']);
      await choose(page, 'More for Metropolis', 'Remove from collection');
      await until('the server', () => order(fake).length === 5);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until('the item', () => order(fake)[2] === 190);
      await starts(page, SEA, ['Moby-Dick', 'Moby-Dick', 'Metropolis']);
      fake.state.collections.lists[0].items.reverse();
      fake.state.collections.lists[0].version += 1;
      await choose(page, 'More for Metropolis', 'Move to the start');
      await page.getByRole('alert').getByText('Another device changed this collection.').waitFor();
      await starts(page, SEA, ['Frankenstein']);
    }));

  it('is sorted without being changeable, edited and deleted', () =>
    withPage('/collections/1', async (page) => {
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Title');
      await starts(page, SEA, ['Frankenstein', 'Metropolis']);
      assert.equal(await grid(page, SEA).locator('.grip').count(), 0);
      await choose(page, 'More actions', 'Edit details');
      const dialog = page.getByRole('dialog', { name: 'Edit details' });
      await dialog.getByLabel('Name').fill('Open sea');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Open sea' }).waitFor();
      await choose(page, 'More actions', 'Delete collection');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
      await page.getByText('Everything').first().waitFor();
      assert.equal(await page.getByText('Open sea').count(), 0);
    }));
});

describe('a smart collection', () => {
  it('of another user has no rule and no actions', () =>
    withPage('/collections/4', async (page) => {
      await grid(page, 'Old films').getByRole('link', { name: 'Metropolis' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Edit rule' }).count(), 0);
      assert.equal(await page.getByRole('button', { name: 'More actions' }).count(), 0);
      await page.goto(new URL('/collections/4/rule', page.url()).href);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }));

  it('is created with conditions, groups and a preview', () =>
    withPage('/collections/new', async (page, fake) => {
      await previewIs(page, '206 items');
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Field of condition 1').selectOption('Media type');
      await page.getByLabel('Media type', { exact: true }).selectOption('Videos');
      await previewIs(page, '8 items');
      await page.getByRole('button', { name: 'Add group' }).click();
      await page.getByLabel('Field of condition 2.1').selectOption('Year');
      await page.getByLabel('Year', { exact: true }).fill('2009');
      await previewIs(page, '2 items');
      await page.getByRole('button', { name: 'Add condition' }).first().click();
      await page.getByLabel('Field of condition 2.2').selectOption('Title');
      await page.getByLabel('Comparison of condition 2.2').selectOption('is one of');
      const values = page.getByLabel('Add a value: Title');
      await values.pressSequentially('M, Dracula');
      await values.press('Enter');
      await page.getByRole('button', { name: 'Remove M, Dracula' }).click();
      await values.fill('Nosferatu');
      await values.press('Enter');
      await page.getByRole('button', { name: 'Remove Nosferatu' }).waitFor();
      await previewIs(page, '3 items');
      await page.getByRole('button', { name: 'Save collection' }).click();
      await page.getByText('Enter a name.').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Films');
      await page.getByRole('button', { name: 'Save collection' }).click();
      await page.getByRole('heading', { level: 1, name: 'Films' }).waitFor();
      assert.deepEqual(fake.state.collections.lists.at(-1).rule, {
        all: [
          { field: 'kind', op: 'is', value: 'video' },
          {
            any: [
              { field: 'year', op: 'greater', value: 2009 },
              { field: 'title', op: 'one_of', value: ['Nosferatu'] },
            ],
          },
        ],
        ...{ sort: 'title', order: 'asc' },
      });
    }));

  it('shows its problems at their conditions, and those of the server', () =>
    withPage('/collections/2/rule', async (page) => {
      await previewIs(page, '6 items');
      await page.getByLabel('Year: from').fill('1995');
      const row = page.getByRole('group', { name: 'Condition 2.2' });
      await row.getByText('The first year is later than the last year.').waitFor();
      await page.getByText('From the last rule without errors.').waitFor();
      await page.getByText('Fix 1 problem to save').first().waitFor();
      assert.deepEqual(await violations(page), []);
      await row.getByRole('button', { name: 'Swap' }).click();
      await until('no problem', async () => (await page.getByText('Fix 1 problem').count()) === 0);
      await page.getByLabel('Field of condition 1').selectOption('Codec');
      await page.getByLabel('Codec', { exact: true }).fill('refused');
      await page.getByRole('group', { name: 'Condition 1' }).getByText('This codec is not known.').waitFor();
      assert.equal(await page.getByLabel('Codec', { exact: true }).getAttribute('aria-invalid'), 'true');
      await page.getByRole('button', { name: 'Remove condition 1' }).click();
      await until('the preview', async () => (await page.getByText('This codec').count()) === 0);
    }));

  it('asks before changes are lost, and saves after a conflict', () =>
    withPage('/collections/2/rule', async (page, fake) => {
      await previewIs(page, '6 items');
      await page.getByLabel('Limit').fill('3');
      await previewIs(page, '3 items');
      await page.getByRole('link', { name: 'Cancel' }).click();
      const question = page.getByRole('dialog', { name: 'Discard your changes?' });
      await question.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await question.getByRole('button', { name: 'Cancel' }).click();
      fake.state.collections.lists[1].version += 1;
      await page.getByRole('button', { name: 'Save collection' }).click();
      await page.getByRole('alert').getByText('Another device changed this collection meanwhile.').waitFor();
      await page.getByRole('button', { name: 'Save collection' }).click();
      await page.getByRole('heading', { level: 1, name: 'Rated well' }).waitFor();
      assert.equal(fake.state.collections.lists[1].rule.limit, 3);
      await until('the items', async () => (await titles(page, 'Rated well')).length === 3);
    }));

  it('loads the version of another device after a conflict', () =>
    withPage('/collections/2/rule', async (page, fake) => {
      await previewIs(page, '6 items');
      await page.getByLabel('Limit').fill('3');
      const [, list] = fake.state.collections.lists;
      Object.assign(list, { version: list.version + 1, rule: { ...list.rule, limit: 2 } });
      await page.getByRole('button', { name: 'Save collection' }).click();
      await page.getByRole('button', { name: 'Load the other version' }).click();
      assert.equal(await page.getByLabel('Limit').inputValue(), '2');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByRole('heading', { level: 1, name: list.name }).waitFor();
    }));

  it('shows only the response to its latest rule', () =>
    withPage('/collections/new', async (page, fake) => {
      await previewIs(page, '206 items');
      const release = fake.hold(({ pathname }) => pathname.endsWith('/preview'));
      await page.getByLabel('Limit').fill('5');
      await until('the first request', () => page.locator('#preview[aria-busy=true]').count());
      await page.getByLabel('Limit').fill('9');
      await page.waitForRequest((request) => (request.postData() ?? '').includes('"limit":9'));
      release();
      await previewIs(page, '9 items');
    }));
});

describe('an item', () => {
  it('is added to a collection from its menu', () =>
    withPage('/library/books', async (page, fake) => {
      await page
        .getByRole('link', { name: /Anna Karenina/ })
        .first()
        .hover();
      await choose(page, 'More for Anna Karenina', 'Add to collection');
      const dialog = page.getByRole('dialog', { name: /^Add to collection: Anna Karenina/ });
      assert.equal(await dialog.getByText('Rated well').count(), 0);
      await dialog.getByRole('button', { name: /Sea voyages/ }).click();
      await page.getByRole('link', { name: 'Open' }).waitFor();
      assert.equal(fake.state.collections.lists[0].items.length, 7);
      await page.getByRole('link', { name: 'Open' }).click();
      await page.getByText('7 items').waitFor();
    }));

  it('with a timeline goes to a playlist or to a collection', () =>
    withPage('/items/182', async (page, fake) => {
      await choose(page, 'More actions', 'Add to playlist');
      await page.getByRole('dialog').getByRole('button', { name: 'Collections' }).click();
      const dialog = page.getByRole('dialog', { name: /^Add to collection/ });
      await dialog.getByLabel('Name of the new collection').fill('Whales');
      await dialog.getByRole('button', { name: 'Create and add' }).click();
      await until('the collection', () => fake.state.collections.lists.at(-1).name === 'Whales');
      assert.deepEqual(fake.state.collections.lists.at(-1).items, [182]);
    }));
});

it('saves the filters of a list as a rule', () =>
  withPage('/library/books?genre=2&rating_min=5&year_from=1800', async (page) => {
    await page.getByRole('button', { name: 'Filters' }).first().click();
    await page.getByRole('button', { name: 'Save as collection' }).click();
    await page.getByRole('heading', { level: 1, name: 'New smart collection' }).waitFor();
    await until('the genre', async () => (await page.getByLabel('Genre', { exact: true }).count()) === 1);
    assert.equal(await page.getByLabel('Media type', { exact: true }).inputValue(), 'books');
    assert.equal(await page.getByLabel('Genre', { exact: true }).inputValue(), 'Gothic fiction');
    assert.equal(await page.getByLabel('Year', { exact: true }).inputValue(), '1799');
    assert.equal(await page.getByLabel('My rating', { exact: true }).inputValue(), '4');
  }));

describe('the pages of collections', () => {
  for (const width of [1440, 390])
    it(`have no violation of accessibility rules at ${width} px, and fit`, () =>
      withPage(
        '/collections',
        async (page) => {
          for (const [path, name] of [
            ['/collections', 'Collections'],
            ['/collections/1', SEA],
            ['/collections/2', 'Rated well'],
            ['/collections/2/rule', 'Edit smart collection'],
          ]) {
            await page.goto(new URL(path, page.url()).href);
            await page.getByRole('heading', { level: 1, name }).waitFor();
            await page.locator('main li').first().waitFor();
            assert.deepEqual(await violations(page), [], path);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
          }
          const targets = page.locator('.rule :is(button, select, input:not([type=radio]), label)');
          const sizes = await targets.evaluateAll((all) =>
            all.map((one) => one.getBoundingClientRect().height),
          );
          assert.ok(sizes.length > 12 && sizes.every((height) => height >= 44), sizes.join());
        },
        { width },
      ));
});
