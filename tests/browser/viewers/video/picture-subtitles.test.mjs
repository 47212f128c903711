/** Picture subtitles from inside films, in the real server: each way in which a film plays draws them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pgs } from '../../media/pgs.mjs';
import { addLibrary, apiOf, enter, itemOf, launchBrowser, startServer, until } from '../../harness.mjs';
import { AVC, encode, hasFfmpeg, PICTURE, SOUND } from '../../media/encoded.mjs';
import { chooseSubtitles, openTracks, running, state } from './film-page.mjs';

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
/** Seconds at which the picture appears and disappears. */
const [FROM, TO] = [6, 30];

let server;
let browser;
let viewer;
let page;
const films = {};
/** Requests for a decoder. */
let decoder = [];

function filmsWith(sup) {
  const marks = (language, more = []) => ['-metadata:s:s:0', `language=${language}`, ...more];
  const inputs = [...PICTURE, ...SOUND, '-copyts', '-i', sup, '-map', '0', '-map', '1', '-map', '2'];
  const named = marks('eng', ['-metadata:s:s:0', 'title=Signs']);
  const forced = marks('eng', ['-disposition:s:0', 'forced']);
  return {
    'Blue Disc (2001)/Blue Disc (2001).mkv': [...inputs, ...AVC, '-c:a', 'aac', '-c:s', 'copy', ...named],
    'Old Disc (2002)/Old Disc (2002).mkv': [...inputs, ...AVC, '-c:a', 'ac3', '-c:s', 'dvdsub', ...forced],
    'High Mast (2003)/High Mast (2003).ts': [
      ...inputs,
      ...['-c:v', 'mpeg2video', '-c:a', 'ac3', '-c:s', 'dvbsub', '-max_interleave_delta', '0'],
      ...marks('ger'),
    ],
  };
}

before(async () => {
  if (skip) return;
  server = await startServer();
  const sup = join(server.folder, 'text.sup');
  writeFileSync(sup, pgs(FROM, TO));
  encode(join(server.folder, 'films'), filmsWith(sup));
  const api = await apiOf(server.url);
  await addLibrary(api, join(server.folder, 'films'), 'Films');
  for (const name of ['Blue Disc', 'Old Disc', 'High Mast']) films[name] = await itemOf(api, name);
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
  viewer = await enter(browser, server.url);
  ({ page } = viewer);
  page.on('request', (request) => {
    if (/\.wasm$|\/session-/.test(new URL(request.url()).pathname)) decoder.push(request.url());
  });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(film, at = 0) {
  decoder = [];
  await page.goto(`${server.url}/items/${film.id}/open/${film.files[0].id}?at=${at}`);
  await running(page, at + 0.2);
}

const seek = (to) => page.evaluate((time) => (document.querySelector('video').currentTime = time), to);
/** A line that began before the start of reading is not there. */
const seekBefore = async () => {
  await seek(FROM - 1);
  await drawn().waitFor({ state: 'detached' });
};
const drawn = () => page.locator('canvas.pictures:not([hidden])');

/** The place of the picture in the film, in shares of its size, and its first pixel. */
const shown = async () => {
  await drawn().waitFor();
  return page.evaluate(() => {
    const canvas = document.querySelector('canvas.pictures');
    const box = canvas.getBoundingClientRect();
    const film = document.querySelector('video').getBoundingClientRect();
    // The films have a picture of 4:3, in the middle of a wider player.
    const [height, width] = [film.height, (film.height * 4) / 3];
    const left = film.left + (film.width - width) / 2;
    return {
      pixel: [...canvas.getContext('2d').getImageData(4, 4, 1, 1).data],
      left: (box.left - left) / width,
      top: (box.top - film.top) / height,
      width: box.width / width,
    };
  });
};

/** Hides the bars, above which subtitles move. */
const hideBars = () => page.locator('.stage.asleep').waitFor();

async function checkPlace() {
  await hideBars();
  await until('the place below the hidden bars', async () => {
    const { top } = await shown();
    return Math.abs(top - 400 / 576) < 0.02;
  });
  const { pixel, left, width } = await shown();
  assert.ok(
    pixel.every((byte) => byte > 240),
    `the picture is white: ${pixel}`,
  );
  assert.ok(Math.abs(left - 100 / 720) < 0.02, `left at ${left}`);
  assert.ok(Math.abs(width - 32 / 720) < 0.02, `${width} wide`);
}

describe('picture subtitles', { concurrency: false, skip }, () => {
  it('are in the menu of a film that the browser plays, which loads no decoder before', async () => {
    await open(films['Blue Disc']);
    const panel = await openTracks(page);
    const names = await panel.getByRole('group', { name: 'Subtitles', exact: true }).innerText();
    assert.match(names, /English – Signs\s+In the file · picture/);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.deepEqual(decoder, []);
  });

  it('of such a film are drawn at their time and place, once they are chosen', async () => {
    await chooseSubtitles(page, 'English – Signs');
    await until('the decoder', () => decoder.some((url) => url.endsWith('.wasm')));
    await seekBefore();
    await checkPlace();
    await seek(33);
    await drawn().waitFor({ state: 'detached' });
  });

  it('are shown later by the delay', async () => {
    await seekBefore();
    await drawn().waitFor();
    await page.keyboard.press('k');
    const panel = await openTracks(page);
    const later = panel.getByRole('button', { name: 'Show 0.1 seconds later' });
    const { time } = await state(page);
    const steps = Math.ceil((time - FROM) * 10) + 1;
    for (let step = 0; step < steps; step += 1) await later.click();
    await drawn().waitFor({ state: 'detached' });
    for (let step = 0; step < steps; step += 1)
      await panel.getByRole('button', { name: 'Show 0.1 seconds earlier' }).click();
    await drawn().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('are remembered for the film, and can be switched off', async () => {
    await open(films['Blue Disc'], FROM - 2);
    await drawn().waitFor();
    await chooseSubtitles(page, 'Off');
    await drawn().waitFor({ state: 'detached' });
  });

  it('that are forced are selected by their language', async () => {
    await page.evaluate(() => localStorage.removeItem('ledge.film.1'));
    await open(films['Old Disc'], FROM - 2);
    await checkPlace();
  });

  it('are drawn over a film that the page decodes', async () => {
    await open(films['High Mast']);
    await chooseSubtitles(page, 'German');
    await seekBefore();
    await checkPlace();
    assert.deepEqual(viewer.complaints, []);
  });
});
