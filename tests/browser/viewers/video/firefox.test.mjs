/** Films and recordings in Firefox, in the real server, by plain HTTP and a name that browsers do not trust. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { firefoxObstacle, launchFirefox } from '../../firefox.mjs';
import { addLibrary, apiOf, enter, itemOf, startServer } from '../../harness.mjs';
import { encode, hasFfmpeg } from '../../media/encoded.mjs';
import { recorder } from '../../playback/observe.mjs';
import { openTracks, running } from './film-page.mjs';

const skip = hasFfmpeg() ? firefoxObstacle() : 'NOT RUN: ffmpeg is not installed';

const SECONDS = 30;
const PICTURE = ['-f', 'lavfi', '-i', `testsrc2=size=320x240:rate=25:duration=${SECONDS}`];
const SOUND = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${SECONDS}`];
const SILENCE = ['-f', 'lavfi', '-i', `anullsrc=duration=${SECONDS}`];
const AVC = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none'];

const FILMS = {
  'Plain Sail (2004)/Plain Sail (2004).mp4': [...PICTURE, ...SOUND, ...AVC, '-c:a', 'aac'],
  'Tall Mast (2001)/Tall Mast (2001).mkv': [...PICTURE, ...SOUND, ...AVC, '-c:a', 'ac3'],
  'Small Boat (2007)/Small Boat (2007).mkv': [...PICTURE, ...SOUND, ...AVC, '-c:a', 'libmp3lame'],
  'Low Tide (2002)/Low Tide (2002).mpg': [
    ...[...PICTURE, ...SOUND, '-c:v', 'mpeg2video', '-c:a', 'ac3', '-f', 'vob'],
  ],
  'High Cliff (2008)/High Cliff (2008).mkv': [...PICTURE, ...SOUND, ...HEVC, '-c:a', 'eac3'],
  'Two Shores (2009)/Two Shores (2009).mkv': [
    ...[...PICTURE, ...SILENCE, ...SOUND, '-map', '0', '-map', '1', '-map', '2', ...AVC, '-c:a', 'aac'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu', '-t', `${SECONDS}`],
  ],
};
const RECORDINGS = { 'Bare Bell/Bare Bell.ac3': [...SOUND, '-c:a', 'ac3'] };

/** The film, the way in which it plays, and its title. */
const WAYS = [
  ['Plain Sail', 'H.264 and AAC in MP4', 'native'],
  ['Tall Mast', 'H.264 and AC-3 in Matroska', 'transmux'],
  // Firefox declares Matroska, but plays MP3 in it without sound.
  ['Small Boat', 'H.264 and MP3 in Matroska', 'transmux'],
  ['High Cliff', 'HEVC and E-AC-3 in Matroska', 'transmux'],
  ['Low Tide', 'MPEG-2 and AC-3 in a program stream', 'decode'],
];

let server;
let browser;
let viewer;
let page;
const items = {};

before(async () => {
  if (skip) return;
  server = await startServer();
  encode(join(server.media, '..', 'films'), FILMS);
  encode(join(server.media, '..', 'sounds'), RECORDINGS);
  const api = await apiOf(server.url);
  await addLibrary(api, join(server.media, '..', 'films'), 'Films');
  await addLibrary(api, join(server.media, '..', 'sounds'), 'Sounds');
  for (const name of [...WAYS.map(([title]) => title), 'Two Shores', 'Bare Bell'])
    items[name] = await itemOf(api, name);
  browser = await launchFirefox();
  viewer = await enter(browser, server.named);
  ({ page } = viewer);
  await page.addInitScript(recorder);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const open = (name) =>
  page.goto(`${server.named}/items/${items[name].id}/open/${items[name].files[0].id}?at=0`);

/** Waits for sound that is not silent, and returns what the page has played. */
async function heard() {
  await page.waitForFunction(() => globalThis.ledgePlayback.bytes > 0);
  return page.evaluate(() => globalThis.ledgePlayback);
}

describe('Firefox', { concurrency: false, skip }, () => {
  it('has no secure context, which plain HTTP lacks', async () =>
    assert.equal(await page.evaluate(() => isSecureContext), false));

  for (const [name, format, way] of WAYS)
    it(`plays ${format} with sound and picture, and continues after a seek`, async () => {
      await open(name);
      await running(page, 1);
      const { ways, width } = await heard();
      // HEVC depends on the libraries of the system.
      if (name !== 'High Cliff') assert.deepEqual(ways, [way]);
      if (ways.at(-1) === 'decode') await page.waitForFunction(() => globalThis.ledgePlayback.colours > 8);
      else assert.equal(width, 320);
      await page.evaluate(() => (document.querySelector('video').currentTime = 20));
      await running(page, 20.5);
      await page.evaluate(() => (document.querySelector('video').currentTime = 5));
      await page.waitForFunction(() => {
        const { currentTime, seeking } = document.querySelector('video');
        return !seeking && currentTime > 5.3 && currentTime < 15;
      });
      assert.equal(await page.getByRole('alert').count(), 0);
    });

  it('plays the sound track that the user selects', async () => {
    await open('Two Shores');
    await running(page, 1);
    assert.equal(await page.evaluate(() => globalThis.ledgePlayback.bytes), 0);
    const panel = await openTracks(page);
    await panel
      .getByRole('group', { name: 'Sound' })
      .getByRole('radio', { name: /German/ })
      .check();
    await heard();
  });

  it('plays a recording in AC-3', async () => {
    await open('Bare Bell');
    const { ways } = await heard();
    assert.deepEqual(ways, ['decode']);
  });

  it('has reported no error', () => {
    assert.deepEqual(viewer.complaints, []);
  });
});
