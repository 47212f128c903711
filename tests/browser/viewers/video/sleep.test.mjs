/** Films that are paused for an hour, while the machine sleeps, the connections end, or the session ends. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../../web/test/fake/world.mjs';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  logIn,
  startServer,
  withFake,
} from '../../harness.mjs';
import { encode, hasFfmpeg } from '../../media/encoded.mjs';
import { chooseWay, drawnColours, running, serveFilm, state } from './film-page.mjs';

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
/** Larger than what the page buffers, so that it needs the server after the pause. */
const FILE = 'Long Rest (2011).mkv';
const OPTIONS = [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=90'],
  ...['-f', 'lavfi', '-i', 'sine=frequency=440:duration=90'],
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50'],
  ...['-b:v', '3M', '-minrate', '3M', '-maxrate', '3M', '-bufsize', '1M', '-x264-params', 'nal-hrd=cbr'],
  ...['-c:a', 'aac'],
];
const facts = { container: 'matroska', vcodec: 'h264', acodec: 'aac', duration: 90, extent: 90, streams: [] };
const address = `/items/${FILM}/open/${FILM * 100}`;
const WAYS = ['Browser', 'Repackaged', 'Decoded in the page'];

let browser;
let folder;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'ledge-sleep-'));
  encode(folder, { [FILE]: OPTIONS });
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const isDecoded = (way) => way === WAYS[2];
const seek = (page, to) => page.evaluate((time) => (document.querySelector('video').currentTime = time), to);

async function pause(page) {
  await page.evaluate(() => document.querySelector('video').pause());
  return (await state(page)).time;
}

/** Continues, and checks that it is where it was, without an error. */
async function continues(page, time, way) {
  await page.evaluate(() => document.querySelector('video').play());
  await running(page, time + 0.5);
  assert.ok((await state(page)).time < time + 15, 'the position stays');
  if (isDecoded(way)) assert.ok((await drawnColours(page)) > 8);
  // The rest needs requests.
  await seek(page, 60);
  await running(page, 60.5);
  assert.equal(await page.getByRole('alert').count(), 0);
}

/** Plays the film of the stand-in server in a way. */
const playing = (way, check) =>
  withFake(browser, {}, address, async (page, fake) => {
    await page.clock.install();
    const bytes = readFileSync(join(folder, FILE));
    const film = { refusals: 0 };
    await serveFilm(page, bytes, facts, () => !fake.options.loggedIn || film.refusals-- > 0);
    await running(page);
    await chooseWay(page, way);
    await running(page, 1);
    await check(page, fake, film);
  });

describe('a film that is paused for an hour', { concurrency: false, skip }, () => {
  for (const way of WAYS)
    it(`continues without an error: ${way}`, () =>
      playing(way, async (page) => {
        const time = await pause(page);
        // As after sleep: each timer that is due fires once, and the clocks are an hour later.
        await page.clock.fastForward('01:00:00');
        assert.equal(await page.getByRole('alert').count(), 0);
        await continues(page, time, way);
      }));

  for (const way of WAYS)
    it(`continues if its session was renewed meanwhile: ${way}`, () =>
      playing(way, async (page, _fake, film) => {
        const time = await pause(page);
        await page.clock.fastForward('01:00:00');
        // The film refuses a request of the page once. The requests of a media element have the renewed session.
        film.refusals = way === WAYS[0] ? 0 : 1;
        await continues(page, time, way);
        assert.ok(film.refusals < 1, 'a request was refused');
      }));

  for (const way of WAYS)
    it(`asks for a login if its session has ended, and continues at its position: ${way}`, () =>
      playing(way, async (page, fake) => {
        await pause(page);
        await page.clock.fastForward('01:00:00');
        fake.options.loggedIn = false;
        await page.evaluate(() => {
          const video = document.querySelector('video');
          video.currentTime = 60;
          void video.play().catch(() => {});
        });
        await page.getByText('Your session has ended').first().waitFor();
        await logIn(page, 'marit');
        await running(page, 58);
        assert.ok((await state(page)).time < 75, 'the position stays');
        assert.equal(await page.getByRole('alert').count(), 0);
      }));
});

describe('a film of the real server', { concurrency: false, skip }, () => {
  let server;
  let opened;
  let item;

  before(async () => {
    server = await startServer();
    encode(join(server.media, '..', 'films'), { [FILE]: OPTIONS });
    const api = await apiOf(server.url);
    await addLibrary(api, join(server.media, '..', 'films'), 'Films');
    item = await itemOf(api, 'Long Rest');
    opened = await enter(browser, server.url);
  });
  after(async () => {
    await opened?.context.close();
    await server?.stop();
  });

  for (const way of WAYS)
    it(`continues after a pause in which the page was frozen and all connections ended: ${way}`, async () => {
      const { page } = opened;
      await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}?at=0`);
      await running(page);
      await chooseWay(page, way);
      await running(page, 1);
      const time = await pause(page);
      const tools = await page.context().newCDPSession(page);
      await tools.send('Page.setWebLifecycleState', { state: 'frozen' });
      await server.kill();
      await server.restart();
      await tools.send('Page.setWebLifecycleState', { state: 'active' });
      await continues(page, time, way);
    });
});
