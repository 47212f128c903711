/** Styled subtitles over a film in the real server: colours, positions, and markup. */
import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  addLibrary,
  apiOf,
  itemOf,
  launchBrowser,
  logIn,
  openPage,
  startServer,
  until,
  violations,
} from '../../harness.mjs';
import { chooseSubtitles } from './film-page.mjs';

const SCRIPT = String.raw`[Script Info]
ScriptType: v4.00+
PlayResX: 640
PlayResY: 360

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,DejaVu Sans,24,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,1,2,20,20,18,1
Style: Sign,DejaVu Serif,36,&H0000D7FF,&H000000FF,&H00602000,&H80000000,-1,0,0,0,100,100,0,0,1,3,0,7,20,20,18,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.00,0:00:05.00,Default,,0,0,0,,Deeper and {\i1\c&H0000FF&}deeper{\r}.
Dialogue: 1,0:00:00.00,0:00:05.00,Sign,,0,0,0,,{\an5\pos(160,90)}Mind the gap
Dialogue: 0,0:00:05.00,0:00:10.00,Default,,0,0,0,,{\an7\move(0,0,640,360,0,4000)}Away
Dialogue: 0,0:00:05.00,0:00:10.00,Default,,0,0,0,,Below
Dialogue: 0,0:00:05.00,0:00:10.00,Default,,0,0,0,,Above
Dialogue: 0,0:00:10.00,0:00:12.00,Default,,0,0,0,,{\fnx";position:fixed;background:url(//evil.example/)}<img src=payload onerror="window.struck=1"><b>bold</b>
Dialogue: 0,0:00:03.00,0:00:05.00,Default,,0,0,0,,{\2c&H00D7FF&\k50}{\k50}Row, {\k50}row
`;

let server;
let browser;
let viewer;
let film;

