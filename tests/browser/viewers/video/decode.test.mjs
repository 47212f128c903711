/** Films and recordings that the browser does not play by itself, in the real server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  startServer,
  toldPlaces,
  until,
} from '../../harness.mjs';
import { encode, FILMS, hasFfmpeg, LENGTH, RECORDINGS } from '../../media/encoded.mjs';
import { drawnColours } from './film-page.mjs';

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
const films = {};
const sounds = {};
let server;
let browser;
let api;
let viewer;
let page;
/** Requests for parts of the decoder. */
let decoder;

before(async () => {
  if (skip) return;
  server = await startServer();
  encode(join(server.media, '..', 'films'), FILMS);
  encode(join(server.media, '..', 'sounds'), RECORDINGS);
  api = await apiOf(server.url);
  await addLibrary(api, join(server.media, '..', 'films'), 'Films');
  await addLibrary(api, join(server.media, '..', 'sounds'), 'Sounds');
  for (const name of ['Tall Mast', 'Low Tide', 'Wet Sand', 'Plain Sail', 'Mute Gull', 'Grand Pier'])
    films[name] = await itemOf(api, name);
  for (const name of ['Odd Notes', 'Bare Bell', 'Known Note']) sounds[name] = await itemOf(api, name);
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
  viewer = await enter(browser, server.url);
  ({ page } = viewer);
  page.on('request', (request) => {
    if (/\.wasm$|\/session-/.test(new URL(request.url()).pathname)) decoder.push(request.url());
  });
  decoder = [];
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(film, at = 0) {
  decoder = [];
  await page.goto(`${server.url}/items/${film.id}/open/${film.files[0].id}?at=${at}`);
}

const past = (seconds) =>
  page.waitForFunction((time) => {
    const video = document.querySelector('video');
    return video !== null && !video.paused && video.currentTime > time;
  }, seconds);

/** The state of the film's element. */
const state = () =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    const { currentTime, duration, videoWidth, webkitAudioDecodedByteCount: sound } = video;
    return { currentTime, duration, videoWidth, sound };
  });

const colours = () => drawnColours(page);

const seek = (to) => page.evaluate((time) => (document.querySelector('video').currentTime = time), to);

