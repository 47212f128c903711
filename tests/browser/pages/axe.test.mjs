/** Accessibility of every page and viewer with real media: both themes, a desktop and a phone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addLibrary, apiOf, enter, launchBrowser, openPage, startServer, violations } from '../harness.mjs';

const WIDTHS = [1440, 390];
const THEMES = ['dark', 'light'];
/** Pages that are checked at a time. */
const TOGETHER = 2;

let server;
let browser;
/** Up to three items of each kind, each of another subkind. */
let items;
/** Addresses that depend on the content: works of a person and of a series, and a file in each viewer. */
let found;
const OF_A_KIND = 3;

before(async () => {
  server = await startServer();
  browser = await launchBrowser();
  const api = await apiOf(server.url);
  await addLibrary(api, server.media);
  const cards = (await api('/items?limit=500')).items;
  const subkinds = [...new Map(cards.map((card) => [`${card.kind} ${card.subkind}`, card])).values()];
  const kinds = [...new Set(subkinds.map(({ kind }) => kind))];
  items = kinds.flatMap((kind) => subkinds.filter((card) => card.kind === kind).slice(0, OF_A_KIND));
  assert.ok(items.length > 6, `${items.length} items`);
  const details = await Promise.all(items.map(({ id }) => api(`/items/${id}`)));
  const files = details.flatMap(({ id, files: [file] }) => (file ? [{ id, file }] : []));
  const viewers = new Map(files.map((one) => [one.file.viewer, one]));
  assert.ok(viewers.size > 3, `${[...viewers.keys()]}`);
  const [people, series] = await Promise.all([api('/people?limit=1'), api('/series?limit=1')]);
  found = [
    ...people.items.map(({ id }) => `/people/${id}`),
    ...series.items.map(({ id }) => `/series/${id}`),
    ...[...viewers.values()].map(({ id, file }) => `/items/${id}/open/${file.id}`),
  ];
  // Favourites, the history and the continue shelf get content.
  for (const card of items.slice(0, 4)) {
    await api(`/items/${card.id}/favourite`, { method: 'PUT', body: '{}' });
    const { files } = await api(`/items/${card.id}`);
    await api(`/items/${card.id}/progress`, {
      method: 'PUT',
      body: JSON.stringify({ file_id: files[0].id, position: 1 }),
    });
  }
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const pages = () => [
  '/',
  '/library',
  ...['books', 'audio', 'video', 'games'].map((kind) => `/library/${kind}`),
  '/library/video?favourite=true&state=finished',
  ...[
    '/search',
    '/search?q=the',
    '/search?q=zzzz',
    '/people',
    '/series',
    '/favourites',
    '/playlists',
    '/history',
    '/history/statistics',
    '/history/year',
  ],
  ...items.map(({ id }) => `/items/${id}`),
  ...found,
  '/items/999999',
  '/settings',
  ...[
    'device',
    'account',
    'libraries',
    'libraries/1',
    'users',
    'users/1',
    'games',
    'missing',
    'jobs',
    'dashboard',
  ].map((part) => `/settings/${part}`),
  '/settings/about',
];

describe('axe violations', { concurrency: false }, () => {
  it('do not occur on the login page', async () => {
    for (const width of WIDTHS)
      for (const theme of THEMES) {
        const { page, context } = await openPage(browser, { width, theme });
        await page.goto(server.url);
        await page.getByLabel('Username').waitFor();
        assert.deepEqual(await violations(page), [], `${width} ${theme}`);
        await context.close();
      }
  });

  it('do not occur on any page', async () => {
    const left = pages();
    const found = [];
    await Promise.all(
      Array.from({ length: TOGETHER }, async () => {
        const { page, context } = await enter(browser, server.url, { theme: null });
        for (let path = left.shift(); path; path = left.shift()) {
          await page.goto(server.url + path);
          await page.locator('main :is(h1, h2):visible').first().waitFor();
          await page.waitForFunction(() => document.querySelector('.bone') === null);
          for (const fault of await faultsOf(page)) found.push(`${path}, ${fault}`);
        }
        await context.close();
      }),
    );
    assert.deepEqual(found, []);
  });
});

async function faultsOf(page) {
  const found = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 860 });
    for (const theme of THEMES) {
      // The theme button does the same. Loading each page four times takes too long.
      await page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);
      for (const fault of await violations(page)) found.push(`${width} ${theme}: ${fault}`);
    }
  }
  return found;
}
