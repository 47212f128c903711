/** The picture under the pointer on the timeline, in the real server, for films that play in different ways. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addLibrary, apiOf, enter, itemOf, launchBrowser, startServer, until } from '../../harness.mjs';
import { AVC, encode, hasFfmpeg, SOUND } from '../../media/encoded.mjs';
import { running, state } from './film-page.mjs';

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';

/** A film of 40 seconds that is red up to its middle, then blue. */
const HALVES = [
  ...['-f', 'lavfi', '-i', 'color=red:size=640x360:rate=25:duration=20'],
  ...['-f', 'lavfi', '-i', 'color=blue:size=640x360:rate=25:duration=20'],
  ...SOUND,
  ...['-filter_complex', '[0][1]concat[v]', '-map', '[v]', '-map', '2', '-pix_fmt', 'yuv420p'],
];
const FILMS = {
  'Two Halves (2001)/Two Halves (2001).mp4': [...HALVES, ...AVC, '-c:a', 'aac'],
  'Low Halves (2002)/Low Halves (2002).avi': [...HALVES, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'Far Halves (2003)/Far Halves (2003).ts': [...HALVES, ...AVC, '-c:a', 'ac3'],
};

let server;
let browser;
let viewer;
let page;
const films = {};
/** Requests for a decoder. */
let decoder = [];

before(async () => {
  if (skip) return;
  server = await startServer();
  encode(join(server.folder, 'films'), FILMS);
  const api = await apiOf(server.url);
  await addLibrary(api, join(server.folder, 'films'), 'Films');
  for (const name of ['Two Halves', 'Low Halves', 'Far Halves']) films[name] = await itemOf(api, name);
  browser = await launchBrowser(['--enable-unsafe-swiftshader']);
  viewer = await enter(browser, server.url);
  ({ page } = viewer);
  page.on('request', (request) => {
    if (request.url().endsWith('.wasm')) decoder.push(request.url());
  });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(film) {
  decoder = [];
  await page.goto(`${server.url}/items/${film.id}/open/${film.files[0].id}?at=0`);
  await running(page);
}

const seekBar = () => page.getByRole('slider', { name: 'Seek' });
const preview = () => page.locator('[data-preview]');

async function point(share) {
  const box = await seekBar().boundingBox();
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2, { steps: 3 });
}

/** The colour and the size of the picture under the pointer. */
const shown = () =>
  preview().evaluate((canvas) => {
    const { width, height } = canvas;
    const [red, , blue] = canvas.getContext('2d').getImageData(width / 2, height / 2, 1, 1).data;
    return { colour: red > 150 ? 'red' : blue > 150 ? 'blue' : `${red} ${blue}`, width, height };
  });

const colourAt = async (share, colour) => {
  await point(share);
  await until(`a picture that is ${colour}`, async () => {
    return (await preview().count()) > 0 && (await shown()).colour === colour;
  });
};

describe('the picture under the pointer', { concurrency: false, skip }, () => {
  for (const [name, usesDecoder] of [
    ['Two Halves', false],
    ['Low Halves', true],
    ['Far Halves', true],
  ])
    it(`is that of its time while ${name} plays on`, async () => {
      await open(films[name]);
      await colourAt(0.75, 'blue');
      assert.deepEqual(await shown(), { colour: 'blue', width: 240, height: 135 });
      const { time } = await state(page);
      assert.ok(time < 20, 'the film is still in its first half');
      await colourAt(0.25, 'red');
      await running(page, time + 0.2);
      assert.equal(decoder.length > 0, usesDecoder);
      await page.mouse.move(600, 200);
      await preview().waitFor({ state: 'detached' });
      assert.deepEqual(viewer.complaints, []);
    });

  it('follows a finger', async () => {
    await open(films['Two Halves']);
    await seekBar().evaluate((bar) => {
      const box = bar.getBoundingClientRect();
      const at = { clientX: box.left + box.width * 0.75, clientY: box.top + 5 };
      for (const type of ['pointerdown', 'pointermove'])
        bar.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true, pointerType: 'touch' }));
    });
    await until('a picture', async () => (await preview().count()) > 0);
    assert.equal((await shown()).colour, 'blue');
  });

  it('is not fetched if the user saves data', async () => {
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } }),
    );
    const code = page.waitForResponse((response) => /\/Preview-[\w-]+\.js$/.test(response.url()));
    await open(films['Two Halves']);
    await point(0.75);
    await code;
    await point(0.5);
    // A later picture of the film proves that the page had time.
    await running(page, (await state(page)).time + 1);
    assert.equal(await preview().count(), 0);
  });
});
