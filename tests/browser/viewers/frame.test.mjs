/** The present picture of a viewer as the cover of its item: a page of a comic or a PDF, and a frame of a film. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FILM } from '../../../web/test/fake/world.mjs';
import { launchBrowser, violations, withFake } from '../harness.mjs';
import { pdf } from '../media/books.mjs';
import { running } from './video/film-page.mjs';

const ICON = fileURLToPath(new URL('../../../web/public/icon-192.png', import.meta.url));
const ITEM = 1;

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

/** Makes the file of an item one for another viewer. */
async function give(page, viewer) {
  await page.route(new RegExp(`/api/v1/items/${ITEM}(\\?|$)`), async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const response = await route.fetch();
    const item = await response.json();
    return route.fulfill({
      json: {
        ...item,
        files: item.files.map((file) => ({
          ...file,
          viewer,
          unit: 'page',
          extent: 3,
        })),
      },
    });
  });
  const png = await readFile(ICON);
  const pages = [0, 1, 2].map((n) => ({
    n,
    name: `${n}.png`,
    width: 192,
    height: 192,
  }));
  await page.route(/\/files\/100\/pages$/, (route) => route.fulfill({ json: { items: pages } }));
  await page.route(/\/files\/100\/pages\/\d/, (route) =>
    route.fulfill({ body: png, contentType: 'image/png' }),
  );
  const book = pdf(['Anstruther', 'Brixham', 'Cromarty']);
  await page.route(/\/files\/100\/content/, (route) =>
    route.fulfill({ body: book, contentType: 'application/pdf' }),
  );
}

const withViewer = (viewer, check, settings = {}, world = {}) =>
  withFake(
    browser,
    world,
    '/settings/device',
    async (page) => {
      await give(page, viewer);
      await page.goto(new URL(`/items/${ITEM}/open/${ITEM * 100}?at=1`, page.url()).href);
      await check(page);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
    { width: 1440, ...settings },
  );

/** Records uploaded covers in the page: the test's protocol omits large bodies. */
const record = (page) =>
  page.evaluate(() => {
    const sent = [];
    const send = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      if (init?.method === 'PUT' && /\/items\/\d+\/cover$/.test(String(input))) sent.push(init.body);
      return send(input, init);
    };
    globalThis.sentCovers = sent;
  });

/** The number of uploads, and the type, the size and the brightest value of the first one. */
const uploaded = (page) =>
  page.evaluate(async () => {
    const [body] = globalThis.sentCovers;
    const picture = await createImageBitmap(body);
    const { width, height } = picture;
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    let brightest = 0;
    const { data } = context.getImageData(0, 0, width, height);
    for (let at = 0; at < data.length; at += 4) brightest = Math.max(brightest, data[at], data[at + 1]);
    return { count: globalThis.sentCovers.length, type: body.type, width, height, brightest };
  });
const use = (page) => page.getByRole('button', { name: 'Use this picture as the cover' });
const confirmed = (page) => page.getByRole('status').filter({ hasText: 'Cover changed.' }).waitFor();
const settings = (page) => page.getByRole('button', { name: 'Display settings' });

/** Waits for the confirmation, and returns the uploaded picture. */
async function picture(page) {
  await confirmed(page);
  const { count, type, ...rest } = await uploaded(page);
  assert.deepEqual({ count, type }, { count: 1, type: 'image/jpeg' });
  return rest;
}

describe('the present picture', { concurrency: false }, () => {
  it('of a comic becomes the cover, by keyboard', () =>
    withViewer('comic', async (page) => {
      await page.getByRole('slider', { name: 'Page' }).waitFor();
      await record(page);
      await page.keyboard.press('s');
      await use(page).focus();
      await page.keyboard.press('Enter');
      const { width, height, brightest } = await picture(page);
      assert.deepEqual({ width, height }, { width: 192, height: 192 });
      assert.ok(brightest > 60, `brightest ${brightest}`);
    }));

  it('of a PDF becomes the cover', () =>
    withViewer('pdf', async (page) => {
      await record(page);
      await use(page).click();
      const { width, height, brightest } = await picture(page);
      assert.equal(Math.max(height, width), 1600);
      assert.ok(brightest > 200, `brightest ${brightest}`);
    }));

  for (const way of ['by the browser', 'on this page'])
    it(`of a film that plays ${way} becomes the cover`, () =>
      withFake(browser, {}, `/items/${FILM}/open/${FILM * 100}?at=4`, async (page) => {
        await running(page);
        await record(page);
        await page.keyboard.press('o');
        await use(page).waitFor();
        if (way === 'on this page') {
          await page.getByRole('radio', { name: 'Decoded in the page' }).check({ force: true });
          await page.locator('canvas.drawn').waitFor();
          await page.waitForFunction(() => document.querySelector('canvas.drawn').width > 300);
        }
        await use(page).click();
        const { width, brightest } = await picture(page);
        assert.ok(width > 100, `${width}`);
        assert.ok(brightest > 60, `brightest ${brightest}`);
      }));

  it('is not offered to other users', () =>
    withViewer(
      'comic',
      async (page) => {
        await page.getByRole('slider', { name: 'Page' }).waitFor();
        await page.keyboard.press('s');
        await page.getByRole('group', { name: 'Layout' }).or(page.getByRole('dialog')).first().waitFor();
        assert.equal(await use(page).count(), 0);
      },
      {},
      { role: 'user' },
    ));

  for (const viewer of ['comic', 'pdf'])
    it(`is offered accessibly in a ${viewer}, on a desktop and on a phone`, async () => {
      for (const width of [1440, 390])
        for (const theme of ['dark', 'light'])
          await withViewer(
            viewer,
            async (page) => {
              if (viewer === 'comic') await settings(page).click();
              await use(page).click();
              await confirmed(page);
              assert.deepEqual(await violations(page), [], `${width} ${theme}`);
            },
            { width, theme },
          );
    });
});