before(async () => {
  server = await startServer();
  const folder = join(server.media, '..', 'films', 'Deep Zoom (2019)');
  await mkdir(folder, { recursive: true });
  const media = fileURLToPath(new URL('../../../fixtures/media/deep-zoom.webm', import.meta.url));
  await cp(media, join(folder, 'Deep Zoom (2019).webm'));
  await writeFile(join(folder, 'Deep Zoom (2019).de.ass'), SCRIPT);
  const api = await apiOf(server.url);
  await addLibrary(api, join(folder, '..'), 'Films');
  film = await itemOf(api, 'Deep Zoom');
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

/** The film, stopped at a second, with these subtitles. */
async function stopAt(page, time, label = 'German') {
  if (!page.url().includes('/open/')) {
    await page.goto(`${server.url}/items/${film.id}/open/${film.files[0].id}?at=0`);
    await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
  }
  await page.evaluate(async (to) => {
    const video = document.querySelector('video');
    video.pause();
    if (video.currentTime === to) return;
    const arrived = new Promise((done) => video.addEventListener('seeked', done, { once: true }));
    video.currentTime = to;
    await arrived;
  }, time);
  await chooseSubtitles(page, label);
}

/** Returns the position of a piece of text, in units of the script, and its look. */
const piece = (page, text) =>
  page.waitForFunction((wanted) => {
    const span = [...document.querySelectorAll('.words span')].find((one) => one.textContent === wanted);
    if (!span) return null;
    const video = document.querySelector('video');
    const player = video.getBoundingClientRect();
    const scale = Math.min(player.width / video.videoWidth, player.height / video.videoHeight);
    const [width, height] = [video.videoWidth * scale, video.videoHeight * scale];
    const box = span.parentElement.getBoundingClientRect();
    const style = getComputedStyle(span);
    const across = (x) => ((x - (player.width - width) / 2) / width) * 640;
    const down = (y) => ((y - (player.height - height) / 2) / height) * 360;
    return {
      ...{ left: across(box.left), right: across(box.right), top: down(box.top), bottom: down(box.bottom) },
      ...{ color: style.color, italic: style.fontStyle === 'italic', weight: style.fontWeight },
      ...{ line: (Number.parseFloat(style.lineHeight) / height) * 360, position: style.position },
      ...{ font: style.fontFamily, image: style.backgroundImage },
    };
  }, text);
const lookAt = async (page, text) => (await piece(page, text)).jsonValue();
const near = (value, wanted, what) =>
  assert.ok(Math.abs(value - wanted) < 1.5, `${what}: ${value} instead of ${wanted}`);
const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.words span')]
      .filter((span) => !span.closest('.captions'))
      .map((span) => span.textContent),
  );
/** Subtitles that the browser draws. */
const cues = (page) =>
  page.evaluate(() =>
    [...document.querySelector('video').textTracks]
      .filter((track) => track.mode === 'showing')
      .flatMap((track) => [...(track.activeCues ?? [])].map((cue) => cue.text)),
  );
/** Subtitles that the page draws without styles. */
const plain = (page) => page.locator('.captions p').allTextContents();

describe('subtitles with styles', { concurrency: false }, () => {
  it('have the colours, sizes and positions of their script', async () => {
    const { page } = viewer;
    await stopAt(page, 2);
    const sign = await lookAt(page, 'Mind the gap');
    assert.deepEqual([sign.color, sign.weight], ['rgb(255, 215, 0)', '700']);
    near((sign.left + sign.right) / 2, 160, 'the middle of the sign');
    near((sign.top + sign.bottom) / 2, 90, 'the middle of the sign');
    near(sign.line, 36, 'its height');
    const plain = await lookAt(page, 'Deeper and ');
    assert.deepEqual([plain.color, plain.italic], ['rgb(255, 255, 255)', false]);
    near((plain.left + plain.right) / 2, 320, 'the middle of the line');
    const red = await lookAt(page, 'deeper');
    assert.deepEqual([red.color, red.italic], ['rgb(255, 0, 0)', true]);
    assert.deepEqual(await cues(page), [], 'nothing is shown twice');
    assert.deepEqual(await violations(page), []);
  });

  it('are at the bottom of the picture, and above visible controls', async () => {
    const { page } = viewer;
    await stopAt(page, 2);
    await until('the line above the bars', async () => (await lookAt(page, 'Deeper and ')).bottom < 341);
    await page.evaluate(() => {
      const video = document.querySelector('video');
      video.playbackRate = 0.1;
      return video.play();
    });
    await page.waitForFunction(() => document.querySelector('.stage.asleep') !== null);
    await until('the line at the foot', async () => {
      const { bottom } = await lookAt(page, 'Deeper and ');
      return Math.abs(bottom - (360 - 18)) < 1.5;
    });
  });

  it('stay with the film in every view, without overlaps', async () => {
    const { page } = viewer;
    await stopAt(page, 7);
    const away = await lookAt(page, 'Away');
    near(away.left, 320, 'half of its way');
    near(away.top, 180, 'half of its way');
    assert.deepEqual(await shown(page), ['Away', 'Below', 'Above']);
    await until('one line on the other', async () => {
      const [below, above] = [await lookAt(page, 'Below'), await lookAt(page, 'Above')];
      return Math.abs(above.bottom - below.top) < 1.5;
    });
    await stopAt(page, 9.5);
    // Visible elements move with the next frame.
    await until('its end', async () => Math.abs((await lookAt(page, 'Away')).left - 640) < 1.5);
    await stopAt(page, 2);
    const words = ['Deeper and ', 'deeper', '.', 'Mind the gap'];
    await until('other words', async () => (await shown(page)).join('|') === words.join('|'));
  });

  it('follow the film at every speed', async () => {
    const { page } = viewer;
    await stopAt(page, 5.1);
    await lookAt(page, 'Away');
    const ways = await page.evaluate(async () => {
      const video = document.querySelector('video');
      video.playbackRate = 2;
      await video.play();
      const seen = [];
      while (video.currentTime < 6.5) {
        await new Promise((done) => requestAnimationFrame(done));
        const span = [...document.querySelectorAll('.words span')].find((one) => one.textContent === 'Away');
        const [box, picture] = [span.parentElement, span.parentElement.parentElement];
        seen.push({
          told: Number.parseFloat(box.style.left) / Number.parseFloat(picture.style.width),
          due: (video.currentTime - 5) / 4,
        });
      }
      video.pause();
      video.playbackRate = 1;
      return seen;
    });
    assert.ok(ways.length > 2);
    for (const { told, due } of ways) assert.ok(Math.abs(told - due) < 0.1, `${told} instead of ${due}`);
  });

  it('scale with the picture, also on a narrow screen', async () => {
    const { page } = viewer;
    await stopAt(page, 2);
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await until('the small sign', async () => {
      const sign = await lookAt(page, 'Mind the gap');
      return Math.abs((sign.left + sign.right) / 2 - 160) < 1.5 && Math.abs(sign.line - 36) < 1.5;
    });
    // The bars are next to the picture there, so lines need not move.
    await until('the line at the foot', async () => {
      const { bottom } = await lookAt(page, 'Deeper and ');
      return Math.abs(bottom - (360 - 18)) < 2;
    });
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize(wide);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement !== null);
    near((await lookAt(page, 'Mind the gap')).line, 36, 'in full screen');
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement === null);
  });

  it('are rendered as text only', async () => {
    const { page } = viewer;
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await stopAt(page, 11);
    const hostile = await lookAt(page, '<img src=payload onerror="window.struck=1"><b>bold</b>');
    assert.deepEqual([hostile.position, hostile.image], ['static', 'none']);
    assert.ok(!hostile.font.includes('"x"'), hostile.font);
    const made = await page.evaluate(() => [
      document.querySelectorAll('.words :not(div, span)').length,
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
    await stopAt(page, 2);
    await lookAt(page, 'Mind the gap');
    const tell = (event) =>
      page.evaluate((name) => document.querySelector('video').dispatchEvent(new Event(name)), event);
    await tell('enterpictureinpicture');
    await until('the plain words', async () => (await cues(page)).length === 2);
    assert.deepEqual(await shown(page), []);
    await tell('leavepictureinpicture');
    await lookAt(page, 'Mind the gap');
    assert.deepEqual(await cues(page), []);
    await stopAt(page, 2, 'Off');
    await until('no words', async () => (await shown(page)).length === 0);
    await page.route('**/subtitles/*.ass', (route) => route.fulfill({ status: 500 }));
    await stopAt(page, 2);
    await until('the plain words', async () => (await plain(page)).length === 2);
    assert.deepEqual(await shown(page), []);
    await page.unroute('**/subtitles/*.ass');
  });

  it('are plain, with a message, if no line of the script can be parsed', async () => {
    const { page } = viewer;
    await stopAt(page, 2, 'Off');
    await page.route('**/subtitles/*.ass', (route) =>
      route.fulfill({ body: '[Events]\nDialogue: 0,soon,later,Default,,0,0,0,,Lost' }),
    );
    await page.reload();
    await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
    await stopAt(page, 2);
    await until('the plain words', async () => (await plain(page)).length === 2);
    assert.deepEqual(await shown(page), []);
    await page.getByRole('status').filter({ hasText: 'shown without their styles' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.unroute('**/subtitles/*.ass');
  });

  it('are coloured by syllable in karaoke', async () => {
    const { page } = viewer;
    await page.reload();
    await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
    const colours = async (time) => {
      await stopAt(page, time);
      return [(await lookAt(page, 'Row, ')).color, (await lookAt(page, 'row')).color];
    };
    const [gold, white] = ['rgb(255, 215, 0)', 'rgb(255, 255, 255)'];
    assert.deepEqual(await colours(3.2), [gold, gold]);
    assert.deepEqual(await colours(3.7), [white, gold]);
    assert.deepEqual(await colours(4.2), [white, white]);
    assert.deepEqual(await colours(3.4), [gold, gold]);
  });

  it('are shown after the film is reopened', async () => {
    const { page } = viewer;
    await page.reload();
    await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
    await lookAt(page, 'Mind the gap');
  });

  it('cause no console errors', () => assert.deepEqual(viewer.complaints, []));
});
