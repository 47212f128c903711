/** Shared by the tests of styled subtitles: scripts, and what is seen of the canvas that a worker draws. */
import assert from 'node:assert/strict';
import { until } from '../../harness.mjs';
import { chooseSubtitles } from './film-page.mjs';

const STYLE =
  'Style: NAME,FONT,24,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,0,0,2,20,20,18,1';

/** Returns a script of 640 × 360 with these lines, whose styles are `Default` and `Own`. */
export const script = (font, ...lines) => `[Script Info]
ScriptType: v4.00+
PlayResX: 640
PlayResY: 360

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
${STYLE.replace('NAME', 'Default').replace('FONT', 'Arial')}
${STYLE.replace('NAME', 'Own').replace('FONT', font)}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${lines.map((line) => `Dialogue: ${line}`).join('\n')}
`;

/** A red, green or blue square, and other colours of lines. */
export const COLOURS = {
  white: [255, 255, 255],
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  gold: [255, 215, 0],
  cyan: [0, 255, 255],
  magenta: [255, 0, 255],
};

/** Returns the tag of a colour. */
export const tag = (colour, which = 1) => {
  const [red, green, blue] = COLOURS[colour].map((part) => part.toString(16).padStart(2, '0'));
  return `\\${which}c&H${blue}${green}${red}&`;
};

/** Returns the box of a colour in units of the script; null if the colour is not there. */
export const box = (page, colour) =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector('.words canvas');
    if (!canvas || canvas.width === 0 || canvas.height === 0) return null;
    const copy = document.createElement('canvas');
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const found = { left: copy.width, right: 0, top: copy.height, bottom: 0, count: 0 };
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 200) continue;
      if (wanted.some((part, index) => Math.abs(part - data[at + index]) > 24)) continue;
      const [x, y] = [(at / 4) % copy.width, Math.floor(at / 4 / copy.width)];
      found.left = Math.min(found.left, x);
      found.right = Math.max(found.right, x + 1);
      found.top = Math.min(found.top, y);
      found.bottom = Math.max(found.bottom, y + 1);
      found.count += 1;
    }
    if (found.count === 0) return null;
    const [across, down] = [640 / copy.width, 360 / copy.height];
    return {
      left: found.left * across,
      right: found.right * across,
      top: found.top * down,
      bottom: found.bottom * down,
    };
  }, COLOURS[colour]);

/** Returns the box of a colour as soon as it fits. */
export const boxOf = (page, colour, fits = () => true) =>
  until(`${colour} lines`, async () => {
    const found = await box(page, colour);
    return found && fits(found) ? found : null;
  });

/** Returns true if a box has these edges, to some units. */
export const isAt =
  (left, top, right, bottom, by = 1) =>
  (found) =>
    [found.left - left, found.top - top, found.right - right, found.bottom - bottom].every(
      (away) => Math.abs(away) <= by,
    );

/** Waits until no styled line is visible. */
export const noCanvas = (page) => page.locator('.words canvas').waitFor({ state: 'detached' });

/** Subtitles that the page draws without styles. */
export const plain = (page) => page.locator('.captions p').allTextContents();

/** Subtitles that the browser draws. */
export const cues = (page) =>
  page.evaluate(() =>
    [...document.querySelector('video').textTracks]
      .filter((track) => track.mode === 'showing')
      .flatMap((track) => [...(track.activeCues ?? [])].map((cue) => cue.text)),
  );

/** Opens a film, stops it at a second, and chooses subtitles. */
export async function stopAt(page, url, time, label = 'German') {
  if (!page.url().startsWith(url)) await page.goto(`${url}?at=0`);
  await page.waitForFunction(() => document.querySelector('video')?.readyState >= 2);
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

/** Asserts that a number is near another. */
export const near = (value, wanted, what, by = 1.5) =>
  assert.ok(Math.abs(value - wanted) <= by, `${what}: ${value} instead of ${wanted}`);
