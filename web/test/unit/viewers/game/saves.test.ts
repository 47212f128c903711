/** Saves of a game while the server is unreachable or rejects them, or while the page closes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable, type ApiClient } from '../../../../src/api/client';
import type { UnsentSave } from '../../../../src/viewers/game/saves/unsent-saves';
import { gzip, gunzip } from '../../../../src/viewers/game/saves/gzip';
import { SaveHistory } from '../../../../src/viewers/game/saves/save-history.svelte';
import { SaveSlots, TooLarge } from '../../../../src/viewers/game/saves/slots.svelte';
import type { SaveVersion } from '../../../../src/api/models';
import { exportedSave, versionsOf } from '../../../../src/viewers/game/saves/versions';

/** The storage of the browser, as far as it is used. */
const device = vi.hoisted(() => new Map<string, unknown>());
vi.mock('../../../../src/viewers/game/saves/unsent-saves', () => ({
  storeUnsent: async (save: UnsentSave) => void device.set(save.slot, save),
  removeUnsent: async ({ slot }: UnsentSave) => void device.delete(slot),
  unsentSaves: async () => [...device.values()],
  OpenDatabase: {
    open: async () => ({
      storeUnsent: (save: UnsentSave) => void device.set(save.slot, save),
      close: () => {},
    }),
  },
}));

interface Sent {
  slot: string;
  bytes: Uint8Array;
  over: string | null;
  keepalive: boolean;
}

/** A server that stores saves or fails on command. */
function server() {
  const slots = new Map<string, { bytes: Uint8Array; sha256: string; at: string }>();
  /** Replaced saves, newest first. */
  const past = new Map<string, (SaveVersion & { bytes: Uint8Array })[]>();
  const sent: Sent[] = [];
  const faults: (number | 'away')[] = [];
  let serial = 0;
  const put = (slot: string, bytes: Uint8Array, at = '2026-11-21T12:00:00Z') => {
    const old = slots.get(slot);
    const rest = past.get(slot) ?? [];
    if (old) {
      const { sha256, at: saved_at } = old;
      const n = rest.length + 1;
      past.set(slot, [
        { n, size: old.bytes.length, sha256, core: 'fceumm', saved_at, bytes: old.bytes },
        ...rest,
      ]);
    }
    slots.set(slot, { bytes, sha256: `sum${(serial += 1)}`, at });
  };
  const row = (slot: string) => {
    const { bytes, sha256, at } = slots.get(slot)!;
    return { slot, size: bytes.length, sha256, core: 'fceumm', updated_at: at };
  };
  const answer = (status: number) => Response.json({ error: { code: 'no', message: 'No.' } }, { status });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const slot = /saves\/([\w-]+)/.exec(url)?.[1] ?? '';
    const version = Number(/versions\/(\d+)/.exec(url)?.[1]);
    if (version) return new Response(past.get(slot)?.find(({ n }) => n === version)?.bytes as BodyInit);
    if (init.method !== 'PUT') return new Response(slots.get(slot)?.bytes as BodyInit);
    const headers = init.headers as Record<string, string>;
    const over = headers['If-Match']?.replaceAll('"', '') ?? null;
    const bytes = new Uint8Array(init.body as Uint8Array<ArrayBuffer>);
    sent.push({ slot, bytes, over, keepalive: init.keepalive ?? false });
    const fault = faults.shift();
    if (fault === 'away') throw new TypeError('failed to fetch');
    if (fault) return answer(fault);
    const there = slots.get(slot)?.sha256 ?? null;
    const insists = !headers['If-Match'] && !headers['If-None-Match'];
    if (!insists && there !== over) return answer(412);
    put(slot, bytes, '2026-11-21T13:00:00Z');
    return Response.json(row(slot));
  });
  const api = {
    now: () => Date.parse('2026-11-21T12:30:00Z'),
    onUnauthenticated: vi.fn(),
    http: {
      GET: async (_: string, { params }: { params: { path: { slot?: string } } }) => {
        const { slot } = params.path;
        if (slot === undefined) return { data: { items: [...slots.keys()].map(row) } };
        if (!slots.has(slot) && !past.has(slot)) throw new ApiError(404, 'not_found', 'Never saved to.');
        return { data: { items: past.get(slot) ?? [] } };
      },
    },
  } as unknown as ApiClient;
  const shelf = async () => {
    const opened = new SaveSlots(api, 1, 7);
    await opened.open(new AbortController().signal);
    await opened.openDatabase();
    return opened;
  };
  return { api, slots, past, sent, faults, put, shelf };
}

