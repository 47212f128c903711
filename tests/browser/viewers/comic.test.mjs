/** Comics in the real server: right to left if the book requests it, in pairs and as a strip. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { comic } from '../media/books.mjs';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  leave,
  startServer,
  until,
  violations,
} from '../harness.mjs';

let server;
let browser;
let api;
let reader;

before(async () => {
  server = await startServer();
  const folder = join(server.media, 'Comics', 'Tests');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'The Backward Tide.cbz'), comic());
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  browser = await launchBrowser();
  reader = await enter(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(page, query = '') {
  const item = await itemOf(api, 'The Backward Tide');
  await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${query}`);
  await page.getByRole('slider', { name: 'Page' }).waitFor();
  return item;
}

/** The pages on the screen from left to right, once their pictures are there. */
async function shown(page, wanted) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const pages = await page.evaluate(() =>
      [...document.querySelectorAll('.view img')]
        .filter((image) => image.complete && image.naturalWidth > 0)
        .map((image) => ({ left: image.getBoundingClientRect().left, alt: image.alt }))
        .sort((a, b) => a.left - b.left)
        .map(({ alt }) => Number(/\d+/.exec(alt)[0])),
    );
    if (String(pages) === String(wanted)) return;
    if (attempt === 99) assert.deepEqual(pages, wanted);
    await pause(100);
  }
}

/** Waits until the server has a matching position. */
const placeOf = (item, fits) =>
  until('a place', async () => (await api(`/items/${item.id}/progress`)).items.find(fits));

describe('a comic', { concurrency: false }, () => {
  it('is read from right to left if it says so, with the cover and wide pages alone', async () => {
    const { page } = reader;
    const item = await open(page, '?at=0');
    assert.equal(item.facts.direction, 'rtl');
    await shown(page, [1]);
    await page.keyboard.press('ArrowLeft');
    await shown(page, [3, 2]);
    await page.keyboard.press('ArrowLeft');
    await shown(page, [4]);
    await page.keyboard.press('PageDown');
    await shown(page, [6, 5]);
    await page.keyboard.press('ArrowRight');
    await shown(page, [4]);
    assert.deepEqual(await violations(page), []);
  });

  it('continues at its page, also in a narrow window', async () => {
    const { page } = reader;
    const item = await open(page, '?at=0');
    await page.keyboard.press('End');
    await shown(page, [8, 7]);
    await leave(page, item);
    const place = await placeOf(item, (row) => row.position === 6);
    assert.equal(place.finished, false);

    const phone = await enter(browser, server.url, { width: 390 });
    await open(phone.page);
    await shown(phone.page, [7]);
    await phone.page.mouse.click(30, 400);
    await shown(phone.page, [8]);
    assert.deepEqual(await violations(phone.page), []);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  it('keeps the page in the strip layout', async () => {
    const { page } = reader;
    await open(page, '?at=3');
    await shown(page, [4]);
    await page.getByRole('button', { name: 'Display settings' }).click();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('radio', { name: 'Left to right' }).click();
    await page.getByRole('radio', { name: 'Strip' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('Page 4 of 8', { exact: true }).waitFor();
    await page.locator('.view').evaluate((view) => view.scrollTo(0, view.scrollHeight));
    await page.getByText('Page 8 of 8', { exact: true }).waitFor();
  });

  it('is marked as finished at the end of the strip by the next button or a swipe', async () => {
    const { page } = reader;
    const item = await itemOf(api, 'The Backward Tide');
    const end = page.getByRole('dialog', { name: 'The end' });
    await page.getByRole('button', { name: 'Next page' }).click();
    await end.waitFor();
    assert.deepEqual(await violations(page), []);
    await end.getByRole('button', { name: 'Stay in the book' }).click();
    await end.waitFor({ state: 'detached' });
    await placeOf(item, (row) => row.finished);
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByText('Page 7 of 8', { exact: true }).waitFor();
    await placeOf(item, (row) => !row.finished);

    await page.locator('.view').evaluate((view) => {
      view.scrollTo(0, view.scrollHeight);
      const touch = (clientY) => new Touch({ identifier: 1, target: view, clientX: 50, clientY });
      const tell = (name, touches, changedTouches) =>
        view.dispatchEvent(new TouchEvent(name, { touches, changedTouches, bubbles: true }));
      tell('touchstart', [touch(600)], [touch(600)]);
      tell('touchend', [], [touch(400)]);
    });
    await end.waitFor();
    await placeOf(item, (row) => row.finished);
    await page.evaluate(() => localStorage.clear());
  });

  it('opens at the newer position of another device', async () => {
    const { page } = reader;
    const item = await open(page, '?at=0');
    await shown(page, [1]);
    await leave(page, item);
    const file = item.files[0].id;
    const body = JSON.stringify({ file_id: file, position: 3, finished: false });
    await api(`/items/${item.id}/progress`, { method: 'PUT', body });
    await page.evaluate((path) => history.pushState({}, '', path), `/items/${item.id}/open/${file}`);
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await shown(page, [4]);
  });

  it('requests a failed page again', async () => {
    const { page } = reader;
    await page.route('**/pages/5?*', (route) => route.abort());
    await open(page, '?at=5');
    const broken = page.getByText('Page 6 cannot be shown.');
    await broken.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.unroute('**/pages/5?*');
    await shown(page, [6, 5]);
  });

  it('is marked as finished after its last page', async () => {
    const { page } = reader;
    const item = await open(page, '?at=6');
    await shown(page, [8, 7]);
    await page.keyboard.press('PageDown');
    const end = page.getByRole('dialog', { name: 'The end' });
    await leave(page, item, end.getByRole('button', { name: 'Close the book' }));
    await placeOf(item, (row) => row.finished);
  });

  it('causes no console errors', () => assert.deepEqual(reader.complaints, []));
});
