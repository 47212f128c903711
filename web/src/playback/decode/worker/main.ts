/** The worker: a classic script from our own origin, because plain HTTP has nothing better. */
import type { FromWorker, ToWorker } from '../protocol';
import { Decoder } from './decoder';
import { loadModule } from './load';
import { HttpTransport } from './transport';

/** Builds of the decoders (docs/decoders.md). */
const BUILDS = {
  sound: new URL('../../../../av/sound.wasm', import.meta.url).href,
  full: new URL('../../../../av/full.wasm', import.meta.url).href,
};

/** Part of the global object of a worker, for which the project has no types. */
interface Global {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: ArrayBuffer[]): void;
}

const worker = self as unknown as Global;
const channel = new MessageChannel();

const decoder = new Decoder({
  transport: (url) => new HttpTransport(url),
  compile: (build) => loadModule(BUILDS[build]),
  post: (message, transfer) => worker.postMessage(message, transfer),
  breathe: () =>
    new Promise((resolve) => {
      // Timers would rest for 4 ms.
      channel.port1.onmessage = () => resolve();
      channel.port2.postMessage(null);
    }),
});

worker.onmessage = ({ data }) => void decoder.receive(data);
