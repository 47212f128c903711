/** The home page, its keys, people, series and search, against the stand-in server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keysWork, launchBrowser, until, withFake } from '../harness.mjs';

let browser;

before(async () => (browser = await launchBrowser()));

after(() => browser?.close());

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

const text = (words) => (page) => page.getByText(words).first().waitFor();

const titles = (page, shelf) =>
  page.getByRole('region', { name: shelf }).getByRole('link').locator('b').allTextContents();

describe('home page', () => {
  it('shows the latest item first and the others on the shelf, with their progress', () =>
    withPage({}, '/', async (page) => {
      const hero = page.getByRole('region', { name: 'Pick up where you left off' });
      await hero.getByRole('heading', { name: 'Moby-Dick' }).waitFor();
      await hero.getByText('60 %').waitFor();
      assert.deepEqual(await titles(page, 'Continue'), ['Moby-Dick', 'Metropolis', 'Dracula', 'Meditations']);
      const shelf = page.getByRole('region', { name: 'Continue', exact: true });
      await shelf.getByText('Chapter 3 · 4 min left', { exact: true }).waitFor();
      await shelf.getByText('58 min left', { exact: true }).waitFor();
      await hero.getByRole('link', { name: 'Continue Moby-Dick' }).click();
      await page.waitForURL('**/items/6/open/600');
    }));

  it('shows the reason of each suggestion with the author or the name of the kind', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Suggestions' });
      await shelf.getByText('More by Jane Austen').waitFor();
      await shelf.getByText('More videos').first().waitFor();
    }));

  it('shows the reason why an item is not playable', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Most viewed' });
      await shelf.getByRole('link', { name: /Does not play: MPEG-4 ASP/ }).waitFor();
    }));

  it('moves along a shelf with the arrow keys and scrolls it', () =>
    withPage({}, '/', async (page) => {
      const links = page
        .getByRole('region', { name: 'Books' })
        .getByRole('link')
        .filter({ has: page.locator('b') });
      await links.first().focus();
      for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
      const name = await links.nth(12).locator('b').textContent();
      assert.equal(await page.evaluate(() => document.activeElement?.querySelector('b')?.textContent), name);
      assert.ok(await links.nth(12).evaluate((link) => link.closest('.shelf').scrollLeft > 0));
      await page.getByRole('button', { name: 'Scroll back: Books' }).waitFor();
    }));

  it('reloads the Explore shelf with other items', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Explore' });
      await shelf.getByRole('link').first().waitFor();
      const before = await titles(page, 'Explore');
      assert.ok(before.length > 5);
      await page.getByRole('button', { name: 'Shuffle' }).click();
      await until('it to come so far', async () => {
        const now = await titles(page, 'Explore');
        return now.length > 5 && now.join() !== before.join();
      });
    }));
});

describe('keyboard shortcuts', () => {
  const focused = (page) =>
    page.evaluate(() => {
      const one = document.activeElement;
      return {
        href: one?.getAttribute('href') ?? null,
        where: one?.closest('nav, .shelf, ul, section')?.tagName ?? null,
      };
    });

  it('move the focus by arrows between rail and shelves, and open pages by letters', () =>
    withPage({}, '/', async (page) => {
      await text('Recently added')(page);
      const cards = page.getByRole('region', { name: 'Continue', exact: true }).getByRole('link');
      await cards.first().focus();
      const first = await focused(page);
      await page.keyboard.press('ArrowRight');
      const second = await focused(page);
      assert.notEqual(second.href, first.href);
      await page.keyboard.press('ArrowDown');
      const lower = await focused(page);
      assert.notEqual(lower.href, second.href);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Home');
      assert.deepEqual(await focused(page), first);
      await page.keyboard.press('ArrowLeft');
      assert.equal((await focused(page)).where, 'NAV');
      await page.keyboard.press('ArrowRight');
      assert.notEqual((await focused(page)).where, 'NAV');
      await page.keyboard.press('g');
      await page.keyboard.press('f');
      await page.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
      await page.keyboard.press('Backspace');
      await text('Recently added')(page);
      await page.keyboard.press('g');
      await page.keyboard.press('l');
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await text('Recently added')(page);
    }));

  it('toggle the favourite of the focused card and of the page', () =>
    withPage({}, '/library/books', async (page) => {
      await page
        .getByRole('link', { name: /^Anna Karenina Leo/ })
        .first()
        .focus();
      await keysWork(page);
      await page.keyboard.press('f');
      await page.getByText('Added to favourites: Anna Karenina').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
      await page.keyboard.press('f');
      await page.locator('button[aria-pressed=false]', { hasText: 'Favourite' }).waitFor();
    }));

  it('are letters in a text field', () =>
    withPage({}, '/', async (page) => {
      await text('Recently added')(page);
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('ghf');
      await page.keyboard.press('Backspace');
      assert.equal(await page.getByRole('searchbox').inputValue(), 'gh');
    }));
});

