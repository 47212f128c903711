import { describe, expect, it } from 'vitest';
import type { Chapter, Item, MediaFile } from '../../../src/api/models';
import { formatName } from '../../../src/catalogue/codecs';
import { SleepTimer } from '../../../src/playback/sleep-timer.svelte';
import { chapterOf, locate, markAt, nameOf, timelineOf } from '../../../src/playback/timeline';
import { best, lineAt } from '../../../src/components/player/lyrics';
import { groupsOf } from '../../../src/catalogue/file-groups';

const chapter = (start: number, title = ''): Chapter => ({ start, title });
const part = (name: string, duration: number, chapters: Chapter[] = []) =>
  ({ name, title: null, duration, extent: Math.ceil(duration), chapters }) as unknown as MediaFile;

describe('the timeline of a book in several files', () => {
  const files = [
    part('1.mp3', 60.5),
    part('2.mp3', 100, [chapter(0, 'Two'), chapter(40, 'Three')]),
    part('3.mp3', 20),
  ];
  const line = timelineOf(files, true);

  it('contains the chapters of a file, or the file as one chapter', () => {
    expect(line.marks.map((mark) => [mark.title, mark.index, mark.from, mark.start, mark.length])).toEqual([
      ['1', 0, 0, 0, 60.5],
      ['Two', 1, 0, 60.5, 40],
      ['Three', 1, 40, 100.5, 60],
      ['3', 2, 0, 160.5, 20],
    ]);
    expect(line.length).toBe(180.5);
  });
  it('finds the file and the chapter of a position, up to its ends', () => {
    expect(locate(line, 60.4)).toEqual({ index: 0, seconds: 60.4 });
    expect(locate(line, 60.5)).toEqual({ index: 1, seconds: 0 });
    expect(locate(line, -5)).toEqual({ index: 0, seconds: 0 });
    expect(locate(line, 999)).toEqual({ index: 2, seconds: 20 });
    expect([markAt(line, 0, 60), markAt(line, 1, 39.9), markAt(line, 1, 39.96), markAt(line, 2, 0)]).toEqual([
      0, 1, 2, 3,
    ]);
  });
  it('uses the lengths that the player has measured', () => {
    const measured = timelineOf(files, true, [undefined, 90]);
    expect(measured.starts).toEqual([0, 60.5, 150.5]);
    expect(measured.marks.at(-1)?.start).toBe(150.5);
  });
  it('consists of tracks if the item is not a book', () => {
    expect(timelineOf(files, false).marks.map((mark) => mark.title)).toEqual(['1', '2', '3']);
  });
});

describe('the timeline of one file', () => {
  it('has its chapters, and none before the first', () => {
    const line = timelineOf([part('a.m4b', 100, [chapter(2), chapter(50)])], false);
    expect([markAt(line, 0, 1), markAt(line, 0, 2), markAt(line, 0, 99)]).toEqual([-1, 0, 1]);
    expect(nameOf({ title: '' }, 1)).toBe('Chapter 2');
  });
  it('has no chapters to select if there is at most one', () => {
    expect(timelineOf([part('a.mp3', 100, [chapter(0)])], true).marks).toEqual([]);
  });
});

describe('chapterOf', () => {
  const files = [1, 2].map((n) => ({ ...part(`${n}.mp3`, 10), id: n, part: n, viewer: 'audio' }));
  it('counts over the whole book only', () => {
    const item = { files, facts: { form: 'audiobook' } } as unknown as Item;
    expect(chapterOf(item, item.files[1]!, 3)).toBe(2);
    expect(chapterOf({ ...item, facts: { form: 'album' } }, item.files[1]!, 3)).toBeNull();
  });
});

describe('the sleep timer', () => {
  it('counts down, fades out, and ends once', () => {
    let now = 0;
    const sleep = new SleepTimer(() => now);
    sleep.run(true);
    sleep.inMinutes(5);
    expect([sleep.left, sleep.fade, sleep.on]).toEqual([300, 1, true]);
    now = 296_000;
    expect([sleep.tick(), sleep.left, sleep.fade]).toEqual([false, 4, 0.5]);
    now = 300_000;
    expect([sleep.tick(), sleep.tick(), sleep.on, sleep.fade]).toEqual([true, false, false, 1]);
  });
  it('does not count during a pause', () => {
    let now = 0;
    const sleep = new SleepTimer(() => now);
    sleep.inMinutes(5);
    now = 1_000_000;
    sleep.run(true);
    expect([sleep.tick(), sleep.left]).toEqual([false, 300]);
    now += 100_000;
    sleep.run(false);
    now += 1_000_000;
    expect([sleep.tick(), sleep.left]).toEqual([false, 200]);
    sleep.run(true);
    now += 200_000;
    expect(sleep.tick()).toBe(true);
  });
  it('waits for the end of the current chapter after a seek', () => {
    const sleep = new SleepTimer(() => 0);
    sleep.follow(3);
    expect(sleep.on).toBe(false);
    sleep.afterMark(2);
    sleep.follow(5);
    expect(sleep.mark).toBe(5);
    sleep.inMinutes(10);
    expect(sleep.mark).toBeNull();
  });
});

describe('lyrics', () => {
  const lines = [null, 2, 5].map((start) => ({ start, text: 'la' }));
  it('follow the song, slightly ahead', () => {
    expect([lineAt(lines, 0), lineAt(lines, 1.8), lineAt(lines, 4), lineAt(lines, 9)]).toEqual([-1, 1, 1, 2]);
  });
  it('are the first ones with lines', () => {
    const one = { source: 'file', synced: true, lines };
    expect(best([{ ...one, lines: [] }, one])).toBe(one);
    expect(best([])).toBeNull();
  });
});

describe('formatName', () => {
  it('does not repeat a term', () => {
    const file = { name: 'a.mp3', container: 'mp3', vcodec: null, acodec: 'mp3' };
    expect(formatName(file)).toBe('MP3');
    expect(formatName({ ...file, name: 'a.m4a', acodec: 'alac' })).toBe('M4A, ALAC');
    expect(formatName({ ...file, name: 'a.wav', acodec: 'pcm_s16le' })).toBe('WAV, PCM');
  });
});

describe('the files of an album', () => {
  const track = (path: string, part: number) =>
    ({ path, name: path.split('/').at(-1), part, season: null }) as unknown as MediaFile;
  const shown = (paths: string[], facts = {}) =>
    groupsOf({ files: paths.map((path, at) => track(path, at + 1)), facts }).map((group) => [
      group.name,
      group.files.map(({ number }) => number),
    ]);

  it('are grouped by disc, each numbered from one', () => {
    expect(shown(['A (1999)/CD 1/a.flac', 'A (1999)/CD 1/b.flac', 'A (1999)/CD2 (live)/a.flac'])).toEqual([
      ['Disc 1', [1, 2]],
      ['Disc 2', [1]],
    ]);
    expect(shown(['A/1-01 a.mp3', 'A/1-02 b.mp3', 'A/2-01 c.mp3'], { discs: 2 })).toEqual([
      ['Disc 1', [1, 2]],
      ['Disc 2', [1]],
    ]);
  });
  it('have no heading with a single disc', () => {
    expect(shown(['A/101 a.mp3', 'A/201 b.mp3'])).toEqual([['', [1, 2]]]);
    expect(shown(['A/CD 1/a.mp3', 'A/CD 1/b.mp3'])).toEqual([['', [1, 2]]]);
  });
});
