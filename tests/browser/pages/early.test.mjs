/** Requests for the first view of a page: those before its scripts are used, and its largest image is not lazy. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addLibrary, apiOf, enter, itemOf, launchBrowser, startServer, until } from '../harness.mjs';

let server;
let browser;
let opened;
let item;
before(async () => {
  server = await startServer();
  const api = await apiOf(server.url);
  await addLibrary(api, server.media);
  item = await itemOf(api, 'Moby-Dick');
  // Covers follow the scan.
  await until('the cover', async () => (await api(`/items/${item.id}`)).cover !== null);
  browser = await launchBrowser();
  opened = await enter(browser, server.url, { width: 400 });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The requests of a page from its start until `isComplete`, as paths with queries. */
async function requestsOf(path, isComplete) {
  const { page } = opened;
  const sent = [];
  const note = (request) => sent.push(request.url().slice(server.url.length));
  page.on('request', note);
  await page.goto(server.url + path);
  await isComplete(page);
  page.off('request', note);
  return sent;
}

describe('early requests', () => {
  it('fetch the cover of an item page once', async () => {
    const sent = await requestsOf(`/items/${item.id}`, async (page) => {
      await page.getByRole('heading', { name: 'Moby-Dick' }).waitFor();
      await page.waitForFunction(() => globalThis.document.querySelector('main .cover img')?.complete);
    });
    const covers = sent.filter((url) => url.startsWith(`/api/v1/items/${item.id}/cover`));
    assert.equal(covers.length, 1, covers.join('\n'));
    const preload = await opened.page.locator('link[rel=preload][as=image]').getAttribute('imagesrcset');
    assert.equal(preload, await opened.page.locator('main .cover img').getAttribute('srcset'));
  });

  it('fetch the first page of a list once', async () => {
    const sent = await requestsOf('/library/books', (page) => page.getByText('Moby-Dick').first().waitFor());
    const lists = sent.filter((url) => url.startsWith('/api/v1/items?'));
    assert.equal(lists.length, 1, lists.join('\n'));
  });
});

describe('the largest image in view', () => {
  before(async () => {
    const api = await apiOf(server.url);
    const { files } = await api(`/items/${item.id}`);
    const body = JSON.stringify({ file_id: files[0].id, position: 1 });
    await api(`/items/${item.id}/progress`, { method: 'PUT', body });
  });

  for (const path of ['/', '/library/books', '/items/:id', '/search?q=moby', '/history'])
    it(`is not loaded lazily on ${path}`, async () => {
      const { page } = opened;
      await page.goto(server.url + path.replace(':id', String(item.id)));
      await page.locator('main img').first().waitFor();
      const loading = await page.evaluate(() => {
        const area = (image) => {
          const { top, bottom, width, height } = image.getBoundingClientRect();
          return bottom > 0 && top < globalThis.innerHeight ? width * height : 0;
        };
        const images = [...globalThis.document.querySelectorAll('main img')];
        return images.sort((one, other) => area(other) - area(one))[0].loading;
      });
      assert.equal(loading, 'eager');
    });
});
