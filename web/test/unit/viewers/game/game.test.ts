/** Keys and gamepads, archives and compressed states, and required BIOS files. */
import { Host } from '../../../../src/viewers/game/frame/host';
import { READY } from '../../../../src/viewers/game/frame/messages';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { extensionOf, gameIn, gzip, gunzip } from '../../../../src/viewers/game/saves/gzip';
import {
  downOn,
  followPads,
  savedLayouts,
  layoutOf,
  pressedOn,
  Presses,
  withControl,
  STANDARD_LAYOUT,
  type Control,
} from '../../../../src/viewers/game/input/gamepads';
import {
  buttonOf,
  buttonsOf,
  savedKeys,
  keyName,
  withKey,
  signal,
  STANDARD_KEYS,
} from '../../../../src/viewers/game/input/retropad';
import { missingBios } from '../../../../src/viewers/game/requirements';
import type { BiosFile } from '../../../../src/api/models';

describe('keyboard mapping', () => {
  it('maps keys to buttons', () => {
    expect(buttonOf(STANDARD_KEYS, 'KeyX')).toBe('a');
    expect(buttonOf(STANDARD_KEYS, 'ArrowUp')).toBe('up');
    expect(buttonOf(STANDARD_KEYS, 'KeyP')).toBeUndefined();
  });

  it('gives each key to one button: the former owner receives the other’s key', () => {
    const keys = withKey(STANDARD_KEYS, 'a', 'KeyZ');
    expect(keys.a).toBe('KeyZ');
    expect(keys.b).toBe('KeyX');
    expect(new Set(Object.values(keys)).size).toBe(Object.keys(keys).length);
  });

  it('loads only valid stored entries', () => {
    expect(savedKeys('{"a":"KeyJ","b":5,"other":"KeyK"}')).toEqual({ ...STANDARD_KEYS, a: 'KeyJ' });
    for (const text of [null, 'nonsense', '[]', '5']) expect(savedKeys(text)).toEqual(STANDARD_KEYS);
  });

  it('shows the printed names of keys', () => {
    expect(['KeyX', 'Digit1', 'ArrowLeft', 'Enter'].map(keyName)).toEqual(['X', '1', '←', 'Enter']);
  });
});

describe('a controller button', () => {
  it('is identified by its number, or by the stick for a direction on such consoles', () => {
    expect(signal('a', true, 'nes')).toEqual({ button: 8, value: 1 });
    expect(signal('left', false, 'snes')).toEqual({ button: 6, value: 0 });
    expect(signal('left', true, 'n64')).toEqual({ button: 17, value: 0x7fff });
  });

  it('is included for the consoles that have it', () => {
    expect(buttonsOf('gb')).toEqual(['b', 'a', 'select', 'start']);
    expect(buttonsOf('snes')).toContain('x');
    expect(buttonsOf('of another time')).toEqual(buttonsOf('nes'));
  });
});

describe('a standard gamepad', () => {
  const pad = (pressed: number[], axes: number[] = []) => ({
    buttons: Array.from({ length: 16 }, (_, n) => ({
      pressed: pressed.includes(n),
      touched: false,
      value: 0,
    })),
    axes,
  });

  it('maps its buttons, and its stick as a direction pad', () => {
    expect([...downOn(pad([0, 1, 9]))]).toEqual(['b', 'a', 'start']);
    expect([...downOn(pad([], [-0.9, 0.2]))]).toEqual(['left']);
    expect([...downOn(pad([12], [0, -1]))]).toEqual(['up']);
    expect(downOn({ buttons: [], axes: [] }).size).toBe(0);
  });
});

describe('gamepads', () => {
  afterEach(() => vi.unstubAllGlobals());
  it('release all buttons when they are disconnected', () => {
    let frame = () => {};
    let pads: unknown[] = [{ index: 1, buttons: [{ pressed: true }], axes: [] }];
    vi.stubGlobal('requestAnimationFrame', (next: () => void) => ((frame = next), 1));
    vi.stubGlobal('navigator', { getGamepads: () => pads });
    const told: [number, string, boolean][] = [];
    followPads((player, button, down) => void told.push([player, button, down]));
    frame();
    pads = [null, null];
    frame();
    frame();
    expect(told).toEqual([
      [1, 'b', true],
      [1, 'b', false],
    ]);
  });
});

