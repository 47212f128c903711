/** The choices for an import, and its run on the server. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unreachable } from '../../../src/api/client';
import type { RunningImport } from '../../../src/api/models';
import { ImportDraft } from '../../../src/pages/settings/import/import-draft.svelte';
import { ImportFailed, ImportRun } from '../../../src/pages/settings/import/import-run.svelte';
import { textOf } from '../../../src/pages/settings/import/report-rows';
import '../../../src/i18n/settings/import';

describe('the choices for an import', () => {
  it('are sent without empty rows and without surrounding spaces', () => {
    const draft = new ImportDraft();
    draft.chooseSource('komga');
    draft.path = ' /srv/database.sqlite ';
    draft.addFolder();
    draft.addFolder();
    Object.assign(draft.folders[1]!, { from: ' /books', to: '/srv/media/Books ' });
    expect(draft.request(true)).toEqual({
      ...{ source: 'komga', path: '/srv/database.sqlite', dry_run: true, any_version: false },
      ...{ map: [{ from: '/books', to: '/srv/media/Books' }], users: [] },
    });
  });

  it('contain the second database only for a program with one', () => {
    const draft = new ImportDraft();
    draft.library = '/srv/metadata.db';
    draft.chooseSource('calibre-web');
    expect(draft.request(false)).toHaveProperty('library', '/srv/metadata.db');
    draft.chooseSource('plex');
    expect(draft.request(false)).not.toHaveProperty('library');
  });

  it('skip a user with an empty name, and forget the users of another program', () => {
    const draft = new ImportDraft();
    draft.chooseUser('ann', 'anna');
    draft.chooseUser('ben', '');
    expect(draft.request(true).users).toEqual([
      { theirs: 'ann', ours: 'anna' },
      { theirs: 'ben', ours: null },
    ]);
    draft.chooseSource('plex');
    expect(draft.request(true).users).toEqual([]);
  });

  it('have a fingerprint that changes with each of them', () => {
    const draft = new ImportDraft();
    const seen = new Set([draft.fingerprint]);
    const changes = [
      () => (draft.path = '/srv'),
      () => (draft.anyVersion = true),
      () => draft.chooseUser('ann', 'anna'),
      () => Object.assign(draft.folders[draft.addFolder() - 1]!, { from: '/a' }),
    ];
    for (const change of changes) {
      change();
      expect(seen).not.toContain(draft.fingerprint);
      seen.add(draft.fingerprint);
    }
    draft.removeFolder(1);
    expect(seen).toContain(draft.fingerprint);
  });
});

const state = (status: string, more: object = {}) => ({ status, error: null, ...more }) as RunningImport;
const check = { dry_run: true };

describe('an import', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(...answers: (RunningImport | Error)[]) {
    const get = vi.fn(async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? state('running');
    });
    const run = new ImportRun<{ dry_run: boolean }>({ start: async () => ({ job_id: 4 }), get });
    return { run, get };
  }

  it('asks once a second until it ends', async () => {
    const { run, get } = start(state('queued'), state('running'), state('done', { matched: 3 }));
    const ended = run.run(check, 'first');
    expect(run.running).toBe('check');
    await vi.advanceTimersByTimeAsync(2000);
    await ended;
    expect(get).toHaveBeenCalledTimes(3);
    expect(run).toMatchObject({ running: null, of: 'first', result: { matched: 3 }, failure: undefined });
  });

  it('reports the reason of a failure, and keeps the previous result', async () => {
    const { run } = start(state('done', { matched: 3 }), state('failed', { error: 'too old' }));
    await run.run(check, 'first');
    await run.run({ dry_run: false }, 'second');
    expect(run.failure).toBeInstanceOf(ImportFailed);
    expect(run.failure).toMatchObject({ message: 'too old' });
    expect(run).toMatchObject({ running: null, of: 'first', result: { matched: 3 } });
  });

  it('waits while the server is unreachable', async () => {
    const { run } = start(new Unreachable('gone'), state('done'));
    const ended = run.run(check, 'first');
    await vi.advanceTimersByTimeAsync(1000);
    await ended;
    expect(run).toMatchObject({ failure: undefined, of: 'first' });
  });

  it('asks no more after the page is left', async () => {
    const { run, get } = start();
    const ended = run.run(check, 'first');
    await vi.advanceTimersByTimeAsync(0);
    run.close();
    await ended;
    await vi.advanceTimersByTimeAsync(5000);
    expect(get).toHaveBeenCalledTimes(1);
    expect(run).toMatchObject({ running: null, failure: undefined, result: null });
  });
});

it('names unknown reasons as the server does', () => {
  expect(textOf('reason', 'no_file')).toBe('No such file here');
  expect(textOf('reason', 'something_new')).toBe('something_new');
});
