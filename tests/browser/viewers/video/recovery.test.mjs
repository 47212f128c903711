/** Decoded films whose decoder does not load, whose graphics fail, or whose sound track changes. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, until, withFake } from '../../harness.mjs';
import { encode, hasFfmpeg } from '../../media/encoded.mjs';
import { chooseWay, drawnColours, openTracks, running, serveFilm, state } from './film-page.mjs';

let browser;

before(async () => (browser = await launchBrowser(['--enable-unsafe-swiftshader'])));
after(() => browser?.close());

const film = `/items/${FILM}/open/${FILM * 100}`;
const endless = (page) => page.evaluate(() => (document.querySelector('video').loop = true));

const drawn = (page) => until('a picture', async () => (await drawnColours(page)) > 8);

const notice = (page, text) => page.getByRole('alert').filter({ hasText: text });
const NOT_LOADED = 'A part of the player did not load';
const NO_GRAPHICS = 'The graphics of this browser cannot draw the picture';

/** Opens the film, and lets the page decode it. */
const decoded = (check) =>
  withFake(browser, {}, film, async (page) => {
    await running(page);
    await endless(page);
    await check(page);
  });

describe('a decoder that does not load', { concurrency: false }, () => {
  for (const [part, pattern] of [
    ['module', /\.wasm$/],
    ['session', /\/assets\/session-[^/]*\.js$/],
  ])
    it(`because its ${part} is missing is requested again, and plays without a reload`, () =>
      decoded(async (page) => {
        let requests = 0;
        await page.route(pattern, (route) => {
          requests += 1;
          return route.abort();
        });
        await chooseWay(page, 'Decoded in the page');
        await notice(page, NOT_LOADED).waitFor();
        await until('a further request', () => requests > 1);
        assert.ok(requests < 4, `${requests} requests`);
        await page.unroute(pattern);
        await drawn(page);
        await running(page);
        assert.equal(await notice(page, NOT_LOADED).count(), 0);
      }));
});

describe('the graphics of a decoded film', { concurrency: false }, () => {
  /** Calls the extension that loses and restores the context. */
  const graphics = (page, call) =>
    page.evaluate((name) => {
      const context = document.querySelector('canvas').getContext('webgl2');
      globalThis.losing ??= context.getExtension('WEBGL_lose_context');
      globalThis.losing[name]();
    }, call);
  const isLost = (page) =>
    page.evaluate(() => document.querySelector('canvas').getContext('webgl2').isContextLost());

  it('that are restored show the picture again', () =>
    decoded(async (page) => {
      await chooseWay(page, 'Decoded in the page');
      await drawn(page);
      await graphics(page, 'loseContext');
      await until('the loss', () => isLost(page));
      await graphics(page, 'restoreContext');
      await drawn(page);
      assert.equal(await notice(page, NO_GRAPHICS).count(), 0);
    }));

  it('that stay lost are reported, and another attempt works afterwards', () =>
    decoded(async (page) => {
      await chooseWay(page, 'Decoded in the page');
      await drawn(page);
      await graphics(page, 'loseContext');
      await notice(page, NO_GRAPHICS).waitFor();
      await graphics(page, 'restoreContext');
      await until('the return', async () => !(await isLost(page)));
      await page.getByRole('button', { name: 'Retry' }).click();
      await drawn(page);
      await running(page);
    }));

  it('whose shader does not compile are reported', () =>
    decoded(async (page) => {
      await page.evaluate(() => {
        WebGL2RenderingContext.prototype.linkProgram = () => {};
      });
      await chooseWay(page, 'Decoded in the page');
      await notice(page, NO_GRAPHICS).waitFor();
      await page.getByRole('button', { name: 'Play audio only' }).click();
      await running(page);
    }));
});

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';

describe('sound tracks of a repackaged film', { concurrency: false, skip }, () => {
  let folder;
  let bytes;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledge-tracks-'));
    const sound = (tone) => ['-f', 'lavfi', '-i', `sine=frequency=${tone}:duration=40`];
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=40'];
    const maps = ['-map', '0:v', '-map', '1:a', '-map', '2:a'];
    const codecs = [
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-g',
      '50',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'ac3',
    ];
    const defaults = ['-disposition:a:0', '0', '-disposition:a:1', 'default'];
    encode(folder, {
      'film.mkv': [...picture, ...sound(440), ...sound(880), ...maps, ...codecs, ...defaults],
    });
    bytes = readFileSync(join(folder, 'film.mkv'));
    // The codec of the first track is unknown, so that it cannot be decoded.
    bytes.write('A_XXX', bytes.indexOf('A_AC3'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const stream = { language: null, forced: false };
  const facts = {
    ...{ container: 'matroska', vcodec: 'h264', acodec: 'ac3', duration: 40, extent: 40 },
    streams: [
      { ...stream, type: 'video', codec: 'h264', title: null, default: true },
      { ...stream, type: 'audio', codec: 'ac3', title: 'Broken', default: false },
      { ...stream, type: 'audio', codec: 'ac3', title: 'Sound', default: true },
    ],
  };

  async function chooseSound(page, name) {
    const panel = await openTracks(page);
    await panel.getByRole('group', { name: 'Sound' }).getByRole('radio', { name }).check();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }

  const decodedSound = (page) =>
    page.evaluate(() => document.querySelector('video').webkitAudioDecodedByteCount);

  it('get and lose their lane at the same position', () =>
    withFake(browser, {}, film, async (page) => {
      await serveFilm(page, bytes, facts);
      await running(page);
      await page.evaluate(() => {
        Object.assign(document.querySelector('video'), { currentTime: 20, playbackRate: 1.5 });
      });
      await running(page, 20.5);
      await until('sound', async () => (await decodedSound(page)) > 0);
      await chooseSound(page, 'Broken');
      await page.getByText('This browser cannot play the sound').waitFor();
      const before = (await state(page)).time;
      await running(page, Math.max(20.5, before) + 0.5);
      assert.ok((await state(page)).time < 35, 'the position stays');
      await chooseSound(page, 'Sound');
      await until('sound', async () => (await decodedSound(page)) > 0);
      await running(page, before + 1);
      const { time, speed } = await state(page);
      assert.ok(time < 38, 'the position stays');
      assert.equal(speed, 1.5);
      assert.equal(await page.getByText('This browser cannot play the sound').count(), 0);
    }));
});
