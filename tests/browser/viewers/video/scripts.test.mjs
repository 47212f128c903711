/**
 * Difficult scripts over a film in the real server, compared with libass in ffmpeg: karaoke, transforms, drawings, and
 * writing from right to left and from above to below. Each has the fonts that are attached to the film.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addLibrary, apiOf, enter, itemOf, launchBrowser, startServer, until } from '../../harness.mjs';
import { hasFfmpeg } from '../../media/encoded.mjs';
import { similarity } from '../../playback/pictures.mjs';
import { stopAt } from './styled-page.mjs';

const run = promisify(execFile);
const path = (name) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

/** Least similarity of the part of the picture that the script draws on. */
const SIMILAR = 0.95;
/** Colour behind the script, as a hexadecimal number. */
const GRAY = 0x80;

/** Returns the file of a system font for a language; null without one. */
function systemFont(language) {
  try {
    const found = execFileSync('fc-list', [`:lang=${language}`, 'file', 'family'], { encoding: 'utf8' });
    const [file, family] = found.split('\n').sort()[1]?.split(': ') ?? [];
    return file && existsSync(file) ? { file, family: family.split(',')[0] } : null;
  } catch {
    return null;
  }
}

const LATIN = {
  file: path('web/node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf'),
  family: 'Liberation Sans',
};
const FONTS = { latin: LATIN, arabic: systemFont('ar'), japanese: systemFont('ja') };

/** A line for each second. Bottom lines move with the bars of the player, so none of these is there. */
const LINES = {
  'karaoke by syllable': ['latin', '{\\an8\\k30}Deep{\\k30}er {\\k60}and {\\k60}deeper'],
  'karaoke that fills letters': ['latin', '{\\an8\\kf40}Deep{\\kf40}er {\\kf80}and deeper'],
  'karaoke by outlines': ['latin', '{\\an8\\bord4\\ko30}Deep{\\ko30}er {\\ko60}and deeper'],
  'transforms of size, colour and rotation': [
    'latin',
    '{\\an5\\pos(640,360)\\t(0,1000,\\fscx180\\fscy60\\frz-30\\1c&H00FF00&)}Turning',
  ],
  'perspective around an origin': [
    'latin',
    '{\\an5\\pos(640,360)\\org(300,300)\\frx40\\fry-30\\fax0.2}Leaning text',
  ],
  'movement while fading': ['latin', '{\\an7\\move(100,100,900,500,0,1000)\\fad(900,0)}Moving'],
  'blurred outlines, shadows and spacing': [
    'latin',
    '{\\an5\\pos(640,200)\\bord6\\blur4\\shad8\\4c&HFF0000&\\4a&H60&\\fsp12\\u1\\s1}Blurred',
  ],
  'boxes behind lines of two sizes': ['box', '{\\an8}Small {\\fs90}large\\Nsecond {\\b1}line'],
  'drawings with curves and holes': [
    'latin',
    '{\\an7\\pos(200,120)\\1c&H00D7FF&\\bord3\\p2}m 0 0 l 800 0 800 600 0 600 m 200 150 b 300 500 500 500 600 150',
  ],
  'clipping by a drawing': [
    'latin',
    '{\\an5\\pos(640,360)\\fs160\\clip(1,m 300 300 l 980 360 640 470 300 400)}Clipped words',
  ],
  'inverse clipping that moves': [
    'latin',
    '{\\an5\\pos(640,360)\\fs160\\iclip(200,300,500,420)\\t(0,1000,\\iclip(600,300,1100,420))}Clipped words',
  ],
  'alpha of each part': [
    'latin',
    '{\\an5\\pos(640,360)\\fs120\\bord10\\1a&H80&\\3a&HC0&\\3c&H0000FF&}Glass {\\alpha&H00&}wall',
  ],
  'Arabic in one line with numbers': ['arabic', '{\\an8}مرحبا بالعالم 123 {\\1c&H00FFFF&}السلام عليكم'],
  'karaoke in Arabic': ['arabic', '{\\an8\\k30}مرحبا {\\k60}بالعالم {\\k60}السلام'],
  'Japanese in one line': ['japanese', '{\\an8}深い海の中へ、{\\1c&H00FFFF&}もっと深く。'],
  'Japanese in columns': ['upright', '{\\an5\\pos(640,360)\\frz-90}深い海の中へ'],
};

const style = (name, { family }, { border = 1, upright = false } = {}) =>
  `Style: ${name},${upright ? '@' : ''}${family},64,&H00FFFFFF,&H000000FF,&H00202020,&H80000000,0,0,0,0,100,100,0,0,${border},3,2,2,40,40,36,1`;

const clock = (second) => `0:00:${String(second).padStart(2, '0')}.00`;

/** The lines whose fonts are there, each with its second. */
const shown = Object.entries(LINES)
  .filter(([, [font]]) => font === 'box' || FONTS[font === 'upright' ? 'japanese' : font])
  .map(([name, [font, text]], second) => ({ name, font, text, second }));

const SCRIPT = `[Script Info]
ScriptType: v4.00+
PlayResX: 1280
PlayResY: 720
WrapStyle: 0
ScaledBorderAndShadow: yes
YCbCr Matrix: None

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
${Object.entries(FONTS)
  .filter(([, font]) => font)
  .map(([name, font]) => style(name, font))
  .join('\n')}
${style('box', LATIN, { border: 3 })}
${FONTS.japanese ? style('upright', FONTS.japanese, { upright: true }) : ''}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${shown
  .map(
    ({ font, text, second }) => `Dialogue: 0,${clock(second)},${clock(second + 1)},${font},,0,0,0,,${text}`,
  )
  .join('\n')}
`;

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
let server;
let browser;
let page;
let address;

