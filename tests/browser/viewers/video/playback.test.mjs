/** Films in the real server: playback with subtitles, and messages for unsupported files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { media, putFilms } from '../../media/films.mjs';
import { addLibrary, apiOf, launchBrowser, logIn, openPage, startServer, until } from '../../harness.mjs';
import { chooseSubtitles, running } from './film-page.mjs';

let server;
let browser;
let api;
let viewer;
const films = {};

before(async () => {
  server = await startServer();
  // A separate library, because the demo contains some of these films.
  const shelf = join(server.media, '..', 'films');
  await putFilms(shelf);
  api = await apiOf(server.url);
  await addLibrary(api, shelf, 'Films');
  const { items } = await api('/items?limit=500&kind=video');
  for (const title of ['Deep Zoom', 'Northern Glass', 'Boats of Paper', 'Harbour Light'])
    films[title] = await api(`/items/${items.find((one) => one.title === title).id}`);
  browser = await launchBrowser();
  viewer = await openPage(browser);
  await viewer.page.goto(server.url);
  await logIn(viewer.page);
  await viewer.page.getByText('Recently added').first().waitFor();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const addressOf = (item) => `${server.url}/items/${item.id}/open/${item.files[0].id}`;

describe('a film', { concurrency: false }, () => {
  it('shows the subtitles that lie beside it', async () => {
    const { page } = viewer;
    await page.goto(addressOf(films['Deep Zoom']));
    await running(page);
    await chooseSubtitles(page, 'English');
    await page.getByText('Deeper and deeper.').waitFor();
  });

  it('goes on after a reload where it was', async () => {
    const { page } = viewer;
    const film = films['Deep Zoom'];
    await page.evaluate(() => (document.querySelector('video').currentTime = 6));
    await running(page, 6.2);
    await page.keyboard.press('k');
    await until('the place on the server', async () => {
      const { items } = await api(`/items/${film.id}/progress`);
      return items.some((one) => one.file_id === film.files[0].id && one.position >= 6);
    });
    await page.reload();
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) >= 6);
    await page.keyboard.press('Escape');
    await page.waitForURL(`${server.url}/items/${film.id}`);
  });

  it('is handed to another player as a list that needs no login', async () => {
    const { page } = viewer;
    await page.getByRole('button', { name: 'More actions' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Open in another app' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'Deep Zoom.m3u');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    assert.equal(lines[0], '#EXTM3U');
    assert.match(lines[1], /^#EXTINF:12,Deep Zoom$/);
    const bytes = await (await fetch(lines[2])).arrayBuffer();
    assert.deepEqual(Buffer.from(bytes), await readFile(join(media, 'deep-zoom.webm')));
  });

  /** Waits for a picture of the film on the canvas, which has its size then. */
  const drawn = (page, film) =>
    page.waitForFunction((width) => {
      const canvas = document.querySelector('canvas');
      const video = document.querySelector('video');
      return canvas?.width === width && video.currentTime > 0.2 && !video.paused;
    }, film.files[0].width);

  it('whose picture is HEVC is decoded in the page, where the browser lacks that', async () => {
    const { page } = viewer;
    assert.equal(films['Northern Glass'].files[0].vcodec, 'hevc');
    await page.goto(addressOf(films['Northern Glass']));
    await drawn(page, films['Northern Glass']);
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('whose picture is HEVC says so, where the page cannot decode either', async () => {
    const { page, context } = await openPage(browser);
    await page.addInitScript(() => delete globalThis.MediaSource);
    await page.goto(server.url);
    await logIn(page);
    await page.getByText('Recently added').first().waitFor();
    await page.goto(addressOf(films['Northern Glass']));
    await page.getByRole('alert').getByText('This does not play here').waitFor();
    await page.getByText(/HEVC/).waitFor();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    await page.getByRole('button', { name: 'Open in another app' }).waitFor();
    await page.goto(addressOf(films['Boats of Paper']));
    await page.getByRole('alert').getByText('This browser cannot play AVI, MPEG-4 ASP').waitFor();
    await page.goto(addressOf(films['Harbour Light']));
    await running(page);
    await page.getByText('This browser cannot play the sound (AC-3)').waitFor();
    assert.equal(await page.evaluate(() => document.querySelector('video').paused), false);
    await context.close();
  });

  it('in AVI is decoded in the page', async () => {
    const { page } = viewer;
    await page.goto(addressOf(films['Boats of Paper']));
    await drawn(page, films['Boats of Paper']);
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('whose sound nothing decodes runs, and says that nothing is heard', async () => {
    const { page } = viewer;
    assert.equal(films['Harbour Light'].files[0].acodec, 'ac3');
    await page.goto(addressOf(films['Harbour Light']));
    await running(page);
    await page.getByText('This browser cannot play the sound (AC-3)').waitFor();
    assert.equal(await page.evaluate(() => document.querySelector('video').paused), false);
  });

  it('that does not arrive is told of within seconds, and comes when the server answers', async () => {
    const { page } = viewer;
    const content = `**/api/v1/files/${films['Deep Zoom'].files[0].id}/content`;
    let release;
    const released = new Promise((done) => (release = done));
    await page.route(content, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${addressOf(films['Deep Zoom'])}?at=0`);
    await page.getByRole('alert').getByText('No data yet').waitFor();
    release();
    await running(page);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.unroute(content);
  });

  it('asks for a login where the session is over, and goes on after it', async () => {
    const { page, context } = viewer;
    await page.goto(`${server.url}/items/${films['Deep Zoom'].id}`);
    await page.getByRole('heading', { level: 1, name: 'Deep Zoom' }).waitFor();
    await context.clearCookies();
    await page
      .getByRole('button', { name: /^(Watch|Continue)/ })
      .first()
      .click();
    await page.getByText('Your session has ended').waitFor();
    await logIn(page);
    await running(page);
  });

  it('has heard no complaint from the browser', () => assert.deepEqual(viewer.complaints, []));
});