describe('search', () => {
  it('opens with a slash, shows results during input, and keeps the text in the address', () =>
    withPage({}, '/library', async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('moby', { delay: 60 });
      await page.getByText('7 results').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'moby');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');
      await page.getByRole('heading', { level: 2, name: 'Books' }).waitFor();
      await page.getByRole('list', { name: 'Audio' }).getByRole('link').first().click();
      await page.getByRole('heading', { level: 1, name: 'Moby-Dick' }).waitFor();
      await page.goBack();
      await page.getByText('7 results').waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), 'moby');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), '');
    }));

  it('ignores a late response to an earlier text', () =>
    withPage({}, '/search', async (page, fake) => {
      const field = page.getByRole('searchbox');
      const isEarlier = (url) => url.pathname.endsWith('/search') && url.searchParams.get('q') === 'mo';
      const release = fake.hold(isEarlier);
      const asked = page.waitForRequest((request) => isEarlier(new URL(request.url())));
      const cancelled = page.waitForEvent('requestfailed', (request) => isEarlier(new URL(request.url())));
      await field.fill('mo');
      await asked;
      await field.fill('harebell');
      await page.getByText('1 result', { exact: true }).waitFor();
      await cancelled;
      release();
      await page.getByRole('link', { name: /Harebell/ }).waitFor();
    }));

  it('opens with Ctrl+K outside fields, but not over a dialog', () =>
    withPage({}, '/series', async (page) => {
      await page.getByRole('searchbox', { name: 'Filter by name' }).focus();
      await page.keyboard.press('Control+k');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');
      await page.goto(`${new URL(page.url()).origin}/items/182`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Progress history' }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
      await page.keyboard.press('Control+k');
      assert.notEqual(await page.evaluate(() => document.activeElement?.id), 'search');
    }));

  it('does not return after the user opened another page', () =>
    withPage({}, '/library', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      await page.clock.install();
      await page.evaluate(() => {
        const field = document.getElementById('search');
        field.value = 'moby';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        document.querySelector('nav a[href="/history"]').click();
      });
      await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
      await page.clock.runFor(2000);
      assert.equal(new URL(page.url()).pathname, '/history');
      assert.equal(await page.getByRole('searchbox').inputValue(), '');
    }));

  it('shows if each result is playable', () =>
    withPage({}, '/search?q=sintel', async (page) => {
      await page.getByRole('link', { name: /Sintel.*Does not play: MPEG-4 ASP/ }).waitFor();
    }));

  it('filters by kind, stores successful searches, and is cleared with Escape', () =>
    withPage({}, '/search?q=moby', async (page) => {
      await page.getByRole('button', { name: 'Audio 1' }).click();
      await page.getByText('1 result', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Moby-Dick/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Moby-Dick' }).waitFor();
      await page.goBack();
      await page.getByRole('searchbox').press('Escape');
      await page.getByRole('list').getByRole('link', { name: 'moby' }).waitFor();
    }));
});

describe('people and series', () => {
  it('are found by a part of the name, and have a shelf of their items in each form', () =>
    withPage({}, '/library/books', async (page) => {
      await page.getByRole('link', { name: 'People' }).click();
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('melv');
      await page.getByRole('status').getByText('1', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Herman Melville/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Herman Melville' }).waitFor();
      const shelf = (name) => page.getByRole('region', { name, exact: true });
      await shelf('Books')
        .getByRole('link', { name: /Moby-Dick, volume 2/ })
        .waitFor();
      await shelf('Audiobooks').waitFor();
      assert.equal(await shelf('Audiobooks').getByRole('link').count(), 1);
    }));

  it('are linked on the page of an item, with the series in order', () =>
    withPage({}, '/items/1', async (page) => {
      const shelf = page.getByRole('region', { name: 'Emma', exact: true });
      await shelf.getByText('This one').waitFor();
      const names = await shelf.getByRole('link', { name: /Emma/ }).locator('b').allTextContents();
      assert.deepEqual(names.slice(0, 3), ['Emma', 'Emma, volume 2', 'Emma, volume 3']);
      await page.getByRole('link', { name: 'Show all: Emma' }).click();
      await page.getByRole('heading', { level: 1, name: 'Emma' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Jane Austen', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Jane Austen' }).waitFor();
    }));

  it('show a message if they do not exist', () =>
    withPage({}, '/people/9999', async (page) => {
      await page.getByText('Page not found').waitFor();
      await page.goto(`${new URL(page.url()).origin}/series/nonsense`);
      await page.getByText('Page not found').waitFor();
    }));
});
