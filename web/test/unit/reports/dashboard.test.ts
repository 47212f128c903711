import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import type { LiveEvent } from '../../../src/api/live.svelte';
import type { Job } from '../../../src/api/models';
import type { Backup, Status, Stream } from '../../../src/api/reports/dashboard';
import { BackupRun } from '../../../src/pages/settings/dashboard/backup-run.svelte';
import {
  hourNames,
  rateText,
  sinceText,
  tickText,
  unitOf,
  uptimeText,
} from '../../../src/pages/settings/dashboard/figures';
import { rowsOf, sentOf } from '../../../src/pages/settings/dashboard/streams';
import { warningsOf } from '../../../src/pages/settings/dashboard/warnings';

const GB = 1_000_000_000;
const library = (id: number, available: boolean) => ({
  ...{ id, name: `Library ${id}`, size: 1, available, counts: {}, last_scan_at: null },
});
const status = (change: Partial<Status>): Status => ({
  ...{ version: '1.0.0', schema: 40, uptime: 1, database: { size: 1, wal: 1 }, warnings: [] },
  ...{ disk: { total: 100 * GB, free: 50 * GB }, libraries: [], last_backup_at: null },
  jobs: { queued: 0, running: 0, failed: 0 },
  ...change,
});
const backup = (created_at: string, size: number): Backup => ({
  ...{ name: `ledge-${created_at}.db`, size, created_at, checked: true },
});

describe('warnings', () => {
  const types = (change: Partial<Status>) => warningsOf(status(change), []).map(({ type }) => type);

  it('are absent without a reason', () => {
    expect(types({ libraries: [library(1, true)] })).toEqual([]);
    expect(types({ disk: null })).toEqual([]);
  });

  it('name libraries that cannot be read, before an old backup', () => {
    const found = warningsOf(
      status({
        libraries: [library(1, true), library(2, false)],
        warnings: [{ code: 'backup_old', message: '' }],
        last_backup_at: '2026-11-17T00:00:00Z',
      }),
      [backup('2026-11-10T00:00:00Z', 1), backup('2026-11-17T00:00:00Z', 2)],
    );
    expect(found).toEqual([
      { type: 'library', library: library(2, false) },
      { type: 'backup', at: '2026-11-17T00:00:00Z', size: 2 },
    ]);
  });

  it('report a disk with less than 5 % and less than 20 GB', () => {
    expect(types({ disk: { total: 98 * GB, free: 4 * GB } })).toEqual(['disk']);
    expect(types({ disk: { total: 98 * GB, free: 5 * GB } })).toEqual([]);
    expect(types({ disk: { total: 8000 * GB, free: 21 * GB } })).toEqual([]);
    expect(types({ disk: { total: 8000 * GB, free: 19 * GB } })).toEqual(['disk']);
  });

  it('show the message of a code that a newer server sends', () => {
    const warnings = [{ code: 'other', message: 'Something else.' }] as unknown as Status['warnings'];
    expect(warningsOf(status({ warnings }), [])).toEqual([{ type: 'other', message: 'Something else.' }]);
  });
});

describe('the rows of the activity', () => {
  const stream = (change: Partial<Stream>): Stream => ({
    ...{ user: { id: 1, username: 'ada' }, device: 'mpv', kind: 'video', item_id: 7, file_id: 70 },
    ...{ title: 'Film', size: 100, sent: 10, rate: 5, started_at: '2026-11-26T10:00:00Z' },
    ...change,
  });

  it('join the requests of a device for a file', () => {
    const later = stream({ sent: 3, rate: 2, started_at: '2026-11-26T10:01:00Z' });
    const other = stream({ device: 'Firefox' });
    const rows = rowsOf([later, stream({}), other], new Map());
    expect(rows.map(({ device, sent, rate, started_at }) => [device, sent, rate, started_at])).toEqual([
      ['mpv', 13, 7, '2026-11-26T10:00:00Z'],
      ['Firefox', 10, 5, '2026-11-26T10:00:00Z'],
    ]);
  });

  it('are idle if no request has sent anything since the previous response', () => {
    const first = [stream({}), stream({ started_at: '2026-11-26T10:01:00Z' }), stream({ device: 'VLC' })];
    expect(rowsOf(first, new Map()).map(({ isIdle }) => isIdle)).toEqual([false, false]);
    const [one, two, three] = first;
    const next = [one!, { ...two!, sent: 11 }, three!];
    const rows = rowsOf(next, sentOf(first));
    expect(rows.map(({ isIdle, rate }) => [isIdle, rate])).toEqual([
      [false, 5],
      [true, 0],
    ]);
  });
});

