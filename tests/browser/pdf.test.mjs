/** Reading a PDF in the real server: its text, its outline, words looked for, zoom, and the page one left. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pdf } from './books.mjs';
import { apiOf, launchBrowser, logIn, openPage, startServer, violations } from './harness.mjs';

const HARBOURS = [
  'Anstruther',
  'Brixham',
  'Cromarty',
  'Dunmore',
  'Eyemouth',
  'Fowey',
  'Gairloch',
  'Hugh Town',
];

let server;
let browser;
let api;
let reader;

before(async () => {
  server = await startServer();
  const folder = join(server.media, 'Papers', 'Tests');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'Harbours in Order.pdf'), pdf(HARBOURS));
  await writeFile(join(folder, 'Torn.pdf'), '%PDF-1.4\nno more of it');
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

async function open(page, title, query = '') {
  const { items } = await api('/items?limit=500');
  const item = await api(`/items/${items.find((one) => one.title === title).id}`);
  await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${query}`);
  return item;
}

describe('a PDF', { concurrency: false }, () => {
  it('shows its pages with text that can be selected', async () => {
    const { page } = reader;
    await open(page, 'Harbours in Order', '?at=2');
    await page.getByText('Page 3 of 8', { exact: true }).waitFor();
    const line = page.getByRole('group', { name: 'Page 3 of 8' }).getByText('Cromarty');
    await line.waitFor();
    await line.selectText();
    assert.equal(await page.evaluate(() => getSelection().toString()), 'Cromarty');
    assert.deepEqual(await violations(page), []);
    // Only what is near the screen is drawn.
    assert.ok((await page.locator('.sheet').count()) <= 5);
  });

  it('goes where its outline says, and on from there on another day', async () => {
    const { page } = reader;
    await page.getByRole('button', { name: 'Contents' }).click();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('dialog', { name: 'Contents' }).getByRole('button', { name: 'Fowey' }).click();
    await page.getByText('Page 6 of 8', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { level: 1, name: 'Harbours in Order' }).waitFor();
    await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
    await open(page, 'Harbours in Order');
    await page.getByText('Page 6 of 8', { exact: true }).waitFor();
  });

  it('finds words and marks them', async () => {
    const { page } = reader;
    await page.keyboard.press('/');
    await page.getByLabel('Words to look for').fill('hugh  TOWN');
    await page.getByText('1 place', { exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Hugh Town' }).click();
    await page.getByRole('group', { name: 'Page 8 of 8' }).getByText('Hugh Town').waitFor();
    await page.waitForFunction(() =>
      [...(CSS.highlights.get('reader-found') ?? [])].some((range) => range.toString() === 'Hugh Town'),
    );
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => (CSS.highlights.get('reader-found')?.size ?? 0) === 0);
  });

  it('grows and shrinks around the page that is read', async () => {
    const { page } = reader;
    await open(page, 'Harbours in Order', '?at=3');
    const sheet = page.getByRole('group', { name: 'Page 4 of 8' });
    await sheet.getByText('Dunmore').waitFor();
    const before = (await sheet.boundingBox()).width;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.waitForFunction((old) => document.querySelector('.sheet').offsetWidth > old * 1.1, before);
    await page.getByText('Page 4 of 8', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Fit to the window/ }).click();
    await page.waitForFunction(
      (old) => Math.abs(document.querySelector('.sheet').offsetWidth - old) < 2,
      before,
    );
    await page.getByText('Page 4 of 8', { exact: true }).waitFor();
  });

  it('is finished after its last page', async () => {
    const { page } = reader;
    const item = await open(page, 'Harbours in Order', '?at=7');
    await page.getByRole('group', { name: 'Page 8 of 8' }).getByText('Hugh Town').waitFor();
    const end = page.getByRole('dialog', { name: 'The end' });
    for (let pages = 0; pages < 4 && !(await end.isVisible()); pages += 1)
      await page.keyboard.press('PageDown');
    await end.getByRole('button', { name: 'Close the book' }).click();
    await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
    await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
    assert.equal((await api(`/items/${item.id}/progress`)).items[0].finished, true);
  });

  it('says so where it is torn', async () => {
    const { page } = reader;
    await open(page, 'Torn');
    await page.getByText('This book cannot be shown').waitFor();
    assert.deepEqual(await violations(page), []);
  });

  it('has heard no complaint from the browser', () => assert.deepEqual(reader.complaints, []));
});
