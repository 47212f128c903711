/** Requests of idle pages: none without changes, and few while a library is scanned. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  makeMedia,
  openPage,
  settledScan,
  startServer,
  until,
} from '../harness.mjs';

/** Enough items for a scan of several seconds. */
const ITEMS = 20_000;
/** Longest time of a scan that is watched, in milliseconds: on a busy machine it is cancelled then. */
const WATCHED = 15_000;
const IDLE = 16_000;
/** Least time between two refreshes, in milliseconds. */
const GAP = 5000;

let server;
let browser;
let api;
let context;
let pages;

before(async () => {
  server = await startServer();
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  browser = await launchBrowser();
  ({ context } = await enter(browser, server.url));
  const { id } = await itemOf(api, 'Moby-Dick');
  const paths = [
    '/',
    '/library',
    '/library/books',
    '/search?q=a',
    '/people',
    '/series',
    '/favourites',
    '/history',
    `/items/${id}`,
    ...['device', 'account', 'libraries', 'libraries/1', 'users', 'jobs', 'missing', 'games', 'about'].map(
      (section) => `/settings/${section}`,
    ),
  ];
  pages = [];
  for (const path of paths) pages.push(await watched(path));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Returns true for requests of scripts, except for files of other pages, which are fetched once. */
function isOfData(request) {
  return request.resourceType() === 'fetch' && !new URL(request.url()).pathname.startsWith('/assets/');
}

/** A page with the requests of its scripts, except the event stream. */
async function watched(path) {
  const page = await context.newPage();
  const requests = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (isOfData(request)) requests.push(pathname + search);
  });
  await page.goto(server.url + path);
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  return { path, page, requests };
}

/** Waits until no page has sent a request for a while. */
async function quiet() {
  let before = -1;
  let since = Date.now();
  await until('pages that are loaded', () => {
    const now = pages.reduce((sum, { requests }) => sum + requests.length, 0);
    if (now !== before) [before, since] = [now, Date.now()];
    return Date.now() - since > 1500;
  });
}

/** The requests of each page since the last call. */
function drain() {
  return pages.map(({ path, requests }) => ({ path, sent: requests.splice(0) }));
}

async function busy(library) {
  const { status } = await api(`/libraries/${library}/scan/status`);
  return status === 'queued' || status === 'running';
}

const passes = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

describe('an idle page', { concurrency: false }, () => {
  it('sends no request without events', async () => {
    await quiet();
    drain();
    await passes(IDLE);
    const busy = drain().filter(({ sent }) => sent.length > 0);
    assert.deepEqual(busy, []);
  });

  it('follows a scan by events, with at most one refresh in five seconds', async () => {
    const tree = join(server.folder, 'tree');
    await makeMedia(tree, 'tree', '--items', String(ITEMS));
    const library = await api('/libraries', {
      method: 'POST',
      body: JSON.stringify({ name: 'Large', path: tree }),
    });
    await quiet();
    drain();
    const libraries = pages.find(({ path }) => path === '/settings/libraries').page;
    await libraries.reload();
    await libraries.getByRole('heading', { name: 'Large' }).waitFor();
    await quiet();
    drain();
    const begun = Date.now();
    await api(`/libraries/${library.id}/scan`, { method: 'POST', body: '{}' });
    await libraries
      .getByText(/^Scanning|\d+ of \d+|\d+ files/)
      .first()
      .waitFor();
    await until('the scan', async () => (await busy(library.id)) === false || Date.now() - begun > WATCHED);
    const took = Date.now() - begun;
    if (await busy(library.id)) await api(`/libraries/${library.id}/scan`, { method: 'DELETE' });
    await until('the end of the scan', async () => (await busy(library.id)) === false);
    assert.ok(took > 2000, `a scan of ${took} ms is too short to count anything`);
    await passes(GAP + 500); // the refresh after the end
    await quiet();
    const most = Math.ceil((Date.now() - begun) / GAP) + 1;
    for (const { path, sent } of drain()) {
      for (const request of new Set(sent)) {
        const times = sent.filter((one) => one === request).length;
        assert.ok(times <= most, `${path}: ${times} times ${request} in ${took} ms, most ${most}`);
      }
    }
    const shown = await libraries.locator('section', { hasText: 'Large' }).textContent();
    assert.match(shown, /Scanned|Stopped/);
    await quiet();
    drain();
    await passes(GAP);
    assert.deepEqual(
      drain().filter(({ sent }) => sent.length > 0),
      [],
    );
  });

  it('shows the new items without a reload', async () => {
    const { page } = pages.find(({ path }) => path === '/library/books');
    const { total } = await api('/items?kind=books&limit=1');
    const count = Intl.NumberFormat('en').format(total);
    await page.locator('main header').getByText(count, { exact: true }).waitFor();
  });

  it('sends no request in a hidden tab, and refreshes once when it is shown', async () => {
    const { page, context: own } = await openPage(browser, { storageState: await context.storageState() });
    const requests = [];
    page.on('request', (request) => {
      if (isOfData(request)) requests.push(new URL(request.url()).pathname);
    });
    await page.goto(server.url);
    await page.getByText('Recently added').first().waitFor();
    const show = (state) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    requests.length = 0;
    await makeMedia(join(server.media, 'more'), 'tree', '--items', '10', '--seed', '9');
    await api('/libraries/1/scan', { method: 'POST', body: '{}' });
    await settledScan(api, 1);
    await passes(GAP + 1000);
    assert.deepEqual(requests, []);
    await show('visible');
    await until('a refresh', () => requests.includes('/api/v1/home'));
    await passes(2 * GAP);
    assert.equal(requests.filter((path) => path === '/api/v1/home').length, 1);
    await own.close();
  });
});