const state = (fill: number) => new Uint8Array(2000).fill(fill);
const held = async (bytes: Uint8Array | undefined) => (await gunzip(bytes as Uint8Array<ArrayBuffer>))[0];

beforeEach(() => device.clear());
afterEach(() => vi.unstubAllGlobals());

describe('a save', () => {
  it.each(['away', 500, 401, 429, 404] as const)(
    'is stored on the device if the response is %s',
    async (fault) => {
      const { faults, shelf, slots } = server();
      const one = await shelf();
      faults.push(fault);
      expect(await one.write('auto', state(5), 'fceumm', true)).toBe(false);
      expect(device.has('auto')).toBe(true);
      expect(one.slot('auto')).toMatchObject({ waiting: true, refused: false });
      expect(await held(new Uint8Array((await one.read('auto'))!))).toBe(5);

      await one.flush();
      expect(await held(slots.get('auto')?.bytes)).toBe(5);
      expect(device.size).toBe(0);
      expect(one.slot('auto')?.waiting).toBe(false);
    },
  );

  it('is stored if the server becomes unavailable after a conflict', async () => {
    const { faults, put, shelf } = server();
    const one = await shelf();
    put('auto', await gzip(state(1)));
    faults.push(412, 'away');
    expect(await one.write('auto', state(5), 'fceumm', true)).toBe(false);
    expect(device.has('auto')).toBe(true);
  });

  it('does not overwrite another device’s save, and reports the conflict', async () => {
    const { put, shelf, slots } = server();
    const one = await shelf();
    put('1', await gzip(state(1)));
    await expect(one.write('1', state(5), 'fceumm')).rejects.toMatchObject({ status: 412 });
    expect(await held(slots.get('1')?.bytes)).toBe(1);
    expect(await one.write('1', state(5), 'fceumm')).toBe(true);
  });

  it('is rejected if it is too large', async () => {
    const { faults, shelf } = server();
    const one = await shelf();
    faults.push(413);
    await expect(one.write('1', state(5), 'fceumm')).rejects.toThrow(TooLarge);
    expect(device.size).toBe(0);
  });

  it('stays on the device if the server rejects it, and the others are sent', async () => {
    const { faults, shelf, slots } = server();
    const one = await shelf();
    faults.push('away', 'away');
    await one.write('1', state(1), 'fceumm');
    await one.write('2', state(2), 'fceumm');
    faults.push(422);
    await one.flush();
    expect([...device.keys()]).toEqual(['1']);
    expect(one.slot('1')).toMatchObject({ waiting: true, refused: true });
    expect([...slots.keys()]).toEqual(['2']);
  });

  it('waits without an error while the user is signed out', async () => {
    const { faults, shelf } = server();
    const one = await shelf();
    faults.push('away');
    await one.write('1', state(1), 'fceumm');
    faults.push(401);
    await one.flush();
    expect(one.slot('1')).toMatchObject({ waiting: true, refused: false });
  });
});