describe('figures', () => {
  it('are short', () => {
    expect(rateText(1_775_000)).toBe('14.2 Mbit/s');
    expect(rateText(100_000_000)).toBe('800 Mbit/s');
    expect(sinceText('2026-11-26T10:00:00Z', Date.parse('2026-11-26T10:00:59Z'))).toBe('just now');
    expect(sinceText('2026-11-26T10:00:00Z', Date.parse('2026-11-26T11:04:00Z'))).toBe('1 h 4 min');
    expect(uptimeText(12 * 86_400 + 4 * 3600 + 59)).toBe('12 days, 4 hours');
    expect(uptimeText(3600)).toBe('1 hour, 0 minutes');
    expect(uptimeText(59)).toBe('0 minutes');
  });

  it('have the unit of the largest size', () => {
    expect(unitOf(0)).toEqual({ name: 'bytes', bytes: 1 });
    expect(unitOf(4_900_000_000)).toEqual({ name: 'GB', bytes: GB });
    expect(unitOf(900_000)).toEqual({ name: 'kB', bytes: 1000 });
    expect(tickText(2.5 * GB, GB)).toBe('2.5');
  });

  it('name hours up to the current one', () => {
    const names = hourNames(new Date(2026, 10, 26, 1, 30).getTime(), 24);
    expect([names.length, names[0], names[22], names[23]]).toEqual([24, '02:00', '00:00', '01:00']);
  });
});

describe('a backup', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function started(backUp: () => Promise<{ job_id: number }> = async () => ({ job_id: 5 })) {
    let state: Partial<Job> = { id: 5, status: 'running', error: null };
    const listeners: ((event: LiveEvent, before: undefined) => void)[] = [];
    const jobs = vi.fn(async () => ({ items: [state as Job] }));
    const done = vi.fn();
    const run = new BackupRun(
      { backUp, jobs },
      { on: (listener) => (listeners.push(listener), () => listeners.splice(0)) },
      done,
    );
    const end = run.follow();
    const become = (change: Partial<Job>) => (state = { ...state, ...change });
    const announce = (id: number) =>
      listeners.forEach((listen) =>
        listen({ type: 'job', data: { id, kind: 'backup', ref_id: 1, status: 'done' } }, undefined),
      );
    return { run, jobs, done, end, become, announce };
  }

  it('runs until the event of its job', async () => {
    const { run, done, become, announce, end } = started();
    await run.start();
    expect(run.state).toEqual({ at: 'running' });
    become({ status: 'done' });
    announce(4);
    await vi.advanceTimersByTimeAsync(0);
    expect(done).not.toHaveBeenCalled();
    announce(5);
    await vi.advanceTimersByTimeAsync(0);
    expect(run.state).toEqual({ at: 'done' });
    expect(done).toHaveBeenCalledOnce();
    end();
  });

  it('is looked at again without events, and not after the page is left', async () => {
    const { run, jobs, become, end } = started();
    await run.start();
    become({ status: 'failed', error: 'The disk is full.' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(run.state).toEqual({ at: 'failed', error: 'The disk is full.' });
    become({ status: 'running' });
    await run.start();
    end();
    const asked = jobs.mock.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(jobs.mock.calls.length).toBe(asked);
  });

  it('without a folder is an explanation, and any other failure an error', async () => {
    const unset = started(() => Promise.reject(new ApiError(409, 'conflict', 'No folder.')));
    await unset.run.start();
    expect(unset.run.state).toEqual({ at: 'unset' });
    const broken = started(() => Promise.reject(new ApiError(500, 'internal', 'Broken.')));
    await broken.run.start();
    expect(broken.run.state.at).toBe('failed');
  });

  it('is started once', async () => {
    const backUp = vi.fn(async () => ({ job_id: 5 }));
    const { run, end } = started(backUp);
    await Promise.all([run.start(), run.start()]);
    expect(backUp).toHaveBeenCalledOnce();
    end();
  });
});
