/** What becomes of a game's saves while the server is away, refuses them, or the page goes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, type ApiClient } from '../../src/api/client';
import { Battery } from '../../src/viewers/game/battery';
import type { KeptSave } from '../../src/viewers/game/kept';
import { pack, unpack } from '../../src/viewers/game/pack';
import { Pictures } from '../../src/viewers/game/pictures.svelte';
import { SlotShelf, TooLarge } from '../../src/viewers/game/shelf.svelte';
import type { SaveVersion } from '../../src/viewers/game/remote';
import { squeeze } from '../../src/viewers/game/squeeze';
import { exported, versionsOf } from '../../src/viewers/game/versions';

/** The browser's own store, as far as it is used. */
const device = vi.hoisted(() => new Map<string, unknown>());
vi.mock('../../src/viewers/game/kept', () => ({
  keep: async (save: KeptSave) => void device.set(save.slot, save),
  forget: async ({ slot }: KeptSave) => void device.delete(slot),
  keptSaves: async () => [...device.values()],
  StandBy: {
    open: async () => ({ keep: (save: KeptSave) => void device.set(save.slot, save), close: () => {} }),
  },
}));

interface Sent {
  slot: string;
  bytes: Uint8Array;
  over: string | null;
  keepalive: boolean;
}

/** A server that keeps saves, or answers as it is told. */
function server() {
  const slots = new Map<string, { bytes: Uint8Array; sha256: string; at: string }>();
  /** What was saved over, newest first. */
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
    ask: async (_: string, path: string) => {
      const slot = /saves\/([\w-]+)\/versions/.exec(path)?.[1];
      if (slot === undefined) return { items: [...slots.keys()].map(row) };
      if (!slots.has(slot) && !past.has(slot)) throw new ApiError(404, 'not_found', 'Never saved to.');
      return { items: past.get(slot) ?? [] };
    },
  } as unknown as ApiClient;
  const shelf = async () => {
    const opened = new SlotShelf(api, 1, 7);
    await opened.open(new AbortController().signal);
    await opened.standBy();
    return opened;
  };
  return { api, slots, past, sent, faults, put, shelf };
}

const state = (fill: number) => new Uint8Array(2000).fill(fill);
const held = async (bytes: Uint8Array | undefined) => (await unpack(bytes as Uint8Array<ArrayBuffer>))[0];

beforeEach(() => device.clear());
afterEach(() => vi.unstubAllGlobals());

