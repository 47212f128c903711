/** The search: corrections, exact matches, suggestions, and groups of names. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const at = (path, check, settings = {}, world = {}) => withFake(browser, world, path, check, settings);
const cards = (page) => page.locator('main section li a[href^="/items/"]');
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('a search', { concurrency: false }, () => {
  it('runs while the user types, and corrects a misspelled word', () =>
    at('/', async (page) => {
      const field = page.getByRole('searchbox').first();
      await field.pressSequentially('frankenstien');
      await page.getByText('Showing results for “frankenstein”.').waitFor();
      await cards(page).first().waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'frankenstien');
      assert.equal(await field.inputValue(), 'frankenstien');
    }));

  it('keeps the field and its text while the first page and the page of results arrive', () =>
    at('/', async (page) => {
      const held = { Home: [], Search: [] };
      await page.route(/\/assets\/(Home|Search)-[^/]+\.js$/, (route) => {
        held[route.request().url().includes('/Home-') ? 'Home' : 'Search'].push(route);
      });
      const release = async (name) => {
        await until(`a request for ${name}`, () => held[name].length > 0);
        await Promise.all(held[name].map((route) => route.continue()));
      };
      await page.reload();
      const field = page.getByRole('searchbox').first();
      await field.pressSequentially('frank');
      await release('Home');
      await until('a search', async () => new URL(page.url()).pathname === '/search');
      // The page of results arrives between a key and the next search.
      await page.keyboard.type('enstien');
      await release('Search');
      await page.getByText('Showing results for “frankenstein”.').waitFor();
      assert.equal(await field.inputValue(), 'frankenstien');
      assert.ok(await field.evaluate((element) => element === document.activeElement));
    }));

  it('finds exact matches only on request, and keeps that in the address', () =>
    at('/search?q=frankenstien', async (page) => {
      await page.getByRole('link', { name: 'Search for exactly “frankenstien”' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Only exact matches of “frankenstien” are shown.').waitFor();
      await page.getByRole('heading', { name: 'Nothing found for “frankenstien”' }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('fuzzy'), 'false');
      await page.reload();
      await page.getByRole('heading', { name: 'Nothing found for “frankenstien”' }).waitFor();
      await page.getByRole('link', { name: 'Include similar words' }).click();
      await page.getByText('Showing results for “frankenstein”.').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('fuzzy'), null);
    }));

  it('accepts similar words again for another query', () =>
    at('/search?q=frankenstien&fuzzy=false', async (page) => {
      await page.getByText('Only exact matches').waitFor();
      await page.getByRole('searchbox').first().fill('drakula');
      await page.getByText('Showing results for “dracula”.').waitFor();
      assert.equal(new URL(page.url()).search, '?q=drakula');
    }));

  it('suggests other searches if it finds nothing', () =>
    at('/search?q=frankenstien+qqqqqq', async (page) => {
      await page.getByRole('heading', { name: /^Nothing found/ }).waitFor();
      const similar = page.getByRole('navigation', {
        name: 'Similar searches',
      });
      await similar.getByRole('link', { name: 'frankenstein' }).click();
      await cards(page).first().waitFor();
      assert.equal(new URL(page.url()).search, '?q=frankenstein');
    }));

  it('lists items, people, series and collections in groups', () =>
    at(
      '/search?q=sea',
      async (page) => {
        const groups = page.locator('main section h2');
        await page.getByRole('heading', { name: 'Collections' }).waitFor();
        const names = await groups.allInnerTexts();
        assert.ok(names.includes('Books'), `${names}`);
        assert.equal(names.at(-1), 'Collections');
        await page.getByRole('link', { name: 'Sea voyages' }).click();
        await page.waitForURL(/\/collections\/\d+$/);
        await page.goBack();
        await page.getByRole('button', { name: /^Books/ }).click();
        await page.getByRole('heading', { name: 'Collections' }).waitFor({ state: 'detached' });
      },
      {},
      { collections: 5 },
    ));

  it('leads to all people of a name, also after a correction', () =>
    at('/search?q=austn', async (page) => {
      await page.getByText('Showing results for “austen”.').waitFor();
      const person = page.getByRole('link', { name: /^Jane Austen/ }).last();
      await page.getByRole('heading', { name: 'People' }).waitFor();
      await person.click();
      await page.waitForURL(/\/people\/\d+$/);
      await page.getByRole('heading', { name: 'Jane Austen' }).waitFor();
    }));

  it('is accessible on a desktop and on a phone, in both themes', async () => {
    for (const width of [1440, 390])
      for (const theme of ['dark', 'light'])
        for (const path of [
          '/search?q=austn',
          '/search?q=frankenstien+qqqqqq',
          '/search?q=drakula&fuzzy=false',
        ])
          await at(
            path,
            async (page) => {
              await page.locator('.correction a').first().waitFor();
              assert.deepEqual(await violations(page), [], `${path} ${width} ${theme}`);
              assert.equal(await overflow(page), 0);
            },
            { width, theme },
          );
  });

  it('is translated to German', () =>
    at(
      '/search?q=austn',
      async (page) => {
        await page.getByText('Treffer für „austen“.').waitFor();
        await page.getByRole('link', { name: 'Genau nach „austn“ suchen' }).waitFor();
      },
      { locale: 'de-DE' },
    ));
});