describe('a closing page', () => {
  it('passes its saves to the device and the server without a wait', async () => {
    const { sent, shelf, slots } = server();
    const one = await shelf();
    one.leave('fceumm', [
      { slot: 'sram', bytes: state(8) },
      { slot: 'auto', bytes: state(9) },
    ]);
    expect([...device.keys()]).toEqual(['sram', 'auto']);
    expect(sent.map(({ slot, keepalive }) => [slot, keepalive])).toEqual([
      ['sram', true],
      ['auto', true],
    ]);
    expect(await held(slots.get('auto')?.bytes)).toBe(9);
  });

  it('sends no more than a browser permits; the rest is sent next time', async () => {
    const { sent, shelf, slots } = server();
    const noise = crypto.getRandomValues(new Uint8Array(50_000));
    const one = await shelf();
    one.leave('fceumm', [
      { slot: 'sram', bytes: noise },
      { slot: 'auto', bytes: noise },
    ]);
    expect(sent.map(({ slot }) => slot)).toEqual(['sram']);
    await shelf();
    expect([...slots.keys()]).toEqual(['sram', 'auto']);
    expect(device.size).toBe(0);
  });

  it('stores nothing twice: delivered saves are not sent again', async () => {
    const { sent, shelf } = server();
    const one = await shelf();
    await one.write('auto', state(1), 'fceumm', true);
    one.leave('fceumm', [{ slot: 'auto', bytes: state(9) }]);
    await vi.waitFor(() => expect(sent.length).toBe(2));
    const next = await shelf();
    expect(device.size).toBe(0);
    expect(sent.length).toBe(3); // asked once whether it is there
    expect(await held(new Uint8Array((await next.read('auto'))!))).toBe(9);
  });
});

describe('an earlier version', () => {
  const signal = new AbortController().signal;
  const minute = (n: number, second = 0) =>
    `2026-11-21T12:${String(n).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`;

  it('replaces the present one, which becomes a version', async () => {
    const { put, shelf, slots, past, sent } = server();
    put('1', await gzip(state(1)));
    put('1', await gzip(state(2)));
    const one = await shelf();
    const [first] = past.get('1')!;
    await one.restore('1', first!);
    expect(await held(slots.get('1')?.bytes)).toBe(1);
    expect(await Promise.all(past.get('1')!.map(({ bytes }) => held(bytes)))).toEqual([2, 1]);
    expect(sent.at(-1)?.over).toBe('sum2');
    expect(await held(new Uint8Array((await one.read('1'))!))).toBe(1);
    // What is written next goes over what was put back, without a conflict.
    expect(await one.write('1', state(3), 'fceumm')).toBe(true);
  });

  it('does not replace a newer save of another device without confirmation', async () => {
    const { put, shelf, slots, past } = server();
    put('1', await gzip(state(1)));
    put('1', await gzip(state(2)));
    const one = await shelf();
    put('1', await gzip(state(7)));
    const [, first] = past.get('1')!;
    await expect(one.restore('1', first!)).rejects.toMatchObject({ status: 412 });
    expect(await held(slots.get('1')?.bytes)).toBe(7);
    await one.restore('1', first!);
    expect(await held(slots.get('1')?.bytes)).toBe(1);
  });

  it('does not replace an unsent save of this device: that is sent first, or the restore fails', async () => {
    const { put, shelf, slots, past, faults } = server();
    put('1', await gzip(state(1)));
    put('1', await gzip(state(2)));
    const one = await shelf();
    const [first] = past.get('1')!;
    faults.push('away');
    await one.write('1', state(9), 'fceumm');
    faults.push('away');
    await expect(one.restore('1', first!)).rejects.toThrow();
    expect([device.has('1'), await held(slots.get('1')?.bytes)]).toEqual([true, 2]);
    await one.restore('1', first!);
    expect(await held(slots.get('1')?.bytes)).toBe(1);
    expect(await Promise.all(past.get('1')!.map(({ bytes }) => held(bytes)))).toEqual([9, 2, 1]);
    expect(device.size).toBe(0);
  });

  it('follows the present one, each with its own picture', async () => {
    const { api, put, shelf } = server();
    for (const [at, picture] of [
      [1, true],
      [10, false],
      [20, true],
      [30, true],
    ] as const) {
      put('1', state(at), minute(at));
      if (picture) put('1-png', state(100 + at), minute(at, 2));
    }
    const one = await shelf();
    const list = await versionsOf(api, 7, one, '1', signal);
    expect(list.map(({ n, at, picture }) => [n, at, picture])).toEqual([
      [null, minute(30), null],
      [3, minute(20), 2],
      [2, minute(10), undefined],
      [1, minute(1), 1],
    ]);
    expect(list.map(({ isSame }) => isSame)).toEqual([true, false, false, false]);
    expect(await versionsOf(api, 7, one, '5', signal)).toEqual([]);
    expect(one.names).toEqual(['1']);
  });

  it('is stored on this device as the core wrote it', async () => {
    const { api, put, shelf, past } = server();
    put('sram', await gzip(state(4)), minute(3));
    put('sram', await gzip(state(5)), minute(4));
    const one = await shelf();
    const item = { id: 7, title: 'Lamp: the "Game"' };
    const [old] = past.get('sram')!;
    const before = await exportedSave(api, item, one, 'sram', { n: old!.n, at: old!.saved_at });
    expect(before.name).toBe('Lamp_ the _Game_ - sram - 2026-11-21 12.03.srm');
    expect(before.bytes).toEqual(state(4));
    const now = await exportedSave(api, item, one, 'sram', { n: null, at: minute(4) });
    expect(now.bytes).toEqual(state(5));
    expect((await exportedSave(api, item, one, '1', { n: null, at: minute(4) })).name).toMatch(/\.state$/);
  });
});

