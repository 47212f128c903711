/** Outages of the server, and an upgrade of the server under an open page. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  logIn,
  openPage,
  startServer,
  until,
} from '../harness.mjs';

let server;
let browser;
let api;
let item;

before(async () => {
  server = await startServer();
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  item = await itemOf(api, 'Moby-Dick');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const banner = (page) => page.locator('.notice', { hasText: 'Server not reachable' });
const isFavourite = async () => (await api(`/items/${item.id}`)).favourite;

/** The page of an item, with a count of how often the document itself is loaded. */
async function onItem() {
  const opened = await enter(browser, server.url);
  const { page } = opened;
  await page.goto(`${server.url}/items/${item.id}`);
  await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
  let loads = 0;
  page.on('request', (request) => (loads += Number(request.isNavigationRequest())));
  return { ...opened, loads: () => loads };
}

/** Invariants of a page through any outage. `cut` stops the server, `mend` restarts it. */
async function survives(cut, mend) {
  const { page, context, loads } = await onItem();
  const before = await isFavourite();
  await cut();
  await page.getByRole('button', { name: 'Favourite' }).click();
  await banner(page).waitFor();
  await page.getByText(/Retrying in \d+ s/).waitFor();
  await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
  await banner(page).getByRole('button', { name: 'Retry now' }).click();
  // A page whose code is not loaded yet cannot open: the present one stays.
  await page.getByRole('link', { name: 'History' }).first().click();
  await banner(page).waitFor();
  assert.equal(await page.getByText('That did not load').count(), 0);
  await mend();
  await banner(page).waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
  // The style of the page arrived with its code.
  const header = page.locator('main header').first();
  assert.equal(await header.evaluate((element) => getComputedStyle(element).display), 'flex');
  await until('the favourite', async () => (await isFavourite()) !== before);
  // Events arrive again: the scan of another client is visible without a user action.
  await page.goto(`${server.url}/settings/libraries/1`);
  assert.equal(loads(), 1);
  await page.getByText(/^Scanned /).waitFor();
  await context.close();
}

describe('an unavailable server', { concurrency: false }, () => {
  it('is retried while it is stopped', () =>
    survives(
      async () => server.pause(),
      async () => server.continue(),
    ));

  it('is retried after a crash, and found again on the same port', () =>
    survives(
      () => server.kill(),
      () => server.restart(),
    ));

  it('receives the stored position and a new event stream after its return', async () => {
    const { page, context, loads } = await onItem();
    await page.getByRole('button', { name: 'More actions' }).click();
    await server.kill();
    await page.getByRole('menuitem', { name: 'Mark as finished' }).click();
    await banner(page).waitFor();
    // The banner can precede the failure of the write.
    await page.waitForFunction(() => /outbox[^[]*\[\{/.test(JSON.stringify({ ...localStorage })));
    await server.restart();
    await banner(page).waitFor({ state: 'detached' });
    await until('the position', async () => {
      const { files } = await api(`/items/${item.id}`);
      return files.some((file) => file.progress?.finished);
    });
    assert.equal(loads(), 0);
    await context.close();
  });

  it('is retried by an idle page and by the login page', async () => {
    const { page, context } = await onItem();
    const other = await openPage(browser);
    await other.page.goto(server.url);
    await other.page.getByLabel('Username').waitFor();
    await server.kill();
    await banner(page).waitFor();
    await other.page.getByLabel('Username').fill('admin');
    await logIn(other.page);
    await banner(other.page).waitFor();
    await server.restart();
    await banner(page).waitFor({ state: 'detached' });
    await banner(other.page).waitFor({ state: 'detached' });
    await logIn(other.page);
    await other.page.getByText('Recently added').first().waitFor();
    await context.close();
    await other.context.close();
  });
});

describe('an upgraded server', { concurrency: false }, () => {
  /** A page for which one part of the interface is gone: the server sends its entry document instead. */
  async function without(part) {
    const opened = await enter(browser, server.url);
    const { page } = opened;
    let loads = 0;
    page.on('request', (request) => (loads += Number(request.isNavigationRequest())));
    const gone = new RegExp(`/assets/${part}-[^/]*\\.js`);
    await page.route(gone, (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><title>Ledge</title>' }),
    );
    return { ...opened, loads: () => loads, back: () => page.unroute(gone) };
  }
  const notice = (page) => page.locator('.notice', { hasText: 'The server was updated' });

  it('reloads an open page once, and then leaves a reload to the user', async () => {
    const { page, context, loads, back } = await without('Names');
    await page
      .getByRole('link', { name: /^Books/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'People' }).click();
    await notice(page).waitFor();
    assert.equal(loads(), 1);
    await back();
    await notice(page).getByRole('button', { name: 'Reload' }).click();
    await page.locator('main h1').first().waitFor();
    await notice(page).waitFor({ state: 'detached' });
    assert.equal(loads(), 2);
    await context.close();
  });

  it('does not reload a page with unsaved edits', async () => {
    const { page, context, loads } = await without('Names');
    await page.goto(`${server.url}/items/${item.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit details' }).click();
    const title = page.getByRole('dialog').getByRole('textbox').first();
    await title.fill('Unsaved');
    const loaded = loads();
    await page.evaluate(() => dispatchEvent(new Event('vite:preloadError')));
    await notice(page).waitFor();
    assert.equal(await title.inputValue(), 'Unsaved');
    assert.equal(loads(), loaded);
    await context.close();
  });
});
