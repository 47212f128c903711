/** The start of a game, with a server and a frame under the control of the test. */
import { afterEach, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../../../src/api/client';
import type { Item, MediaFile } from '../../../../src/api/models';
import { Host } from '../../../../src/viewers/game/frame/host';
import { GameSession } from '../../../../src/viewers/game/session.svelte';
import type * as remote from '../../../../src/viewers/game/saves/requests';
import { cores, download } from '../../../../src/viewers/game/saves/requests';

vi.mock('../../../../src/viewers/game/saves/requests', async (original) => ({
  ...(await original<typeof remote>()),
  platforms: async () => ({ items: [{ id: 'nes', name: 'NES', extensions: ['nes'], core: 'fceumm' }] }),
  cores: vi.fn(async () => ({
    items: [{ id: 'fceumm', script_url: '/core.js', wasm_url: '/core.wasm', wasm_size: 10, bios: [] }],
  })),
  download: vi.fn(),
}));
vi.mock('../../../../src/viewers/game/frame/host', () => ({
  Host: { connect: vi.fn(() => new Promise(() => {})) },
}));
vi.mock('../../../../src/viewers/game/saves/slots.svelte', () => ({
  AUTO: 'auto',
  BATTERY: 'sram',
  pictureOf: (slot: string) => slot,
  TooLarge: class extends Error {},
  SaveSlots: class {
    open = async () => {};
    openDatabase = async () => {};
    read = async () => null;
    slot = () => null;
  },
}));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const bytes = () => new Uint8Array(8);

function stubPage() {
  const context = { getExtension: () => null };
  const createElement = () => ({ getContext: () => context });
  vi.stubGlobal('document', Object.assign(new EventTarget(), { createElement, hidden: false }));
}

function show(isSeen: boolean) {
  Object.assign(document, { hidden: !isSeen });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** A frame, and the address that it was sent to. */
function framed() {
  const replace = vi.fn();
  return { replace, frame: { contentWindow: { location: { replace } } } as unknown as HTMLIFrameElement };
}

const cartridge = { id: 2, name: 'disc.nes', size: 1000, content_url: '/disc' } as MediaFile;

/** A game with everything but its frame. */
function begin(come: typeof download, frame = framed().frame, file = cartridge, others: MediaFile[] = []) {
  vi.useFakeTimers();
  stubPage();
  vi.mocked(download).mockImplementation(come);
  const play = new GameSession({
    ...{ api: {} as ApiClient, user: 1, startOver: false, volume: 1, onkey: () => {} },
    item: { id: 1, facts: { platform: 'nes' }, files: [file, ...others] } as unknown as Item,
    file,
  });
  void play.start(frame);
  return play;
}

it('a game fails after a minute if its frame does not respond', async () => {
  const play = begin(async () => bytes());
  await vi.advanceTimersByTimeAsync(59_000);
  expect([play.phase.name, play.hasPads]).toEqual(['loading', true]);
  await vi.advanceTimersByTimeAsync(3000);
  expect([play.phase.name, play.hasPads]).toEqual(['stalled', false]);
});

it('a game reads gamepads while it runs, not while it is paused or after a failure', async () => {
  const host = { ask: vi.fn(async () => null), close: vi.fn(), tell: vi.fn() };
  let fail: (reason: string) => void = () => {};
  vi.mocked(Host.connect).mockImplementationOnce(async (_frame, { ontrouble }) => {
    fail = ontrouble;
    return host as unknown as Host;
  });
  vi.stubGlobal('window', globalThis);
  const play = begin(async () => bytes());
  await vi.advanceTimersByTimeAsync(1000);
  expect([play.phase.name, play.hasPads]).toEqual(['running', true]);
  await play.pause();
  expect([play.phase.name, play.hasPads]).toEqual(['paused', false]);
  await play.resume();
  expect([play.phase.name, play.hasPads]).toEqual(['running', true]);
  fail('out of memory');
  expect([play.phase.name, play.hasPads]).toEqual(['failed', false]);
});

it('a game fails if its core does not respond, and later messages are ignored', async () => {
  const host = { ask: vi.fn(() => new Promise(() => {})), close: vi.fn(), tell: vi.fn() };
  vi.mocked(Host.connect).mockResolvedValueOnce(host as unknown as Host);
  const { frame, replace } = framed();
  const play = begin(async () => bytes(), frame);
  await vi.advanceTimersByTimeAsync(120_000);
  expect([play.phase.name, replace.mock.calls]).toEqual(['starting', []]);
  await vi.advanceTimersByTimeAsync(62_000);
  expect([play.phase.name, replace.mock.calls]).toEqual(['stalled', [['about:blank']]]);
  expect(host.close).toHaveBeenCalledOnce();
});

it('a game in a hidden page does not time out until a minute after the page is shown', async () => {
  const play = begin(async () => bytes());
  await vi.advanceTimersByTimeAsync(30_000);
  show(false);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(play.phase.name).toBe('loading');
  show(true);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(play.phase.name).toBe('loading');
  await vi.advanceTimersByTimeAsync(3000);
  expect(play.phase.name).toBe('stalled');
});

it('a slow download extends the timeout as long as data arrives', async () => {
  let read: (bytes: number) => void = () => {};
  let isWanted = () => true;
  const play = begin((_api, url, signal, onread = () => {}) => {
    if (url === '/core.wasm') return Promise.resolve(bytes());
    [read, isWanted] = [onread, () => !signal.aborted];
    return new Promise(() => {});
  });
  for (let minute = 1; minute <= 5; minute += 1) {
    await vi.advanceTimersByTimeAsync(50_000);
    read(minute);
  }
  expect([play.phase.name, isWanted()]).toEqual(['loading', true]);
  await vi.advanceTimersByTimeAsync(62_000);
  expect([play.phase.name, isWanted()]).toEqual(['stalled', false]);
});

it('small files do not extend the timeout of a large one', async () => {
  const [core] = (await cores({} as ApiClient)).items;
  const bios = [{ name: 'disksys.rom', url: '/bios', platforms: ['nes'], required: false }];
  vi.mocked(cores).mockResolvedValueOnce({ items: [{ ...core, bios }] } as never);
  const come: typeof download = async (_api, url, _signal, onread = () => {}) => {
    if (url === '/disc') return new Promise(() => {});
    onread(url === '/track' ? 12 : 8);
    return bytes();
  };
  const list = { ...cartridge, name: 'disc.cue' };
  const track = { id: 3, name: 'track.bin', content_url: '/track', missing: false } as MediaFile;
  const play = begin(come, framed().frame, list, [track]);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(vi.mocked(download).mock.calls.map(([, url]) => url)).toEqual(
    expect.arrayContaining(['/track', '/bios']),
  );
  expect(play.phase.name).toBe('loading');
  await vi.advanceTimersByTimeAsync(12_000);
  expect(play.phase.name).toBe('stalled');
});

/** A host that never answers, and rejects pending requests when it is closed. */
function silent() {
  let fail: (reason: string) => void = () => {};
  const waiting: ((error: Error) => void)[] = [];
  const host = {
    ask: vi.fn(() => new Promise((_, reject) => waiting.push(reject))),
    close: vi.fn(() => waiting.forEach((reject) => reject(new Error('The game has ended.')))),
    tell: vi.fn(),
  };
  vi.mocked(Host.connect).mockImplementationOnce(async (_frame, { ontrouble }) => {
    fail = ontrouble;
    return host as unknown as Host;
  });
  return { host, fail: (reason: string) => fail(reason) };
}

it('a game that fails at its start keeps its error message', async () => {
  const { fail, host } = silent();
  const play = begin(async () => bytes());
  await vi.advanceTimersByTimeAsync(1000);
  expect(play.phase.name).toBe('starting');
  fail('out of memory');
  for (const later of [0, 1000, 200_000]) {
    await vi.advanceTimersByTimeAsync(later);
    expect(play.phase).toEqual({ name: 'failed', error: new Error('out of memory') });
  }
  fail('and another');
  expect(play.phase).toEqual({ name: 'failed', error: new Error('out of memory') });
  expect(host.close).toHaveBeenCalled();
});

it('a failed game starts no further downloads and no timeouts', async () => {
  const { fail } = silent();
  let isWanted = () => true;
  const play = begin((_api, url, signal) => {
    if (url === '/core.wasm') return Promise.resolve(bytes());
    isWanted = () => !signal.aborted;
    return new Promise(() => {});
  });
  await vi.advanceTimersByTimeAsync(1000);
  fail('no memory for it');
  expect(isWanted()).toBe(false);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(play.phase).toEqual({ name: 'failed', error: new Error('no memory for it') });
});

it('a game that timed out ignores later messages of its frame', async () => {
  const { fail } = silent();
  const play = begin(async () => bytes());
  await vi.advanceTimersByTimeAsync(200_000);
  expect(play.phase.name).toBe('stalled');
  fail('out of memory');
  expect(play.phase.name).toBe('stalled');
});

it('a missing core is reported before the disc has loaded', async () => {
  stubPage();
  let progress: (read: number) => void = () => {};
  let isWanted = () => true;
  vi.mocked(download).mockImplementation((_api, url, signal, onread = () => {}) => {
    if (url === '/core.wasm') return Promise.reject(new Error('no core'));
    [progress, isWanted] = [onread, () => !signal.aborted];
    return new Promise(() => {});
  });
  const play = new GameSession({
    ...{ api: {} as ApiClient, user: 1, startOver: false, volume: 1, onkey: () => {} },
    item: { id: 1, facts: { platform: 'nes' }, files: [] } as unknown as Item,
    file: { id: 2, name: 'disc.nes', size: 1000, content_url: '/disc' } as MediaFile,
  });
  await play.start(framed().frame);
  expect(play.phase).toMatchObject({ name: 'failed' });
  progress(500);
  expect(play.phase).toMatchObject({ name: 'failed' });
  expect(isWanted()).toBe(false);
});
