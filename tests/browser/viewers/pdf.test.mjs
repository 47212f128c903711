/** PDF in the real server: text, outline, search, zoom, and the saved page. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pdf } from '../media/books.mjs';
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

/** Enough objects that drawing a page takes a while. */
const STROKES = 30_000;

let server;
let browser;
let api;
let reader;

before(async () => {
  server = await startServer();
  const folder = join(server.media, 'Papers', 'Tests');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'Harbours in Order.pdf'), pdf(HARBOURS));
  await writeFile(join(folder, 'Slides of Harbours.pdf'), pdf(HARBOURS, 120));
  await writeFile(join(folder, 'Chart of Harbours.pdf'), pdf(HARBOURS, 842, STROKES));
  await writeFile(join(folder, 'Torn.pdf'), '%PDF-1.4\nno more of it');
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  browser = await launchBrowser();
  reader = await enter(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(page, title, query = '') {
  const item = await itemOf(api, title);
  await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${query}`);
  return item;
}

/** Waits until the server has a matching position. */
const placeOf = (item, fits) =>
  until('a place', async () => (await api(`/items/${item.id}/progress`)).items.find(fits));

const at = (page, n, of = 8) => page.getByText(`Page ${n} of ${of}`, { exact: true }).waitFor();

describe('a PDF', { concurrency: false }, () => {
  it('shows its pages with selectable text', async () => {
    const { page } = reader;
    await open(page, 'Harbours in Order', '?at=2');
    await page.getByText('Page 3 of 8', { exact: true }).waitFor();
    const line = page.getByRole('group', { name: 'Page 3 of 8' }).getByText('Cromarty');
    await line.waitFor();
    await line.selectText();
    assert.equal(await page.evaluate(() => getSelection().toString()), 'Cromarty');
    assert.deepEqual(await violations(page), []);
    // Only pages near the screen are drawn.
    assert.ok((await page.locator('.sheet').count()) <= 5);
  });

  it('opens outline entries, and continues there later', async () => {
    const { page } = reader;
    await page.getByRole('button', { name: 'Contents' }).click();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('dialog', { name: 'Contents' }).getByRole('button', { name: 'Fowey' }).click();
    await page.getByText('Page 6 of 8', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const item = await itemOf(api, 'Harbours in Order');
    await leave(page, item);
    await placeOf(item, (row) => row.position === 5);
    await open(page, 'Harbours in Order');
    await page.getByText('Page 6 of 8', { exact: true }).waitFor();
  });

  it('finds and highlights words', async () => {
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

  it('zooms around the current page', async () => {
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

  it('is marked as finished after its last page', async () => {
    const { page } = reader;
    const item = await open(page, 'Harbours in Order', '?at=7');
    await page.getByRole('group', { name: 'Page 8 of 8' }).getByText('Hugh Town').waitFor();
    const end = page.getByRole('dialog', { name: 'The end' });
    for (let pages = 0; pages < 4 && !(await end.isVisible()); pages += 1)
      await page.keyboard.press('PageDown');
    await leave(page, item, end.getByRole('button', { name: 'Close the book' }));
    await placeOf(item, (row) => row.finished);
  });

  it('saves the page that is reached by arrow keys', async () => {
    const { page } = reader;
    const item = await open(page, 'Harbours in Order', '?at=0');
    await page.getByRole('group', { name: 'Page 1 of 8' }).getByText('Anstruther').waitFor();
    const second = page.getByText('Page 2 of 8', { exact: true });
    for (let n = 0; n < 60 && !(await second.isVisible()); n += 1) await page.keyboard.press('ArrowDown');
    await second.waitFor();
    await leave(page, item);
    await placeOf(item, (row) => row.position === 1 && !row.finished);
  });

  it('opens a page by its number', async () => {
    const { page } = reader;
    await open(page, 'Harbours in Order', '?at=0');
    await at(page, 1);
    await page.keyboard.press('g');
    const field = page.getByRole('textbox', { name: 'Go to a page' });
    assert.deepEqual(await violations(page), []);
    await field.fill('7');
    await field.press('Enter');
    await at(page, 7);
    await page.getByRole('group', { name: 'Page 7 of 8' }).getByText('Gairloch').waitFor();
  });

  it('counts each of several visible pages, and opens at the saved one', async () => {
    const { page } = reader;
    const item = await open(page, 'Slides of Harbours', '?at=0');
    await at(page, 1);
    for (const n of [2, 3, 4]) {
      await page.getByRole('button', { name: 'Next page' }).click();
      await at(page, n);
    }
    await page.getByRole('button', { name: 'Previous page' }).click();
    await at(page, 3);
    for (let sitting = 0; sitting < 2; sitting += 1) {
      await leave(page, item);
      await placeOf(item, (row) => row.position === 2);
      await open(page, 'Slides of Harbours');
      await at(page, 3);
    }
    await page.keyboard.press('End');
    await at(page, 8);
    await page.getByRole('button', { name: 'Previous page' }).click();
    await at(page, 7);
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await page.getByRole('dialog', { name: 'The end' }).waitFor();
    await placeOf(item, (row) => row.finished);
  });

  it('is marked as finished by a swipe at its end', async () => {
    const { page } = reader;
    const item = await open(page, 'Slides of Harbours', '?at=0');
    await at(page, 1);
    const roll = page.locator('.roll');
    const swipe = () =>
      roll.evaluate((element) => {
        const touch = (clientY) => new Touch({ identifier: 1, target: element, clientX: 50, clientY });
        const tell = (name, touches, changedTouches) =>
          element.dispatchEvent(new TouchEvent(name, { touches, changedTouches, bubbles: true }));
        tell('touchstart', [touch(600)], [touch(600)]);
        tell('touchmove', [touch(400)], [touch(400)]);
        tell('touchend', [], [touch(400)]);
      });
    await swipe();
    assert.equal(await page.getByRole('dialog', { name: 'The end' }).count(), 0);
    await roll.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await at(page, 8);
    await swipe();
    await page.getByRole('dialog', { name: 'The end' }).waitFor();
    await placeOf(item, (row) => row.finished);
  });

  /** Opens it from its own page, as leaving it by the browser's reload would end everything anyway. */
  async function openFromPage(page, title) {
    const item = await itemOf(api, title);
    await page.goto(`${server.url}/items/${item.id}`);
    await page
      .getByRole('main')
      .getByRole('button', { name: /^(Read|Continue)/ })
      .first()
      .click();
    await page.waitForURL((url) => url.pathname.startsWith(`/items/${item.id}/open/`));
    return item;
  }
  /** Remains of the reader: running threads, and drawn lines. */
  const quiet = async (page) => {
    await until('the worker to end', () => page.workers().length === 0);
    const drawn = () => page.evaluate(() => globalThis.strokes);
    await until('an end of drawing', async () => {
      const before = await drawn();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
      return (await drawn()) === before;
    });
  };

  it('releases its resources when it is closed during loading', async () => {
    const { page } = reader;
    const held = [];
    await page.route('**/content', (route) => void held.push(route));
    const item = await openFromPage(page, 'Harbours in Order');
    await until('the first request and a worker', () => held.length > 0 && page.workers().length > 0);
    await leave(page, item);
    await until('the worker to end', () => page.workers().length === 0);
    for (const route of held) await route.continue().catch(() => {});
    await page.unroute('**/content');
  });

  it('releases its resources when it is closed, zoomed or scrolled during rendering', async () => {
    const { page } = reader;
    await page.addInitScript(() => {
      globalThis.strokes = 0;
      const { stroke } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.stroke = function (...path) {
        globalThis.strokes += 1;
        // Long enough that no machine has drawn all of it before the user leaves.
        const done = performance.now() + (globalThis.isQuick ? 0 : 0.1);
        while (performance.now() < done);
        return stroke.apply(this, path);
      };
    });
    const drawing = (past) => page.waitForFunction((least) => globalThis.strokes > least, past);
    const item = await openFromPage(page, 'Chart of Harbours');
    await drawing(0);
    const sheets = await page.locator('.sheet').count();
    await leave(page, item);
    await quiet(page);
    const strokes = await page.evaluate(() => globalThis.strokes);
    assert.ok(strokes < STROKES * sheets, 'all was drawn before it was left: the test proves nothing');

    await openFromPage(page, 'Chart of Harbours');
    await drawing(0);
    await page.evaluate(() => void (globalThis.isQuick = true));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('region', { name: 'Chart of Harbours' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.getByRole('group', { name: 'Page 1 of 8' }).getByText('Anstruther').waitFor();
    assert.equal(await page.getByText(/cannot be shown/).count(), 0);
    await leave(page, item);
    await quiet(page);
  });

  it('shows a message while the server is unavailable, and opens after it returns', async () => {
    const { page } = reader;
    await page.route('**/content', (route) => route.abort());
    await open(page, 'Harbours in Order', '?at=1');
    const failed = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
    await failed.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.unroute('**/content');
    await failed.getByRole('button', { name: 'Retry' }).click();
    await at(page, 2);
  });

  it('shows a message for a damaged file', async () => {
    const { page } = reader;
    await open(page, 'Torn');
    await page.getByText('This book cannot be shown').waitFor();
    assert.deepEqual(await violations(page), []);
  });

  it('causes no console errors', () => assert.deepEqual(reader.complaints, []));
});
