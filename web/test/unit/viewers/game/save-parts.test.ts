/** Parts of the saves of a game: compression, the memory of a battery, and the pictures of slots. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Battery } from '../../../../src/viewers/game/saves/battery';
import { gunzip } from '../../../../src/viewers/game/saves/gzip';
import { SlotPictures } from '../../../../src/viewers/game/saves/pictures.svelte';
import { gzipSync } from '../../../../src/viewers/game/saves/sync-gzip';

const state = (fill: number) => new Uint8Array(2000).fill(fill);

afterEach(() => vi.unstubAllGlobals());

describe('one-shot gzip', () => {
  const unsqueezed = async (bytes: Uint8Array) => gunzip(gzipSync(bytes));
  it('is unpacked by the browser to the same bytes', async () => {
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
  it('compresses mostly empty memory', () => {
    expect(gzipSync(new Uint8Array(400_000)).length).toBeLessThan(4000);
  });
});

describe('battery memory', () => {
  const memory = (...bytes: number[]) => Uint8Array.from(bytes);
  it('is sent once after a change becomes stable', () => {
    const battery = new Battery(null, () => 0);
    expect(battery.isDue(memory(1, 2))).toBe(false);
    expect(battery.isDue(memory(1, 3))).toBe(false);
    expect(battery.isDue(memory(1, 3))).toBe(true);
    battery.sent(memory(1, 3));
    expect(battery.isDue(memory(1, 3))).toBe(false);
  });
  it('is sent once a minute if it never becomes stable', () => {
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
  it('is not sent without a write or a change', () => {
    const battery = new Battery(memory(4, 5), () => 0);
    for (const bytes of [null, memory(255, 255), memory(4, 5)]) {
      expect(battery.isNew(bytes)).toBe(false);
      expect(battery.isDue(bytes)).toBe(false);
    }
    expect(battery.isNew(memory(4, 6))).toBe(true);
  });
});

describe('slot pictures', () => {
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
    return { there, shelf, revoked, pictures: new SlotPictures(shelf) };
  }
  const turns = () => new Promise((resolve) => setTimeout(resolve));

  it('are requested once, and released when another replaces them', async () => {
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
  it('are not created by a save after the game was closed', async () => {
    const { revoked, pictures } = gallery();
    pictures.put('1', new Uint8Array(3));
    pictures.close();
    pictures.put('1', new Uint8Array(3));
    expect([pictures.of('1'), revoked]).toEqual([null, ['blob:1']]);
  });
  it('do not belong to an earlier save', async () => {
    const { there, pictures } = gallery();
    pictures.follow(['1']);
    await turns();
    there.set('1', slot('1', '2026-11-21T13:00:00Z', 'd'));
    expect(pictures.of('1')).toBeNull();
  });
});
