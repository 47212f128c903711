/** Styled subtitles over a film in the real server: the pixels that libass draws, fonts, and plain text without them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  addLibrary,
  apiOf,
  itemOf,
  launchBrowser,
  leave,
  logIn,
  openPage,
  startServer,
  until,
  violations,
} from '../../harness.mjs';
import { hasFfmpeg } from '../../media/encoded.mjs';
import { box, boxOf, cues, isAt, near, noCanvas, plain, script, stopAt, tag } from './styled-page.mjs';

const square = (size) => `m 0 0 l ${size} 0 ${size} ${size} 0 ${size}`;
const STYLED = script(
  'Arial',
  `0,0:00:00.00,0:00:03.00,Default,,0,0,0,,Deeper and {\\i1${tag('red')}}deeper`,
  `1,0:00:00.00,0:00:03.00,Default,,0,0,0,,{\\an5\\pos(160,90)${tag('gold')}}HHHH`,
  `1,0:00:00.00,0:00:03.00,Default,,0,0,0,,{\\an7\\pos(400,50)${tag('green')}\\p1}${square(40)}`,
  `0,0:00:03.00,0:00:05.00,Default,,0,0,0,,{${tag('cyan')}${tag('magenta', 2)}\\k50}{\\k50}HHH {\\k50}HHH`,
  `0,0:00:05.00,0:00:10.00,Default,,0,0,0,,{\\an7\\move(0,0,600,320,0,4000)${tag('blue')}\\p1}${square(20)}`,
  `0,0:00:05.00,0:00:10.00,Default,,0,0,0,,{${tag('cyan')}}Below`,
  `0,0:00:05.00,0:00:10.00,Default,,0,0,0,,{${tag('magenta')}}Above`,
  '0,0:00:10.00,0:00:12.00,Default,,0,0,0,,{\\fnx";position:fixed;background:url(//evil.example/)}<img src=payload onerror="window.struck=1"><b>bold</b>',
);
const FONT = '@fontsource/opendyslexic/files/opendyslexic-latin-400-normal.woff2';

let server;
let browser;
let viewer;
let film;
let address;

const path = (name) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** Creates a film with subtitles: with letters and with a symbol that no font has. */
async function makeFilms(films) {
  const folder = join(films, 'Deep Zoom (2019)');
  const media = path('fixtures/media/deep-zoom.webm');
  await mkdir(folder, { recursive: true });
  await cp(media, join(folder, 'Deep Zoom (2019).webm'));
  const line = (words) => script('Arial', `0,0:00:00.00,0:00:12.00,Default,,0,0,0,,${words}`);
  const tracks = { de: STYLED, ja: line('日本語'), fr: line('Étoile ★'), en: null };
  for (const [language, text] of Object.entries(tracks)) {
    const name = join(folder, `Deep Zoom (2019).${language}`);
    if (text) await writeFile(`${name}.ass`, text);
    else await writeFile(`${name}.srt`, '1\n00:00:00,000 --> 00:00:12,000\nDeeper\n');
  }
  if (!hasFfmpeg()) return;
  const own = join(films, 'Own Letters (2020)');
  await mkdir(own);
  const font = [
    '-attach',
    path(`../web/node_modules/${FONT}`),
    '-metadata:s:t',
    'mimetype=font/woff2',
    '-metadata',
    'title=Own Letters',
  ];
  const target = join(own, 'Own Letters (2020).mkv');
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', media, '-c', 'copy', ...font, target]);
  const words = script('OpenDyslexic', '0,0:00:00.00,0:00:12.00,Own,,0,0,0,,IIIIIIIIII');
  await writeFile(join(own, 'Own Letters (2020).de.ass'), words);
}

