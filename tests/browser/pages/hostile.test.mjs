/** Markup in titles, names and tags: the page shows all metadata as text. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const MARK = 'payload';
const PAYLOAD = `"'><img src=${MARK} onerror="window.struck=1"><svg/onload=window.struck=1><script>window.struck=1</script><a href="javascript:window.struck=1">{{7*7}}\${7*7}</a>`;
/** Values from files and users, anywhere in a response. */
const THEIRS = new Set([
  ...['title', 'name', 'authors', 'author', 'description', 'text', 'path', 'reason', 'publisher'],
  ...['series', 'subtitle', 'narrator', 'artist', 'album', 'genre', 'username', 'error', 'note'],
]);

/** A response in which all untrusted input contains the payload. */
function poisoned(value, key = '') {
  if (typeof value === 'string') return THEIRS.has(key) ? value + PAYLOAD : value;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)]));
}

async function poison(page) {
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().url().endsWith('/events')) return route.continue();
    const response = await route.fetch();
    if (!(response.headers()['content-type'] ?? '').startsWith('application/json')) {
      return route.fulfill({ response });
    }
    await route.fulfill({ response, json: poisoned(await response.json()) });
  });
}

/** @param {import('../harness.mjs').Page} page */
async function isText(page) {
  const found = await page.evaluate((mark) => {
    const made = document.querySelectorAll(`img[src="${mark}"], svg[onload], a[href^="javascript:"]`);
    return {
      made: made.length,
      struck: globalThis.struck ?? null,
      shown: document.body.innerText,
    };
  }, MARK);
  assert.deepEqual([found.made, found.struck], [0, null]);
  assert.ok(found.shown.includes(`<img src=${MARK}`), 'nothing of it is shown');
  assert.ok(!found.shown.includes('{{49}}') && !(await page.title()).includes('49'));
}

const pages = {
  home: '/',
  'an item': '/items/3',
  'an item of a series': '/items/6',
  browse: '/library/books',
  search: '/search?q=mob',
  people: '/people',
  'a person': '/people/6',
  series: '/series',
  history: '/history',
  favourites: '/favourites',
  libraries: '/settings/libraries',
  users: '/settings/users',
};

describe('markup in metadata', () => {
  for (const [name, path] of Object.entries(pages)) {
    it(`is shown as text on the page of ${name}`, () =>
      withFake(browser, {}, '/nowhere', async (page, fake) => {
        await poison(page);
        await page.goto(fake.url + path);
        await page.getByText(`<img src=${MARK}`).first().waitFor();
        await isText(page);
        // Responses that are still modified when the page closes are dropped.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }));
  }
});