describe('the history of saves', () => {
  const minute = (n: number) => `2026-11-21T12:${String(n).padStart(2, '0')}:00Z`;
  const item = { id: 7, title: 'Red Lamp' };
  async function opened(slot = '') {
    const made = server();
    let urls = 0;
    vi.stubGlobal('URL', { createObjectURL: () => `blob:${(urls += 1)}`, revokeObjectURL: vi.fn() });
    made.put('sram', await gzip(state(9)), minute(1));
    made.put('1', await gzip(state(1)), minute(1));
    made.put('1', await gzip(state(2)), minute(5));
    made.put('1-png', await gzip(state(3)), minute(5));
    const slots = new SaveSlots(made.api, 1, 7);
    const history = new SaveHistory(made.api, item, slots, false, slot);
    await history.load();
    return { ...made, history };
  }

  it('begins with the first slot, and shows the battery memory last', async () => {
    const { history } = await opened();
    expect(history.names).toEqual(['1', 'sram']);
    expect(history.slot).toBe('1');
    expect(history.versions?.map(({ n }) => n)).toEqual([null, 1]);
    const [now, earlier] = history.versions ?? [];
    await vi.waitFor(() => expect(history.pictureOf(now!)).toBe('blob:1'));
    expect(history.pictureOf(earlier!)).toBeUndefined();
  });

  it('shows the selected slot, and no versions of another one that arrive late', async () => {
    const { history } = await opened('sram');
    expect(history.slot).toBe('sram');
    const late = history.choose('1');
    expect(history.versions).toBeNull();
    await history.choose('sram');
    await late;
    expect(history.versions?.map(({ n }) => n)).toEqual([null]);
  });

  it('restores a version over the present content, which stays among the versions', async () => {
    const { history, slots } = await opened('1');
    await history.restore('1', history.versions![1]!);
    expect(await held(slots.get('1')?.bytes)).toBe(1);
    await history.list();
    expect(history.versions?.map(({ n }) => n)).toEqual([null, 2, 1]);
  });

  it('reports a server that does not answer', async () => {
    const { api } = server();
    const away = new Unreachable('No answer from the server.');
    const http = { GET: () => Promise.reject(away) } as unknown as ApiClient['http'];
    const slots = new SaveSlots({ ...api, http } as ApiClient, 1, 7);
    const history = new SaveHistory({ ...api, http } as ApiClient, item, slots, false);
    await history.load();
    expect(history.failure).toBe(away);
    expect(history.names).toBeNull();
  });
});