describe('a save', () => {
  it.each(['away', 500, 401, 429, 404] as const)(
    'is kept on the device where the answer is %s',
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

  it('is kept, too, where the server goes away after another device was first', async () => {
    const { faults, put, shelf } = server();
    const one = await shelf();
    put('auto', await pack(state(1)));
    faults.push(412, 'away');
    expect(await one.write('auto', state(5), 'fceumm', true)).toBe(false);
    expect(device.has('auto')).toBe(true);
  });

  it('does not go over another device’s unasked, and says so', async () => {
    const { put, shelf, slots } = server();
    const one = await shelf();
    put('1', await pack(state(1)));
    await expect(one.write('1', state(5), 'fceumm')).rejects.toMatchObject({ status: 412 });
    expect(await held(slots.get('1')?.bytes)).toBe(1);
    expect(await one.write('1', state(5), 'fceumm')).toBe(true);
  });

  it('is refused where it is too large', async () => {
    const { faults, shelf } = server();
    const one = await shelf();
    faults.push(413);
    await expect(one.write('1', state(5), 'fceumm')).rejects.toThrow(TooLarge);
    expect(device.size).toBe(0);
  });

  it('stays on the device where the server will not have it, and the others are sent', async () => {
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

  it('waits on without a word against it while one is logged out', async () => {
    const { faults, shelf } = server();
    const one = await shelf();
    faults.push('away');
    await one.write('1', state(1), 'fceumm');
    faults.push(401);
    await one.flush();
    expect(one.slot('1')).toMatchObject({ waiting: true, refused: false });
  });
});

describe('a page that goes', () => {
  it('hands its saves to the device and the server without waiting for either', async () => {
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

  it('sends no more than a browser takes then; the rest is sent the next time', async () => {
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

  it('leaves nothing twice: what had arrived is not sent again', async () => {
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

describe('an earlier save', () => {
  const signal = new AbortController().signal;
  const minute = (n: number, second = 0) =>
    `2026-11-21T12:${String(n).padStart(2, '0')}:${String(second).padStart(2, '0')}Z`;

  it('is put back over the one that is there, which is kept in turn', async () => {
    const { put, shelf, slots, past, sent } = server();
    put('1', await pack(state(1)));
    put('1', await pack(state(2)));
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

  it('is not put over what another device saved since, until one has seen that', async () => {
    const { put, shelf, slots, past } = server();
    put('1', await pack(state(1)));
    put('1', await pack(state(2)));
    const one = await shelf();
    put('1', await pack(state(7)));
    const [, first] = past.get('1')!;
    await expect(one.restore('1', first!)).rejects.toMatchObject({ status: 412 });
    expect(await held(slots.get('1')?.bytes)).toBe(7);
    await one.restore('1', first!);
    expect(await held(slots.get('1')?.bytes)).toBe(1);
  });

  it('is not put over what only this device has: that goes to the server first, or it fails', async () => {
    const { put, shelf, slots, past, faults } = server();
    put('1', await pack(state(1)));
    put('1', await pack(state(2)));
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

  it('stands after the one that is there now, each with the picture taken with it', async () => {
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

  it('is written to this device as the core wrote it', async () => {
    const { api, put, shelf, past } = server();
    put('sram', await pack(state(4)), minute(3));
    put('sram', await pack(state(5)), minute(4));
    const one = await shelf();
    const item = { id: 7, title: 'Lamp: the "Game"' };
    const [old] = past.get('sram')!;
    const before = await exported(api, item, one, 'sram', { n: old!.n, at: old!.saved_at });
    expect(before.name).toBe('Lamp_ the _Game_ - sram - 2026-11-21 12.03.srm');
    expect(before.bytes).toEqual(state(4));
    const now = await exported(api, item, one, 'sram', { n: null, at: minute(4) });
    expect(now.bytes).toEqual(state(5));
    expect((await exported(api, item, one, '1', { n: null, at: minute(4) })).name).toMatch(/\.state$/);
  });
});

describe('gzip in one go', () => {
  const unsqueezed = async (bytes: Uint8Array) => unpack(squeeze(bytes));
  it('is unpacked to what it was by the browser itself', async () => {
    const text = new TextEncoder().encode(
      'the keeper trims the lamp, the keeper writes the hour. '.repeat(900),
    );
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const every = Uint8Array.from({ length: 512 }, (_, n) => n & 255);
    const far = new Uint8Array(100_000);
    far.set(noise.subarray(0, 500), 0);
    far.set(noise.subarray(0, 500), 32_768);
    far.set(noise.subarray(0, 500), 99_000);
    const memory = new Uint8Array(300_000);
    for (let at = 0; at < memory.length; at += 1021)
      memory.set(noise.subarray(0, (at % 97) + 1), at % 299_000);
    for (const bytes of [new Uint8Array(0), Uint8Array.of(7), state(3), every, text, noise, far, memory]) {
      expect(await unsqueezed(bytes)).toEqual(bytes);
    }
  });
  it('makes memory small that is mostly empty', () => {
    expect(squeeze(new Uint8Array(400_000)).length).toBeLessThan(4000);
  });
});

describe('the memory of a battery', () => {
  const memory = (...bytes: number[]) => Uint8Array.from(bytes);
  it('is sent once a change stands still, and once only', () => {
    const battery = new Battery(null, () => 0);
    expect(battery.isDue(memory(1, 2))).toBe(false);
    expect(battery.isDue(memory(1, 3))).toBe(false);
    expect(battery.isDue(memory(1, 3))).toBe(true);
    battery.sent(memory(1, 3));
    expect(battery.isDue(memory(1, 3))).toBe(false);
  });
  it('is sent once a minute where it never stands still', () => {
    let now = 0;
    const battery = new Battery(memory(0, 9), () => now);
    const due: number[] = [];
    for (let n = 0; n < 50; n += 1, now += 3000) {
      if (!battery.isDue(memory(1, n))) continue;
      due.push(now);
      battery.sent(memory(1, n));
    }
    expect(due).toEqual([60_000, 120_000]);
  });
  it('is not sent where nothing was ever written, or nothing is new', () => {
    const battery = new Battery(memory(4, 5), () => 0);
    for (const bytes of [null, memory(255, 255), memory(4, 5)]) {
      expect(battery.isNew(bytes)).toBe(false);
      expect(battery.isDue(bytes)).toBe(false);
    }
    expect(battery.isNew(memory(4, 6))).toBe(true);
  });
});

describe('the pictures of slots', () => {
  const slot = (name: string, at: string, mark: string) => ({
    name,
    at,
    mark,
    size: 3,
    core: 'fceumm',
    waiting: false,
    refused: false,
  });
  function gallery() {
    let serial = 0;
    const revoked: string[] = [];
    vi.stubGlobal('URL', {
      createObjectURL: () => `blob:${(serial += 1)}`,
      revokeObjectURL: (url: string) => void revoked.push(url),
    });
    const there = new Map([
      ['1', slot('1', '2026-11-21T12:00:00Z', 'a')],
      ['1-png', slot('1-png', '2026-11-21T12:00:01Z', 'b')],
    ]);
    const shelf = {
      slot: (name: string) => there.get(name) ?? null,
      read: vi.fn(async () => new Uint8Array(3)),
    };
    return { there, shelf, revoked, pictures: new Pictures(shelf) };
  }
  const turns = () => new Promise((resolve) => setTimeout(resolve));

  it('are fetched once, and given back when another takes their place', async () => {
    const { there, shelf, revoked, pictures } = gallery();
    pictures.follow(['1', '2']);
    pictures.follow(['1', '2']);
    await turns();
    expect(shelf.read).toHaveBeenCalledTimes(1);
    expect(pictures.of('1')).toBe('blob:1');
    there.set('1-png', slot('1-png', '2026-11-21T12:05:00Z', 'c'));
    pictures.put('1', new Uint8Array(3));
    pictures.follow(['1']);
    expect(pictures.of('1')).toBe('blob:2');
    expect(revoked).toEqual(['blob:1']);
    expect(shelf.read).toHaveBeenCalledTimes(1);
    pictures.close();
    expect(revoked).toEqual(['blob:1', 'blob:2']);
  });
  it('are none any more where a save arrives after the game was left', async () => {
    const { revoked, pictures } = gallery();
    pictures.put('1', new Uint8Array(3));
    pictures.close();
    pictures.put('1', new Uint8Array(3));
    expect([pictures.of('1'), revoked]).toEqual([null, ['blob:1']]);
  });
  it('are not shown of a former save', async () => {
    const { there, pictures } = gallery();
    pictures.follow(['1']);
    await turns();
    there.set('1', slot('1', '2026-11-21T13:00:00Z', 'd'));
    expect(pictures.of('1')).toBeNull();
  });
});
