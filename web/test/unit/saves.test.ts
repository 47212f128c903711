/** What becomes of a game's saves while the server is away, refuses them, or the page goes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../src/api/client';
import { Battery } from '../../src/viewers/game/battery';
import type { KeptSave } from '../../src/viewers/game/kept';
import { pack, unpack } from '../../src/viewers/game/pack';
import { Pictures } from '../../src/viewers/game/pictures.svelte';
import { SlotShelf, TooLarge } from '../../src/viewers/game/shelf.svelte';
import { squeeze } from '../../src/viewers/game/squeeze';

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
  const sent: Sent[] = [];
  const faults: (number | 'away')[] = [];
  let serial = 0;
  const put = (slot: string, bytes: Uint8Array, at = '2026-11-21T12:00:00Z') => {
    slots.set(slot, { bytes, sha256: `sum${(serial += 1)}`, at });
  };
  const row = (slot: string) => {
    const { bytes, sha256, at } = slots.get(slot)!;
    return { slot, size: bytes.length, sha256, core: 'fceumm', updated_at: at };
  };
  const answer = (status: number) => Response.json({ error: { code: 'no', message: 'No.' } }, { status });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const slot = /saves\/([\w-]+)/.exec(url)?.[1] ?? '';
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
    ask: async () => ({ items: [...slots.keys()].map(row) }),
  } as unknown as ApiClient;
  const shelf = async () => {
    const opened = new SlotShelf(api, 1, 7);
    await opened.open(new AbortController().signal);
    await opened.standBy();
    return opened;
  };
  return { api, slots, sent, faults, put, shelf };
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
  it('are not shown of a former save', async () => {
    const { there, pictures } = gallery();
    pictures.follow(['1']);
    await turns();
    there.set('1', slot('1', '2026-11-21T13:00:00Z', 'd'));
    expect(pictures.of('1')).toBeNull();
  });
});