/** Writes the script and its fonts, and a film that contains them. */
function makeFilm(folder) {
  mkdirSync(join(folder, 'fonts'), { recursive: true });
  writeFileSync(join(folder, 'script.ass'), SCRIPT);
  // Only these fonts, for ffmpeg's libass, too.
  writeFileSync(join(folder, 'fonts.conf'), '<?xml version="1.0"?><fontconfig></fontconfig>');
  const files = Object.values(FONTS).flatMap((font) => font?.file ?? []);
  for (const file of files) copyFileSync(file, join(folder, 'fonts', basename(file)));
  const attached = files.flatMap((file) => ['-attach', file]);
  const types = files.flatMap((_, index) => [`-metadata:s:t:${index}`, 'mimetype=font/ttf']);
  const films = join(folder, 'films');
  mkdirSync(films);
  const source = `testsrc2=size=640x360:rate=25:duration=${shown.length + 1}`;
  execFileSync('ffmpeg', [
    ...['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, '-i', join(folder, 'script.ass')],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-c:s', 'copy'],
    ...[...attached, ...types, '-metadata:s:s:0', 'language=deu', join(films, 'Difficult Lines (2020).mkv')],
  ]);
  return films;
}

before(async () => {
  if (skip) return;
  server = await startServer();
  const films = makeFilm(join(server.folder, 'scripts'));
  const api = await apiOf(server.url);
  await addLibrary(api, films, 'Films');
  const film = await itemOf(api, 'Difficult Lines');
  address = `${server.url}/items/${film.id}/open/${film.files[0].id}`;
  browser = await launchBrowser(['--force-color-profile=srgb']);
  ({ page } = await enter(browser, server.url));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Returns the pixels of the script over gray. */
async function seen() {
  await page.waitForFunction(() => document.querySelector('.words canvas')?.width > 0);
  const { width, height, pixels } = await page.evaluate((gray) => {
    const canvas = document.querySelector('.words canvas');
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.fillStyle = `rgb(${gray} ${gray} ${gray})`;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let text = '';
    for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(...data.subarray(at, at + 3));
    return { width: copy.width, height: copy.height, pixels: btoa(text) };
  }, GRAY);
  return { width, height, pixels: Buffer.from(pixels, 'base64') };
}

/** Returns the pixels that ffmpeg's libass draws over gray. */
async function drawn(time, { width, height }) {
  const folder = join(server.folder, 'scripts');
  const source = `color=c=0x${GRAY.toString(16).repeat(3)}:s=${width}x${height}:r=25:d=1`;
  const filters = [
    'format=rgb24',
    `setpts=PTS+${time}/TB`,
    `ass=filename=${join(folder, 'script.ass')}:fontsdir=${join(folder, 'fonts')}:original_size=640x360`,
  ];
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', source, '-vf', filters.join(',')],
      ...['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'],
    ],
    {
      encoding: 'buffer',
      maxBuffer: 1 << 26,
      env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
    },
  );
  return stdout;
}

/** Returns the box of what is drawn over gray, with some space. */
function boxOf(pixels, width, height) {
  const box = { left: width, top: height, right: 0, bottom: 0 };
  for (let at = 0; at < pixels.length; at += 3) {
    if ([0, 1, 2].every((part) => Math.abs(pixels[at + part] - GRAY) < 8)) continue;
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x + 1);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y + 1);
  }
  assert.ok(box.right > 0, 'libass draws nothing');
  const clamp = (value, most) => Math.min(most, Math.max(0, value));
  const [left, top] = [clamp(box.left - 8, width), clamp(box.top - 8, height)];
  return {
    left,
    top,
    width: clamp(box.right + 8, width) - left,
    height: clamp(box.bottom + 8, height) - top,
  };
}

function cut(pixels, width, box) {
  const rows = Array.from({ length: box.height }, (_, row) => {
    const start = ((box.top + row) * width + box.left) * 3;
    return pixels.subarray(start, start + box.width * 3);
  });
  return Buffer.concat(rows);
}

/** Compares what the page shows with libass at a time. */
async function compared(time) {
  const { width, height, pixels } = await seen();
  const wanted = await drawn(time, { width, height });
  const box = boxOf(wanted, width, height);
  const parts = [pixels, wanted].map((one) => cut(one, width, box));
  return similarity(...parts, box.width, box.height, server.folder);
}

describe('a script', { concurrency: false, skip }, () => {
  for (const { name, second } of shown)
    it(`with ${name} is as in libass`, async () => {
      const time = second + 0.52;
      await stopAt(page, address, time);
      let best = 0;
      await until('the picture of libass', async () => {
        best = Math.max(best, await compared(time));
        return best >= SIMILAR;
      }).catch(() => assert.fail(`the similarity is ${best}`));
    });

  it('of another moment is different, so that the comparison can fail', async () => {
    await stopAt(page, address, 0.9);
    const line = shown.find(({ name }) => name.startsWith('movement'));
    await stopAt(page, address, line.second + 0.52);
    await until('the picture of libass', async () => (await compared(line.second + 0.52)) >= SIMILAR);
    assert.ok((await compared(line.second + 0.4)) < SIMILAR - 0.1);
  });

  for (const font of ['arabic', 'japanese'])
    it(
      `has a font for ${font} letters`,
      { skip: FONTS[font] ? false : `NOT RUN: no ${font} font is installed` },
      () => assert.ok(shown.some((line) => line.font === font)),
    );
});