describe('a custom gamepad mapping', () => {
  /** A gamepad that a test presses. */
  const fake = (id: string, index: number, pressed: number[] = [], axes: number[] = []) =>
    ({
      id,
      index,
      buttons: Array.from({ length: 16 }, (_, n) => ({ pressed: pressed.includes(n) })),
      axes,
    }) as unknown as Gamepad;

  it('gives each control to one button: the former owner receives the other’s control', () => {
    const layout = withControl(STANDARD_LAYOUT, 'a', 'b0');
    expect([layout.a, layout.b]).toEqual([['b0'], ['b1']]);
    expect([...downOn(fake('x', 0, [0]), layout)]).toEqual(['a']);
    expect([...downOn(fake('x', 0, [1]), layout)]).toEqual(['b']);
  });

  it('releases the stick from a direction whose button is reassigned, and accepts a stick axis', () => {
    const layout = withControl(STANDARD_LAYOUT, 'start', 'b12');
    expect([layout.start, layout.up]).toEqual([['b12'], ['a1-']]);
    const stick = withControl(STANDARD_LAYOUT, 'l2', 'a2+');
    expect([...downOn(fake('x', 0, [], [0, 0, 0.9]), stick)]).toEqual(['l2']);
    expect(downOn(fake('x', 0, [], [0, 0, -0.9]), stick).size).toBe(0);
    expect(withControl(STANDARD_LAYOUT, 'up', 'a1-').up).toEqual(['a1-']);
  });

  it('never gives one control to two buttons', () => {
    let layout = STANDARD_LAYOUT;
    const chosen: ['a' | 'up' | 'x' | 'start', Control][] = [
      ['a', 'b12'],
      ['up', 'b0'],
      ['x', 'a1-'],
      ['start', 'b12'],
      ['up', 'a0+'],
    ];
    for (const [button, control] of chosen) {
      layout = withControl(layout, button, control);
      expect(layout[button]).toEqual([control]);
      const all = Object.values(layout).flat();
      expect(new Set(all).size).toBe(all.length);
      expect(Object.values(layout).every((controls) => controls.length > 0)).toBe(true);
    }
  });

  it('reports new presses only, not held buttons or axes at an end position', () => {
    const presses = new Presses();
    const seen = (...pads: Gamepad[]) => presses.look(pads)?.control ?? null;
    expect(seen(fake('x', 0, [3], [0, 0, -1]))).toBeNull();
    expect(seen(fake('x', 0, [3], [0, 0, -1]))).toBeNull();
    expect(seen(fake('x', 0, [], [0, 0, -1]))).toBeNull();
    expect(seen(fake('x', 0, [3], [0, 0, -1]))).toBe('b3');
    expect(seen(fake('x', 0, [3], [0, 0, 1]))).toBe('a2+');
    expect(seen(fake('x', 0), fake('y', 1, [5]))).toBeNull();
    expect(presses.look([fake('x', 0), fake('y', 1, [5, 6])])).toMatchObject({
      pad: { id: 'y' },
      control: 'b6',
    });
  });

  it('reports a trigger as a button if it is both', () => {
    expect(pressedOn(fake('x', 0, [6], [0, -0.8, 1]))).toEqual(['b6', 'a1-', 'a2+']);
  });

  it('is stored by gamepad model, valid entries only', () => {
    const layouts = savedLayouts('{"Pad A":{"a":["b0"],"b":["b1","no"],"x":[],"y":"b3"},"Pad B":null}');
    expect(layoutOf(layouts, { id: 'Pad A' })).toEqual({ ...STANDARD_LAYOUT, a: ['b0'] });
    expect(layoutOf(layouts, { id: 'Pad B' })).toEqual(STANDARD_LAYOUT);
    expect(layoutOf(layouts, { id: 'toString' })).toBe(STANDARD_LAYOUT);
    for (const text of [null, 'nonsense', '[]', '5']) expect(savedLayouts(text)).toEqual({});
  });

  it('is applied by gamepad model', () => {
    let frame = () => {};
    let pads: (Gamepad | null)[] = [];
    vi.stubGlobal('requestAnimationFrame', (next: () => void) => ((frame = next), 1));
    vi.stubGlobal('cancelAnimationFrame', vi.fn());
    vi.stubGlobal('navigator', { getGamepads: () => pads });
    const layouts = { odd: withControl(STANDARD_LAYOUT, 'start', 'b2') };
    const told: [number, string, boolean][] = [];
    const end = followPads(
      (player, button, down) => void told.push([player, button, down]),
      (pad) => layoutOf(layouts, pad),
    );
    pads = [fake('odd', 0, [2]), null, fake('usual', 2, [2]), fake('odd', 7, [2])];
    frame();
    pads = [];
    frame();
    expect(told).toEqual([
      [0, 'start', true],
      [2, 'y', true],
      [0, 'start', false],
      [2, 'y', false],
    ]);
    end();
    expect(cancelAnimationFrame).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});

describe('a state file', () => {
  it('is packed and unpacked; an unpacked one stays unchanged', async () => {
    const state = new Uint8Array(10_000).fill(7);
    const packed = await gzip(state);
    expect(packed.length).toBeLessThan(1000);
    expect([...packed.slice(0, 2)]).toEqual([0x1f, 0x8b]);
    expect(await gunzip(packed)).toEqual(state);
    expect(await gunzip(state)).toEqual(state);
  });
});

describe('an archive', () => {
  const utf8 = new TextEncoder();

  /** Numbers of two or four bytes at their offsets in a record. */
  function record(size: number, short: Record<number, number>, long: Record<number, number>): Uint8Array {
    const view = new DataView(new ArrayBuffer(size));
    for (const [at, value] of Object.entries(short)) view.setUint16(Number(at), value, true);
    for (const [at, value] of Object.entries(long)) view.setUint32(Number(at), value, true);
    return new Uint8Array(view.buffer);
  }

  const joined = async (parts: Uint8Array[]) =>
    new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());

  async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** A ZIP archive of these files, each compressed or stored. */
  async function zip(files: { name: string; bytes: Uint8Array<ArrayBuffer>; packed: boolean }[]) {
    const parts: Uint8Array[] = [];
    const directory: Uint8Array[] = [];
    let at = 0;
    for (const { name, bytes, packed } of files) {
      const body = packed ? await deflated(bytes) : bytes;
      const sizes = { 20: body.length, 24: bytes.length, 42: at };
      parts.push(record(30, { 26: name.length }, { 0: 0x04034b50 }), utf8.encode(name), body);
      directory.push(
        record(46, { 10: packed ? 8 : 0, 28: name.length }, { 0: 0x02014b50, ...sizes }),
        utf8.encode(name),
      );
      at += 30 + name.length + body.length;
    }
    const listed = await joined(directory);
    const end = record(22, { 10: files.length }, { 0: 0x06054b50, 12: listed.length, 16: at });
    return joined([...parts, listed, end]);
  }
  const bytes = new Uint8Array(5000).map((_, n) => n % 251);

  it('may have the size of the largest game of its platform', async () => {
    const archive = await zip([
      { name: 'readme.txt', bytes: new Uint8Array(9000), packed: true },
      { name: 'small.nes', bytes: bytes.slice(0, 100), packed: false },
      { name: 'in/Lamp.NES', bytes, packed: true },
    ]);
    expect(await gameIn(archive, ['nes'])).toEqual({ name: 'Lamp.NES', bytes });
    expect(await gameIn(archive, ['gb'])).toBeNull();
  });

  it('is rejected if it is truncated or of another type', async () => {
    const archive = await zip([{ name: 'Lamp.nes', bytes, packed: false }]);
    for (const other of [archive.slice(0, -30), new Uint8Array(4), new Uint8Array(0), bytes]) {
      expect(await gameIn(other, ['nes'])).toBeNull();
    }
  });

  it('is detected by its extension', () => {
    expect(['a.ZIP', 'b.tar.gz', 'c'].map(extensionOf)).toEqual(['zip', 'gz', 'c']);
  });
});

describe('a BIOS file', () => {
  const file = (name: string, state: BiosFile['state'], required = true): BiosFile => ({
    name,
    state,
    required,
    md5: '',
    url: null,
    matches: null,
    platforms: ['segacd'],
  });

  it('is required if a platform needs one and has none', () => {
    expect(missingBios([file('u', 'missing'), file('e', 'missing')], 'segacd')).toEqual(['u', 'e']);
    expect(missingBios([file('u', 'missing'), file('e', 'added')], 'segacd')).toEqual([]);
    expect(missingBios([file('u', 'missing')], 'megadrive')).toEqual([]);
    expect(missingBios([file('u', 'missing', false)], 'segacd')).toEqual([]);
  });
});

describe('the channel to the game frame', () => {
  it('fails pending and later calls after it is closed', async () => {
    vi.stubGlobal('location', { origin: 'http://here' });
    let hear: (event: unknown) => void = () => {};
    vi.stubGlobal('addEventListener', (_: string, listener: typeof hear) => (hear = listener));
    const posted = vi.fn();
    const frame = { src: '', contentWindow: { postMessage: posted } } as unknown as HTMLIFrameElement;
    const events = { ontrouble: vi.fn(), onkey: vi.fn(), onblur: vi.fn() };
    const connecting = Host.connect(frame, events, new AbortController().signal);
    hear({ origin: 'http://elsewhere', source: frame.contentWindow, data: READY });
    hear({ origin: 'http://here', source: null, data: READY });
    expect(posted).not.toHaveBeenCalled();
    hear({ origin: 'http://here', source: frame.contentWindow, data: READY });
    const host = await connecting;
    const asked = host.ask('run', false);
    host.close();
    await expect(asked).rejects.toThrow('ended');
    await expect(host.ask('run', true)).rejects.toThrow('ended');
    posted.mock.calls[0]?.[2][0].close();
    vi.unstubAllGlobals();
  });
});
