/** Shared by the tests of films: their state, their panels, and chapters for the film of the stand-in server. */
import { FILM } from '../../../../web/test/fake/world.mjs';

/** State of the film. */
export const state = (page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    return {
      paused: video?.paused,
      time: video?.currentTime ?? 0,
      speed: video?.playbackRate,
      volume: video?.volume,
      full: document.fullscreenElement !== null,
    };
  });

/** Waits until the film plays and is past a second. */
export const running = (page, past = 0.2) =>
  page.waitForFunction((time) => {
    const video = document.querySelector('video');
    return video !== null && !video.paused && video.currentTime > time;
  }, past);

/** Number of colours of the picture that the page has drawn, as soon as they are many; 0 if the canvas is hidden. */
export const drawnColours = (page) =>
  page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    if (getComputedStyle(canvas).visibility === 'hidden') return 0;
    // The pixels of a WebGL canvas exist until the end of the frame.
    return new Promise((done) => {
      const end = performance.now() + 15_000;
      const look = () => {
        const copy = document.createElement('canvas');
        Object.assign(copy, { width: 32, height: 24 });
        const context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0, 32, 24);
        const found = new Set(new Uint32Array(context.getImageData(0, 0, 32, 24).data.buffer));
        if (found.size > 8 || performance.now() > end) done(found.size);
        else setTimeout(() => requestAnimationFrame(look)); // after the drawing in the frame
      };
      look();
    });
  });

/** Selects the way in which the film plays. */
export async function chooseWay(page, name) {
  await page.mouse.move(200, 200);
  await page.getByRole('button', { name: 'Playback settings' }).click();
  await page.getByRole('radio', { name }).check();
  await page.keyboard.press('Escape');
}

/** Opens the panel of the subtitles by its key, because the bars can be hidden. */
export async function openTracks(page) {
  await page.keyboard.press('t');
  const panel = page.getByRole('dialog', { name: 'Subtitles and sound' });
  await panel.waitFor();
  return panel;
}

/** Chooses subtitles by their label. */
export async function chooseSubtitles(page, label) {
  const panel = await openTracks(page);
  const name = new RegExp(`^${label}`);
  await panel.getByRole('group', { name: 'Subtitles', exact: true }).getByRole('radio', { name }).check();
  await page.keyboard.press('Escape');
  // By its element: a closed dialog has no role, but the player learns of it a moment later.
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/** Gives other bytes and facts to the film of the stand-in server. `isRefused` returns true without a session. */
export async function serveFilm(page, bytes, facts, isRefused = () => false, film = FILM) {
  await page.route(new RegExp(`/files/${film * 100}/content`), (route) => {
    if (isRefused()) return route.fulfill({ status: 401, json: { error: { code: 'unauthenticated' } } });
    const [, from, to] = /bytes=(\d+)-(\d*)/.exec(route.request().headers().range ?? 'bytes=0-') ?? [];
    const end = Math.min(Number(to || bytes.length - 1), bytes.length - 1);
    const headers = { 'Content-Range': `bytes ${from}-${end}/${bytes.length}`, 'Accept-Ranges': 'bytes' };
    return route.fulfill({ status: 206, headers, body: bytes.subarray(Number(from), end + 1) });
  });
  await page.route(new RegExp(`/api/v1/items/${film}(\\?|$)`), async (route) => {
    const response = await route.fetch();
    const item = await response.json();
    for (const file of item.files ?? []) Object.assign(file, facts);
    await route.fulfill({ response, json: item });
  });
  await page.reload();
}

/** Gives chapters to a film of the stand-in server. */
export async function withChapters(page, chapters, film = FILM) {
  await page.route(new RegExp(`/api/v1/items/${film}(\\?|$)`), async (route) => {
    const response = await route.fetch();
    const item = await response.json();
    for (const file of item.files) file.chapters = chapters;
    await route.fulfill({ response, json: item });
  });
}
