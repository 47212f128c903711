/** Decoders that do not arrive, and workers that do not start. */
import { afterEach, expect, it, vi } from 'vitest';
import { openPort } from '../../src/playback/decode/session/port';
import { Failed } from '../../src/playback/decode/worker/failure';
import { loadModule } from '../../src/playback/decode/worker/load';

/** The smallest module. */
const MODULE = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

afterEach(() => void vi.unstubAllGlobals());

const answering = (answer: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(answer));

it.each<[string, () => Promise<Response>]>([
  ['no response', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['an error of the server', async () => new Response('', { status: 503 })],
  ['a removed file', async () => new Response('', { status: 404 })],
  ['half of the bytes', async () => new Response(MODULE.slice(0, 6))],
  ['a page of a proxy', async () => new Response('<html>')],
])('%s is the failure unloaded', async (_, answer) => {
  answering(answer);
  const error: unknown = await loadModule('/full.wasm').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Failed);
  expect(error).toMatchObject({ reason: 'unloaded' });
});

it('a module of another type is compiled', async () => {
  answering(async () => new Response(MODULE, { headers: { 'Content-Type': 'text/plain' } }));
  expect(await loadModule('/full.wasm')).toBeInstanceOf(WebAssembly.Module);
});

it('a script that does not arrive is not loaded, and one that throws has crashed', () => {
  vi.stubGlobal('self', { location: new URL('http://ledge/') });
  const workers: { onerror: (event: Partial<ErrorEvent>) => void }[] = [];
  vi.stubGlobal(
    'Worker',
    class {
      onerror = () => {};
      constructor() {
        workers.push(this);
      }
    },
  );
  const onlost = vi.fn();
  openPort(() => {}, onlost);
  workers[0]?.onerror({});
  workers[0]?.onerror({ message: 'x is not defined' });
  expect(onlost.mock.calls).toEqual([
    ['unloaded', 'the worker did not start'],
    ['crashed', 'x is not defined'],
  ]);
});