before(async () => {
  server = await startServer();
  const films = join(server.media, '..', 'films');
  await makeFilms(films);
  const api = await apiOf(server.url);
  await addLibrary(api, films, 'Films');
  film = await itemOf(api, 'Deep Zoom');
  address = `${server.url}/items/${film.id}/open/${film.files[0].id}`;
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

const show = (time, label) => stopAt(viewer.page, address, time, label);
const foot = ({ bottom }) => Math.abs(bottom - (360 - 18)) < 8;

describe('subtitles with styles', { concurrency: false }, () => {
  it('load nothing for a film with plain subtitles', async () => {
    const { page } = viewer;
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await show(2, 'English');
    await until('the plain words', async () => (await plain(page)).length === 1);
    const parts = asked.filter((url) => /\/(?:jassub|layer|styled|default)\b|\.wasm$|\/fonts$/.test(url));
    assert.deepEqual(parts, []);
    page.removeAllListeners('request');
  });

  it('have the colours, sizes and positions of their script', async () => {
    const { page } = viewer;
    await show(2);
    await boxOf(page, 'green', isAt(400, 50, 440, 90));
    const sign = await boxOf(page, 'gold');
    near((sign.left + sign.right) / 2, 160, 'the middle of the sign');
    near((sign.top + sign.bottom) / 2, 90, 'the middle of the sign', 3);
    // Capitals of Liberation Sans have two thirds of the line's height.
    near(sign.bottom - sign.top, 24 * 0.63, 'its height', 2);
    const [white, red] = [await boxOf(page, 'white'), await boxOf(page, 'red')];
    assert.ok(white.right <= red.left + 1, 'red letters follow white ones');
    near((white.left + red.right) / 2, 320, 'the middle of the line', 3);
    assert.deepEqual(await cues(page), [], 'nothing is shown twice');
    assert.deepEqual(await plain(page), []);
    assert.deepEqual(await violations(page), []);
  });

  it('are at the bottom of the picture, and above visible controls', async () => {
    const { page } = viewer;
    await show(2);
    await boxOf(page, 'white', ({ bottom }) => bottom < 330);
    near((await box(page, 'gold')).top, 82, 'a line with a position stays', 3);
    await page.evaluate(() => {
      const video = document.querySelector('video');
      video.playbackRate = 0.1;
      return video.play();
    });
    await page.waitForFunction(() => document.querySelector('.stage.asleep') !== null);
    await boxOf(page, 'white', foot);
    await page.evaluate(() => (document.querySelector('video').playbackRate = 1));
  });

  it('stay with the film in every view, without overlaps', async () => {
    const { page } = viewer;
    await show(7);
    await boxOf(page, 'blue', isAt(300, 160, 320, 180));
    const below = await boxOf(page, 'cyan');
    const above = await boxOf(page, 'magenta');
    assert.ok(above.bottom <= below.top, 'one line on the other');
    await show(9.5);
    await boxOf(page, 'blue', isAt(600, 320, 620, 340));
    await show(2);
    await boxOf(page, 'green');
    assert.equal(await box(page, 'blue'), null);
  });

  it('follow the film at every speed, and the delay while it stands', async () => {
    const { page } = viewer;
    await show(5);
    await boxOf(page, 'blue', isAt(0, 0, 20, 20));
    await page.evaluate(() => {
      const video = document.querySelector('video');
      video.playbackRate = 2;
      return video.play();
    });
    const seen = new Set();
    await until('three positions', async () => {
      seen.add((await box(page, 'blue'))?.left);
      return seen.size > 3;
    });
    await page.evaluate(() => {
      const video = document.querySelector('video');
      video.pause();
      video.playbackRate = 1;
    });
    await show(7);
    await boxOf(page, 'blue', isAt(300, 160, 320, 180));
    // A tenth of a second is a fortieth of the way.
    await page.keyboard.press('h');
    await boxOf(page, 'blue', isAt(285, 152, 305, 172));
    await page.keyboard.press('g');
    await boxOf(page, 'blue', isAt(300, 160, 320, 180));
  });

  it('scale with the picture, also on a narrow screen and in full screen', async () => {
    const { page } = viewer;
    await show(2);
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.querySelector('.words canvas')?.width < 400);
    // A pixel of this screen has 1.6 units of the script.
    await boxOf(page, 'green', isAt(400, 50, 440, 90, 2.5));
    // The bars are next to the picture there, so lines need not move.
    await boxOf(page, 'white', foot);
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize(wide);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement !== null);
    await boxOf(page, 'green', isAt(400, 50, 440, 90));
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement === null);
  });

  it('are coloured by syllable in karaoke', async () => {
    const { page } = viewer;
    await show(3.2);
    const before = await boxOf(page, 'magenta');
    assert.equal(await box(page, 'cyan'), null);
    await show(3.7);
    const sung = await boxOf(page, 'cyan');
    const left = await boxOf(page, 'magenta', (found) => found.left > before.left + 10);
    assert.ok(sung.right <= left.left, 'the first syllable is sung');
    await show(4.2);
    await boxOf(page, 'cyan', (found) => Math.abs(found.right - before.right) < 1);
    assert.equal(await box(page, 'magenta'), null);
  });

  it('are rendered as text only', async () => {
    const { page } = viewer;
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await show(11);
    await boxOf(page, 'white');
    const made = await page.evaluate(() => [
      document.querySelectorAll('.words > :not(canvas)').length,
      globalThis.struck ?? null,
    ]);
    assert.deepEqual(made, [0, null]);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(server.url)),
      [],
    );
  });

  it('use the browser’s track in picture in picture, and are plain if the script does not load', async () => {
    const { page } = viewer;
    await show(2);
    await boxOf(page, 'green');
    const tell = (event) =>
      page.evaluate((name) => document.querySelector('video').dispatchEvent(new Event(name)), event);
    await tell('enterpictureinpicture');
    await until('the plain words', async () => (await cues(page)).length > 0);
    await noCanvas(page);
    await tell('leavepictureinpicture');
    await boxOf(page, 'green');
    assert.deepEqual(await cues(page), []);
    await show(2, 'Off');
    await noCanvas(page);
    await page.route('**/subtitles/*.ass', (route) => route.fulfill({ status: 500 }));
    await show(2);
    await until('the plain words', async () => (await plain(page)).length > 0);
    await page.getByRole('status').filter({ hasText: 'shown without their styles' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.unroute('**/subtitles/*.ass');
  });

  it('are shown after the film is reopened', async () => {
    const { page } = viewer;
    await page.reload();
    await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
    await show(2);
    await boxOf(page, 'green');
  });

  it('are plain text if no font has a letter, but not for a symbol', async () => {
    const { page } = viewer;
    await show(2, 'Japanese');
    await until('the plain words', async () => (await plain(page)).join() === '日本語');
    await noCanvas(page);
    await show(2, 'French');
    await boxOf(page, 'white');
    assert.deepEqual(await plain(page), []);
  });

  it('end with their worker when the film is left', async () => {
    const { page } = viewer;
    await show(2);
    await boxOf(page, 'green');
    assert.equal(page.workers().length, 1);
    await leave(page, film, page.getByRole('button', { name: 'Back', exact: true }));
    await until('the end of the worker', () => page.workers().length === 0);
  });

  const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
  it('have the fonts that are attached to the film', { skip }, async () => {
    const { page } = viewer;
    const own = await itemOf(await apiOf(server.url), 'Own Letters');
    const url = `${server.url}/items/${own.id}/open/${own.files[0].id}`;
    const height = async () => {
      const { top, bottom } = await boxOf(page, 'white');
      return bottom - top;
    };
    await page.route('**/fonts', (route) => route.fulfill({ json: { items: [] } }));
    await stopAt(page, url, 2);
    const usual = await height();
    await page.unroute('**/fonts');
    await page.reload();
    await stopAt(page, url, 2);
    // The capitals of this font are lower than those of the default one, at the same height of a line.
    await until('its letters', async () => (await height()) < usual * 0.85);
  });

  it('cause no console errors', () => assert.deepEqual(viewer.complaints, []));
});
