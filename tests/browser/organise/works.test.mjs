/** Forms of one title: side by side, linked by administrators, and continued in another form. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BOOK, RECORDING } from '../../../web/test/fake/titles/works.mjs';
import { launchBrowser, toldPlaces, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const at = (path, check, settings = {}, world = {}) =>
  withFake(browser, { works: true, ...world }, path, check, {
    width: 1440,
    ...settings,
  });
const WIDE = { url: '/wide.svg', width: 960, height: 400, tint: '#446688' };
const forms = (page) => page.getByRole('region', { name: 'Forms of this title' });
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const line = (page, text) =>
  page.waitForFunction((words) => {
    const frame = document.querySelector('foliate-view')?.renderer?.getContents?.()[0]?.doc;
    return frame?.body?.textContent?.includes(words);
  }, text);
const listen = (page) => page.getByRole('button', { name: 'Continue listening from here' });
const read = (page) => page.getByRole('button', { name: 'Continue reading from here' });
const player = (page) => page.getByRole('dialog', { name: 'Player' });

describe('the forms of a title', { concurrency: false }, () => {
  it('are side by side, and each leads to its page', () =>
    at(`/items/${BOOK}`, async (page) => {
      await forms(page).getByRole('listitem').nth(1).waitFor();
      const [audio, book] = await forms(page).getByRole('listitem').all();
      const boxes = await Promise.all([audio.boundingBox(), book.boundingBox()]);
      assert.equal(boxes[0].y, boxes[1].y);
      assert.equal(await book.locator('[aria-current=page]').count(), 1);
      await audio.getByRole('link').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/items/${RECORDING}`);
      await forms(page).waitFor();
    }));

  it('are absent from an item with one form', () =>
    at('/items/7', async (page) => {
      await page.getByRole('heading', { name: 'Details' }).waitFor();
      assert.equal(await forms(page).count(), 0);
    }));

  it('are linked by a search, and unlinked after a question', () =>
    at('/items/7', async (page, fake) => {
      await page.getByRole('button', { name: 'More actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Link another form…' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Link another form' });
      await dialog.getByRole('searchbox').fill('meditations');
      const link = dialog.getByRole('button', { name: /^Link: Meditations, / }).first();
      await link.press('Enter');
      await dialog.getByText(/^Linked: Meditations/).waitFor();
      await page.keyboard.press('Escape');
      await forms(page).getByRole('listitem').nth(1).waitFor();
      await forms(page)
        .getByRole('button', { name: /^Unlink: Meditations/ })
        .first()
        .click();
      const question = page.getByRole('dialog', { name: 'Unlink this form?' });
      await question.getByText('does not link it to these forms automatically again').waitFor();
      await question.getByRole('button', { name: 'Unlink' }).click();
      await forms(page).waitFor({ state: 'detached' });
      assert.equal((await fake.state.answer('GET', '/items/7', new URLSearchParams(), null)).body.work, null);
    }));

  it('cannot be linked by other users', () =>
    at(
      `/items/${BOOK}`,
      async (page) => {
        await forms(page).waitFor();
        assert.equal(
          await forms(page)
            .getByRole('button', { name: /Link|Unlink/ })
            .count(),
          0,
        );
        await page.getByRole('button', { name: 'More actions', exact: true }).click();
        await page.getByRole('menuitem').first().waitFor();
        assert.equal(await page.getByRole('menuitem', { name: 'Link another form…' }).count(), 0);
      },
      {},
      { role: 'user' },
    ));
});

describe('another form', { concurrency: false }, () => {
  it('plays from the position in the book', () =>
    at(`/items/${BOOK}/open/${BOOK * 100}?at=10`, async (page) => {
      await line(page, 'of chapter 11:');
      await listen(page).click();
      await page.waitForURL(`**/items/${RECORDING}`);
      // A quarter of six files of a minute.
      await page.waitForFunction(() => {
        const playing = [...document.querySelectorAll('audio')].find((audio) => !audio.paused);
        return (
          playing?.src.includes('/files/18201/') && playing.currentTime >= 30 && playing.currentTime < 40
        );
      });
    }));

  it('opens the book inside the section from the position of the recording', () =>
    at(`/items/${RECORDING}`, async (page, fake) => {
      const body = { file_id: RECORDING * 100 + 2, position: 30 };
      await fake.state.answer('DELETE', `/items/${RECORDING}/progress`, new URLSearchParams(), null);
      await fake.state.answer('PUT', `/items/${RECORDING}/progress`, new URLSearchParams(), body);
      await page.reload();
      await page
        .getByRole('button', { name: /^Continue chapter|^Continue/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Open the player' }).click();
      await read(player(page)).click();
      await page.waitForURL(`**/items/${BOOK}/open/${BOOK * 100}`);
      await line(page, 'of chapter 4:');
      assert.equal(
        await page.evaluate(() => [...document.querySelectorAll('audio')].every((one) => one.paused)),
        true,
      );
    }));

  it('opens at an estimated position only after a question', () =>
    at(
      `/items/${BOOK}/open/${BOOK * 100}?at=20`,
      async (page) => {
        await line(page, 'of chapter 21:');
        await listen(page).press('Enter');
        const question = page.getByRole('dialog', {
          name: 'Approximate position',
        });
        await question.getByText('estimated from the share of the whole: 50 %').waitFor();
        await page.keyboard.press('Escape');
        await question.waitFor({ state: 'detached' });
        assert.equal(new URL(page.url()).pathname, `/items/${BOOK}/open/${BOOK * 100}`);
        await listen(page).click();
        await question.getByRole('button', { name: 'Continue at 50 %' }).click();
        await page.waitForURL(`**/items/${RECORDING}`);
        await page.waitForFunction(() =>
          [...document.querySelectorAll('audio')].some((audio) => !audio.paused),
        );
      },
      {},
      { handover: 'fraction' },
    ));

  it('is offered by Continue, which shows only the newest form', () =>
    at('/', async (page) => {
      const title = page.getByRole('region', {
        name: 'Pick up where you left off',
      });
      await title.getByRole('heading', { name: 'Moby-Dick' }).waitFor();
      const shelf = page.getByRole('region', { name: 'Continue', exact: true });
      await shelf.getByRole('link').first().waitFor();
      assert.equal(await shelf.locator(`a[href="/items/${RECORDING}"]`).count(), 0);
      await title.getByRole('link', { name: /^Continue as / }).click();
      await page.waitForURL((url) => url.pathname !== '/');
    }));

  it('is offered once by its name, although it exists several times', () =>
    at('/', async (page) => {
      await page.route('**/api/v1/home*', async (route) => {
        const response = await route.fetch();
        const home = await response.json();
        const copies = [7, 8, 9].map((id) => ({ item_id: id, kind: 'books', subkind: null }));
        for (const entry of home.continue) entry.forms = [...copies, ...entry.forms, ...entry.forms];
        await route.fulfill({ response, json: home });
      });
      await page.reload();
      const links = page.getByRole('link', { name: /^Continue as / });
      await links.first().waitFor();
      assert.deepEqual(await links.allTextContents(), ['Continue as Audiobook']);
      // The next entry is a book as well: only others are offered.
      const shelf = page.getByRole('region', { name: 'Continue', exact: true });
      await shelf.getByRole('link').first().waitFor();
      const named = await shelf.getByText(/^Also as /).allTextContents();
      assert.deepEqual([...new Set(named)], ['Also as Book']);
      const most = await shelf
        .getByRole('link')
        .evaluateAll((all) => Math.max(...all.map((one) => one.querySelectorAll('.forms svg').length)));
      assert.equal(most, 1);
    }));

  it('has a cover that leaves room for its title, also a wide one', () =>
    at(`/items/${BOOK}`, async (page) => {
      await page.route(`**/api/v1/items/${BOOK}*`, async (route) => {
        const response = await route.fetch();
        const item = await response.json();
        for (const form of item.work.items) form.cover = { ...WIDE };
        await route.fulfill({ response, json: item });
      });
      await page.route('**/wide.svg*', (route) =>
        route.fulfill({
          contentType: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 10"><path d="M0 0h24v10H0z"/></svg>',
        }),
      );
      await page.reload();
      await forms(page).getByRole('listitem').nth(1).waitFor();
      for (const form of await forms(page).getByRole('listitem').all()) {
        const cover = await form.locator('.cover').boundingBox();
        const words = await form.locator('.words').boundingBox();
        assert.ok(cover.width <= 96 && words.width > cover.width, `${cover.width} ${words.width}`);
      }
    }));

  it('asks on its page if Continue knows only an estimate', () =>
    at(
      '/',
      async (page) => {
        await page.getByRole('link', { name: /^Continue as / }).click();
        const question = page.getByRole('dialog', {
          name: 'Approximate position',
        });
        await question.waitFor();
        assert.equal(new URL(page.url()).search, '');
      },
      {},
      { handover: 'fraction' },
    ));
});

describe('the position in a book', { concurrency: false }, () => {
  it('is sent with its place inside the section', () =>
    at(`/items/${BOOK}/open/${BOOK * 100}?at=2&within=0.5`, async (page) => {
      const told = toldPlaces(page);
      await line(page, 'of chapter 3:');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('button', { name: 'Back' }).click();
      await page.waitForURL(`**/items/${BOOK}`);
      const { position, within } = told.at(-1);
      assert.equal(position, 2);
      assert.ok(within > 0.5 && within < 1, `${within}`);
    }));
});

describe('pages about forms', { concurrency: false }, () => {
  const pages = {
    'the page of an item': [`/items/${BOOK}`, (page) => forms(page).waitFor()],
    'the dialog that links': [
      `/items/${BOOK}`,
      async (page) => {
        await forms(page).getByRole('button', { name: 'Link another form…' }).click();
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /^Link:/ })
          .first()
          .waitFor();
      },
    ],
    'the question about an estimate': [
      `/items/${BOOK}/open/${BOOK * 100}?at=20`,
      async (page) => {
        await line(page, 'of chapter 21:');
        await listen(page).click();
        await page.getByRole('dialog', { name: 'Approximate position' }).waitFor();
      },
    ],
    'the home page': ['/', (page) => page.getByRole('link', { name: /^Continue as / }).waitFor()],
    'the player': [
      `/items/${RECORDING}`,
      async (page) => {
        await page
          .getByRole('button', { name: /^Continue/ })
          .first()
          .click();
        await page.getByRole('button', { name: 'Open the player' }).click();
        await player(page).getByRole('button', { name: 'Continue reading from here' }).waitFor();
      },
    ],
  };
  for (const [name, [path, act]] of Object.entries(pages))
    it(`are accessible: ${name}`, async () => {
      for (const width of [1440, 390])
        for (const theme of ['dark', 'light'])
          await at(
            path,
            async (page) => {
              await act(page);
              assert.deepEqual(await violations(page), [], `${width} ${theme}`);
              assert.equal(await overflow(page), 0, `${width} ${theme}`);
            },
            { width, theme },
            { handover: 'fraction' },
          );
    });
});
