/** A game that begins, over a server and a frame that answer as they are told to. */
import { afterEach, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../src/api/client';
import type { Item, MediaFile } from '../../src/api/types';
import { Play } from '../../src/viewers/game/play.svelte';
import type * as remote from '../../src/viewers/game/remote';
import { download } from '../../src/viewers/game/remote';

vi.mock('../../src/viewers/game/remote', async (original) => ({
  ...(await original<typeof remote>()),
  platforms: async () => ({ items: [{ id: 'nes', name: 'NES', extensions: ['nes'], core: 'fceumm' }] }),
  cores: async () => ({
    items: [{ id: 'fceumm', script_url: '/core.js', wasm_url: '/core.wasm', wasm_size: 10, bios: [] }],
  }),
  download: vi.fn(),
}));
vi.mock('../../src/viewers/game/host', () => ({ Host: { connect: () => new Promise(() => {}) } }));
vi.mock('../../src/viewers/game/shelf.svelte', () => ({
  pictureOf: (slot: string) => slot,
  TooLarge: class extends Error {},
  SlotShelf: class {
    open = async () => {};
    standBy = async () => {};
  },
}));
afterEach(() => vi.unstubAllGlobals());

it('a game whose core does not come says so, however long its disc still takes', async () => {
  const context = { getExtension: () => null };
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => context }), hidden: false });
  let progress: (read: number) => void = () => {};
  let isWanted = () => true;
  vi.mocked(download).mockImplementation((_api, url, signal, onread = () => {}) => {
    if (url === '/core.wasm') return Promise.reject(new Error('no core'));
    [progress, isWanted] = [onread, () => !signal.aborted];
    return new Promise(() => {});
  });
  const play = new Play({
    ...{ api: {} as ApiClient, user: 1, anew: false, volume: 1, onkey: () => {} },
    item: { id: 1, facts: { platform: 'nes' }, files: [] } as unknown as Item,
    file: { id: 2, name: 'disc.nes', size: 1000, content_url: '/disc' } as MediaFile,
  });
  await play.start({} as HTMLIFrameElement);
  expect(play.phase).toMatchObject({ name: 'failed' });
  progress(500);
  expect(play.phase).toMatchObject({ name: 'failed' });
  expect(isWanted()).toBe(false);
});