describe('a film', { concurrency: false, skip }, () => {
  it('that the browser plays loads nothing of the decoder', async () => {
    await open(films['Plain Sail']);
    await past(1);
    assert.ok((await state()).videoWidth > 0);
    await seek(30);
    await past(30.5);
    assert.deepEqual(decoder, []);
  });

  it('with H.264 and AC-3 in Matroska plays with sound, and no notice', async () => {
    assert.equal(films['Tall Mast'].files[0].acodec, 'ac3');
    await open(films['Tall Mast']);
    await past(2);
    const { videoWidth, sound, duration } = await state();
    assert.equal(videoWidth, 320);
    assert.ok(sound > 0, `${sound} bytes of sound were decoded`);
    assert.ok(Math.abs(duration - LENGTH) < 0.2);
    assert.equal(await colours(), 0, 'the element shows the picture');
    assert.equal(await page.getByText('This browser cannot play the sound').count(), 0);
    assert.ok(decoder.some((url) => url.endsWith('.wasm')));
  });

  it('continues where the user seeks, forwards and backwards', async () => {
    await seek(35);
    await past(35.5);
    await seek(10);
    await past(10.5);
    assert.ok((await state()).currentTime < 20);
  });

  it('keeps the position of a decoded film on the server, and begins there again', async () => {
    const told = toldPlaces(page);
    await open(films['Wet Sand'], 12);
    await past(13);
    await page.keyboard.press('k');
    await until('the position', () => told.some((one) => one.position >= 12 && one.position < 20));
    const { items } = await api(`/items/${films['Wet Sand'].id}/progress`);
    assert.ok(items.some((one) => one.position >= 12 && one.position < 20));
    await page.goto(`${server.url}/items/${films['Wet Sand'].id}/open/${films['Wet Sand'].files[0].id}`);
    await page.waitForFunction(() => document.querySelector('video')?.currentTime >= 12);
  });

  for (const [name, format] of [
    ['Low Tide', 'MPEG-2 in a program stream'],
    ['Wet Sand', 'MPEG-4 ASP in AVI'],
    ['Mute Gull', 'MPEG-4 ASP without sound'],
  ])
    it(`in ${format} shows its picture in the page`, async () => {
      await open(films[name]);
      await past(1);
      assert.ok((await colours()) > 8);
      const { videoWidth, sound } = await state();
      assert.equal(videoWidth, 0);
      if (name !== 'Mute Gull') assert.ok(sound > 0);
      await seek(30);
      await past(30.5);
      assert.ok((await colours()) > 8);
    });

  it('that ends is finished', async () => {
    await open(films['Wet Sand'], LENGTH - 2);
    await until('the end', async () => {
      const { items } = await api(`/items/${films['Wet Sand'].id}/progress`);
      return items.some((one) => one.finished);
    });
  });

  it('plays in the way that the user selects', async () => {
    await page.setViewportSize({ width: 700, height: 860 });
    await open(films['Plain Sail']);
    await past(1);
    await page.mouse.move(200, 200);
    await page.getByRole('button', { name: 'Playback settings' }).click();
    await page.getByRole('radio', { name: 'Decoded in the page' }).check();
    await page.getByRole('button', { name: 'Close' }).click();
    assert.ok((await colours()) > 8);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('beyond the speed of the device states the numbers, and offers its sound', async () => {
    await page.evaluate(() => localStorage.setItem('ledge.decoding', '{"mpeg4":24883200}'));
    await open(films['Grand Pier']);
    await page.getByRole('alert').getByText('decodes MPEG-4 ASP at 50 % of the speed').waitFor();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    await page.getByRole('button', { name: 'Open in another app' }).waitFor();
    assert.deepEqual(decoder, []);
    await page.getByRole('button', { name: 'Play audio only' }).click();
    await past(0.5);
    const { sound } = await state();
    assert.ok(sound > 0);
    assert.equal(await colours(), 0);
    await page.evaluate(() => localStorage.removeItem('ledge.decoding'));
  });
});

describe('a recording', { concurrency: false, skip }, () => {
  /** The audible element of the player. */
  const audible = (seconds) =>
    page.waitForFunction(
      (time) => [...document.querySelectorAll('audio')].some((one) => !one.paused && one.currentTime > time),
      seconds,
    );
  const decoded = () =>
    page.evaluate(
      () => [...document.querySelectorAll('audio')].find((one) => !one.paused).webkitAudioDecodedByteCount,
    );
  const play = async (item) => {
    await page.goto(`${server.url}/items/${item.id}`);
    decoder = [];
    await page
      .getByRole('button', { name: /^(Play|Continue|Listen)/ })
      .first()
      .click();
  };

  it('that the browser plays loads nothing of the decoder', async () => {
    await play(sounds['Known Note']);
    await audible(1);
    assert.deepEqual(decoder, []);
  });

  it('in AC-3 plays through the dock, and its position can be changed', async () => {
    await play(sounds['Bare Bell']);
    await audible(1);
    assert.ok((await decoded()) > 0);
    await page.evaluate(
      () => ([...document.querySelectorAll('audio')].find((one) => !one.paused).currentTime = 30),
    );
    await audible(30.5);
    await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause' }).click();
    await page.waitForFunction(() => [...document.querySelectorAll('audio')].every((one) => one.paused));
  });

  it('in ALAC is followed by one in WMA, which is prepared before its end', async () => {
    const told = toldPlaces(page);
    await play(sounds['Odd Notes']);
    await audible(1);
    await page.evaluate((time) => {
      [...document.querySelectorAll('audio')].find((one) => !one.paused).currentTime = time;
    }, LENGTH - 5);
    await page.waitForFunction(
      () => [...document.querySelectorAll('audio')].filter((one) => one.readyState > 2).length === 2,
    );
    const [first, second] = sounds['Odd Notes'].files;
    await until('the second file', () => told.some((one) => one.file_id === second.id));
    assert.ok(told.some((one) => one.file_id === first.id && one.finished));
  });
});

it('the browser has reported no error', { skip }, () => assert.deepEqual(viewer.complaints, []));
