import { describe, expect, it } from 'vitest';
import type { Item, MediaFile, Progress } from '../../../../src/api/models';
import type { App } from '../../../../src/app/context';
import { EpisodeMarks, selectedFiles } from '../../../../src/components/shows/marks.svelte';

const file = (id: number, season: number, episode: number) =>
  ({ id, season, episode, extent: 100, progress: null }) as MediaFile;
const files = [file(9, 0, 1), file(1, 1, 1), file(2, 1, 2), file(3, 2, 1)];
const item = { id: 7, files } as Item;
const ids = (list: MediaFile[]) => list.map(({ id }) => id);

function place(file_id: number, finished: boolean, position = 40) {
  return { file_id, position, extent: 100, fraction: 0.4, finished, updated_at: '2026-11-21T12:00:00Z' };
}

/** An app that records its requests. `fails` rejects them. */
function appOf(known: Progress[], fails = false) {
  const sent: unknown[] = [];
  const dropped: number[] = [];
  const app = {
    api: {
      http: {
        POST: (_: string, { body }: { body: unknown }) => {
          sent.push(body);
          return fails ? Promise.reject(new Error('no')) : Promise.resolve({ data: { changed: 1 } });
        },
      },
      writeProgress: (_: number, write: unknown) => {
        sent.push(write);
        return Promise.resolve(write);
      },
    },
    progressStore: {
      of: ({ id }: { id: number }) => known.find((one) => one.file_id === id) ?? null,
      drop: (_: Item, list: MediaFile[]) => dropped.push(...ids(list)),
      userCheck: () => () => true,
      take: () => {},
    },
  };
  return { app: app as unknown as App, sent, dropped };
}

describe('the selected files', () => {
  it('are some, those of a season, or all up to one without specials', () => {
    expect(ids(selectedFiles(item, { files: [2, 9] }))).toEqual([9, 2]);
    expect(ids(selectedFiles(item, { season: 1 }))).toEqual([1, 2]);
    expect(ids(selectedFiles(item, { until: 2 }))).toEqual([1, 2]);
    expect(ids(selectedFiles(item, { until: 9 }))).toEqual([9]);
  });
});

describe('a mark', () => {
  it('of a season is undone for its changed files, with their positions', async () => {
    const { app, sent, dropped } = appOf([place(1, true), place(2, false)]);
    const marks = new EpisodeMarks(app);
    await marks.mark(item, { season: 1 }, true);
    expect(sent).toEqual([{ season: 1, finished: true }]);
    expect(dropped).toEqual([1, 2]);
    expect(marks.notice).toMatchObject({ text: '1 episode marked as watched.', isError: false });
    await marks.notice?.undo?.();
    expect(sent.slice(1)).toEqual([
      { files: [2], finished: false },
      { file_id: 2, position: 40, finished: false },
    ]);
    expect(marks.notice).toMatchObject({ text: 'Undone.', undo: null });
  });

  it('as unwatched is undone for finished files, and restores started ones', async () => {
    const { app, sent } = appOf([place(1, true), place(2, false)]);
    const marks = new EpisodeMarks(app);
    await marks.mark(item, { season: 1 }, false);
    expect(marks.notice?.text).toBe('2 episodes marked as unwatched.');
    await marks.notice?.undo?.();
    expect(sent.slice(1)).toEqual([
      { files: [1], finished: true },
      { file_id: 2, position: 40, finished: false },
    ]);
  });

  it('that changes nothing offers no undo', async () => {
    const { app } = appOf([place(1, true), place(2, true)]);
    const marks = new EpisodeMarks(app);
    await marks.mark(item, { season: 1 }, true);
    expect(marks.notice).toMatchObject({ undo: null, isError: false });
  });

  it('that fails is reported, and changes nothing', async () => {
    const { app, dropped } = appOf([], true);
    const marks = new EpisodeMarks(app);
    await marks.mark(item, { season: 1 }, true);
    expect(marks.notice).toMatchObject({ undo: null, isError: true });
    expect(dropped).toEqual([]);
    expect(marks.busy).toBe(false);
  });
});
