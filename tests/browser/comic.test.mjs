/** Reading comics in the real server: from right to left where the book says so, in pairs and as a strip. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { comic } from './books.mjs';
import { apiOf, launchBrowser, logIn, openPage, startServer, violations } from './harness.mjs';

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
  const library = await api('/libraries', {
    method: 'POST',
    body: JSON.stringify({ name: 'Everything', path: server.media }),
  });
  await api(`/libraries/${library.id}/scan`, { method: 'POST', body: '{}' });
  for (let status; status !== 'done';) ({ status } = await api(`/libraries/${library.id}/scan/status`));
  browser = await launchBrowser();
  reader = await openPage(browser);
  await reader.page.goto(server.url);
  await logIn(reader.page);
  await reader.page.getByText('Recently added').first().waitFor();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(page, query = '') {
  const { items } = await api('/items?limit=500');
  const item = await api(`/items/${items.find((one) => one.title.includes('Backward Tide')).id}`);
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

describe('a comic', { concurrency: false }, () => {
  it('is read from right to left where it says so, the cover and wide pages alone', async () => {
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

  it('goes on at its page, in a narrow window too', async () => {
    const { page } = reader;
    const item = await open(page, '?at=0');
    await page.keyboard.press('End');
    await shown(page, [8, 7]);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
    // An empty outbox may be that of the page before.
    let place;
    for (let n = 0; n < 100 && place?.position !== 6; n += 1) {
      await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
      [place] = (await api(`/items/${item.id}/progress`)).items;
    }
    assert.equal(place.position, 6);
    assert.equal(place.finished, false);

    const phone = await openPage(browser, { width: 390 });
    await phone.page.goto(server.url);
    await logIn(phone.page);
    await phone.page.getByText('Recently added').first().waitFor();
    await open(phone.page);
    await shown(phone.page, [7]);
    await phone.page.mouse.click(30, 400);
    await shown(phone.page, [8]);
    assert.deepEqual(await violations(phone.page), []);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  it('is one long strip where one likes that, and keeps the page', async () => {
    const { page } = reader;
    await open(page, '?at=3');
    await shown(page, [4]);
    await page.getByRole('button', { name: 'How it looks' }).click();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('radio', { name: 'Left to right' }).click();
    await page.getByRole('radio', { name: 'Strip' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('Page 4 of 8', { exact: true }).waitFor();
    await page.locator('.view').evaluate((view) => view.scrollTo(0, view.scrollHeight));
    await page.getByText('Page 8 of 8', { exact: true }).waitFor();
    await page.evaluate(() => localStorage.clear());
  });

  it('is finished after its last page', async () => {
    const { page } = reader;
    const item = await open(page, '?at=6');
    await shown(page, [8, 7]);
    await page.keyboard.press('PageDown');
    await page
      .getByRole('dialog', { name: 'The end' })
      .getByRole('button', { name: 'Close the book' })
      .click();
    await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
    await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
    assert.equal((await api(`/items/${item.id}/progress`)).items[0].finished, true);
  });

  it('has heard no complaint from the browser', () => assert.deepEqual(reader.complaints, []));
});
