/** The connection to the decoder worker. */
import type { FromWorker, ToWorker } from '../protocol';

export interface Port {
  /** Opens a file. Sound files need a smaller build of the decoder. */
  open(url: string, name: string, isSound: boolean): void;
  post(message: ToWorker): void;
  close(): void;
}

/** Starts a worker. `onlost` reports the end of the worker itself: its script did not load, or it crashed. */
export type OpenPort = (onmessage: (message: FromWorker) => void, onlost: OnLost) => Port;
export type OnLost = (reason: 'unloaded' | 'crashed', detail: string) => void;

export const openPort: OpenPort = (onmessage, onlost) => {
  const worker = new Worker(new URL('../worker/main.ts', import.meta.url), { name: 'decoder' });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => onmessage(data);
  // Errors of the script have a message. A script that did not arrive has none.
  worker.onerror = ({ message }: Partial<ErrorEvent>) =>
    message ? onlost('crashed', message) : onlost('unloaded', 'the worker did not start');
  worker.onmessageerror = () => onlost('crashed', 'a message of the decoder is damaged');
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
