/** The connection to the decoder worker. */
import type { FromWorker, ToWorker } from '../protocol';

export interface Port {
  /** Opens a file. Sound files need a smaller build of the decoder. */
  open(url: string, name: string, isSound: boolean): void;
  post(message: ToWorker): void;
  close(): void;
}

/** Starts a worker. `onlost` reports a crash of the worker itself. */
export type OpenPort = (onmessage: (message: FromWorker) => void, onlost: (detail: string) => void) => Port;

export const openPort: OpenPort = (onmessage, onlost) => {
  const worker = new Worker(new URL('../worker/main.ts', import.meta.url), { name: 'decoder' });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => onmessage(data);
  worker.onerror = (event) => onlost(event.message);
  worker.onmessageerror = () => onlost('a message of the decoder is damaged');
  const post = (message: ToWorker) => worker.postMessage(message);
  return {
    open: (url, name, isSound) =>
      post({ kind: 'open', url: absolute(url), wasm: isSound ? 'sound' : 'full', name }),
    post,
    // Also ends a worker that is stuck.
    close: () => worker.terminate(),
  };
};

function absolute(url: string): string {
  return new URL(url, document.baseURI).href;
}
