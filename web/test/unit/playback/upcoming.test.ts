import { describe, expect, it } from 'vitest';
import type { Item, MediaFile } from '../../../src/api/models';
import { playlist } from '../../../src/components/player/external-player';
import { queueFor } from '../../../src/catalogue/file-order';
import { canOpen, viewerTraits } from '../../../src/catalogue/viewer-ids';
import { loadViewer } from '../../../src/viewers/registry';

const file = (id: number, more: Partial<MediaFile> = {}) =>
  ({ id, name: `${id}.mp3`, viewer: 'audio', missing: false, part: id, episode: null, ...more }) as MediaFile;

const item = (files: MediaFile[]) => ({ id: 1, files }) as Item;

describe('queueFor', () => {
  it('plays the present parts in sequence', () => {
    const files = [file(1), file(2, { missing: true }), file(3), file(4, { viewer: 'pdf' })];
    expect(queueFor(item(files), files[0]!).map((one) => one.id)).toEqual([1, 3]);
  });
  it('plays a single alternative', () => {
    const files = [file(1, { part: null }), file(2, { part: null })];
    expect(queueFor(item(files), files[1]!).map((one) => one.id)).toEqual([2]);
  });
  it('continues with the next episode', () => {
    const files = [file(1, { part: null, episode: 1 }), file(2, { part: null, episode: 2 })];
    expect(queueFor(item(files), files[0]!).map((one) => one.id)).toEqual([1, 2]);
  });
  it('contains one version of each episode: the chosen one, otherwise the first present one', () => {
    const files = [
      file(1, { season: 2, episode: 4 }),
      file(2, { season: 2, episode: 4 }),
      file(3, { season: 2, episode: 5, missing: true }),
      file(4, { season: 2, episode: 5 }),
      file(5, { season: 2, episode: 5 }),
      file(6, { season: 3, episode: 4 }),
    ];
    expect(queueFor(item(files), files[1]!).map((one) => one.id)).toEqual([2, 4, 6]);
    expect(queueFor(item(files), files[0]!).map((one) => one.id)).toEqual([1, 4, 6]);
    // The server merges neither numbers without a season nor a season without numbers.
    const loose = [1, 2].flatMap((id) => [file(id, { episode: 1 }), file(id + 2, { season: 1 })]);
    expect(queueFor(item(loose), loose[0]!)).toHaveLength(4);
  });
});

describe('playlist', () => {
  it('contains one file with its length, on separate lines', () => {
    const one = file(3, { duration: 61.6, title: 'The\nMast-Head' });
    expect(playlist({ title: 'Moby-Dick', files: [one, file(4)] }, one, 'http://ledge/x?ticket=y')).toBe(
      '#EXTM3U\n#EXTINF:62,Moby-Dick - The Mast-Head\nhttp://ledge/x?ticket=y\n',
    );
  });
  it('omits unknown lengths and part names', () => {
    const one = file(3, { duration: null, part: null });
    expect(playlist({ title: 'Film', files: [one] }, one, 'http://ledge/x')).toContain('#EXTINF:-1,Film\n');
  });
});

describe('viewers', () => {
  it.each(['hologram', 'download', 'constructor'])(
    'the unknown id %s is offered for download',
    async (id) => {
      expect(viewerTraits(id)).toEqual({});
      expect(canOpen(id)).toBe(false);
      expect(await loadViewer(id)).toBe(await import('../../../src/viewers/download/Download.svelte'));
    },
  );

  it('audio plays in the background', () => {
    expect(viewerTraits('audio').background).toBe(true);
  });
});
