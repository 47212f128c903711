/** Compares pictures of the page with those of ffmpeg: the same clip at the same position. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { addLibrary } from '../harness.mjs';
import { BEFORE, CLIPS, POSITION } from './clips.mjs';
import { filesOf } from './corpus.mjs';
import { tonemapped } from './tone.mjs';

/** Not the synchronous one: the server ends connections that are idle for long. */
const run = promisify(execFile);
const ffmpeg = (options, more) => run('ffmpeg', ['-nostdin', ...options], { maxBuffer: 1 << 28, ...more });

/** Least similarity of a correct picture (SSIM of red, green and blue). */
export const SIMILAR = 0.98;
/** Milliseconds in which the picture of a position has to appear. */
const LIMIT = 10_000;

/** Makes the clips and catalogues them. Returns each with the address of its viewer. */
export async function prepareClips(api, folder) {
  mkdirSync(folder, { recursive: true });
  for (const { file, make } of CLIPS) await ffmpeg(['-loglevel', 'error', '-y', ...make, join(folder, file)]);
  const files = await filesOf(api, await addLibrary(api, folder, 'clips'));
  return CLIPS.map((clip) => {
    const found = files.find(({ file }) => file.path === clip.file);
    if (!found) throw new Error(`${clip.file} is not catalogued`);
    const address = `/items/${found.item}/open/${found.file.id}?at=0`;
    return { ...clip, address, path: join(folder, clip.file) };
  });
}

/** Reads the pixels that are shown. Runs in the page. */
async function shown() {
  const video = document.querySelector('video');
  const canvas = document.querySelector('canvas.drawn');
  const isDrawn = video.videoWidth === 0;
  if (isDrawn) {
    // The screen has taken the picture. The page draws it again in the next frame, before this function continues.
    canvas.dispatchEvent(new Event('redraw'));
    await new Promise(requestAnimationFrame);
  }
  const [source, width, height] = isDrawn
    ? [canvas, canvas.width, canvas.height]
    : [video, video.videoWidth, video.videoHeight];
  const copy = new OffscreenCanvas(width, height);
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(source, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let text = '';
  for (let at = 0; at < data.length; at += 4) text += String.fromCharCode(...data.subarray(at, at + 3));
  const way = isDrawn ? 'decode' : video.src.startsWith('blob:') ? 'transmux' : 'native';
  return { way, width, height, pixels: btoa(text) };
}

/** Returns ffmpeg's picture as RGB, in a size. `original` are options for the pictures before they were encoded. */
async function drawnByFfmpeg({ path, draw, tone, original, before = BEFORE }, width, height) {
  const filters = [
    ...(draw ? [draw] : []),
    `scale=${width}:${height}:flags=bilinear+accurate_rnd+full_chroma_int`,
    `format=${tone ? 'rgb48le' : 'rgb24'}`,
  ];
  const start = ['-ss', String(before)];
  const input = original ? [...original, ...start] : [...start, '-i', path];
  const output = ['-frames:v', '1', '-vf', filters.join(','), '-f', 'rawvideo', '-'];
  const { stdout } = await ffmpeg(['-loglevel', 'error', ...input, ...output], { encoding: 'buffer' });
  return tone ? tonemapped(stdout) : stdout;
}

/** Returns the structural similarity of two pictures, by ffmpeg's filter. */
export async function similarity(one, other, width, height, folder) {
  const inputs = [one, other].flatMap((pixels, index) => {
    const path = join(folder, `${index}.rgb`);
    writeFileSync(path, pixels);
    return ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${width}x${height}`, '-i', path];
  });
  const filter = '[0]format=gbrp[a];[1]format=gbrp[b];[a][b]ssim';
  const { stderr } = await ffmpeg([...inputs, '-lavfi', filter, '-f', 'null', '-']);
  return Number(/All:([\d.]+)/.exec(stderr)?.[1] ?? 0);
}

/** Opens a clip, and compares one of its pictures. */
async function compare(page, url, clip, folder) {
  await page.goto(url + clip.address, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.querySelector('video')?.currentTime > 0.1, null, {
    timeout: 15_000,
  });
  return { name: clip.name, ...(await comparePosition(page, clip, folder)) };
}

/** Pauses the film of a page at the position of a clip, and compares until the pictures are equal or the time is over. */
export async function comparePosition(page, clip, folder) {
  await page.evaluate((to) => {
    const video = document.querySelector('video');
    video.pause();
    video.currentTime = to;
  }, clip.position ?? POSITION);
  const end = Date.now() + LIMIT;
  for (;;) {
    await pause(200);
    const { way, width, height, pixels } = await page.evaluate(shown);
    const isOwn = !clip.tone || way === 'decode';
    const seen = Buffer.from(pixels, 'base64');
    const drawn = isOwn && (await drawnByFfmpeg(clip, width, height));
    const value = isOwn ? await similarity(seen, drawn, width, height, folder) : null;
    if (!isOwn || value >= SIMILAR || Date.now() > end) return { way, width, height, similarity: value };
  }
}

/** Compares all clips in a browser. */
export async function comparePictures(stage, clips, folder, log) {
  const results = [];
  for (const clip of clips) {
    const { page } = await stage.page();
    let result;
    try {
      result = await compare(page, stage.url, clip, folder);
    } catch (error) {
      result = { name: clip.name, similarity: 0, error: error.message.split('\n')[0] };
    }
    results.push(result);
    log(`${clip.name}: ${result.way ?? result.error} ${result.similarity ?? 'not compared'}`);
  }
  return results;
}
