/** Interlaced films in the page: each field is the picture that it was before the film was encoded. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, withFake } from '../../harness.mjs';
import { encode, hasFfmpeg } from '../../media/encoded.mjs';
import { FIELDS } from '../../playback/clips.mjs';
import { comparePosition, SIMILAR } from '../../playback/pictures.mjs';
import { running, serveFilm } from './film-page.mjs';

const skip = hasFfmpeg() ? false : 'NOT RUN: ffmpeg is not installed';
const facts = {
  container: 'mpegts',
  vcodec: 'mpeg2video',
  acodec: 'mp2',
  duration: 3,
  extent: 3,
  streams: [],
};
let browser;
let folder;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'ledge-fields-'));
  encode(folder, Object.fromEntries(FIELDS.map(({ file, make }) => [file, make])));
  browser = await launchBrowser(['--enable-unsafe-swiftshader', '--force-color-profile=srgb']);
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

describe('an interlaced film', { concurrency: false, skip }, () => {
  for (const clip of FIELDS)
    it(`shows ${clip.name}`, () =>
      withFake(browser, {}, `/items/${FILM}/open/${FILM * 100}`, async (page) => {
        await running(page);
        await serveFilm(page, readFileSync(join(folder, clip.file)), facts);
        await running(page);
        const { way, similarity } = await comparePosition(page, clip, folder);
        assert.equal(way, 'decode');
        assert.ok(similarity >= SIMILAR, `the similarity is ${similarity}`);
      }));

  it('has fields that differ, so that the comparison can fail', async () => {
    const [first] = FIELDS;
    const other = { ...first, before: FIELDS[1].before };
    await withFake(browser, {}, `/items/${FILM}/open/${FILM * 100}`, async (page) => {
      await running(page);
      await serveFilm(page, readFileSync(join(folder, first.file)), facts);
      await running(page);
      const { similarity } = await comparePosition(page, other, folder);
      assert.ok(similarity < SIMILAR - 0.05, `the similarity is ${similarity}`);
    });
  });
});
