/** A worker that opens its file while the code of its session is loading. */
import type { FromWorker } from '../protocol';
import { openPort, type OnLost, type OpenPort, type Port } from './port';

export class EarlyPort {
  readonly #port: Port;
  /** Messages that arrived before the session. */
  #messages: FromWorker[] = [];
  #lost: Parameters<OnLost> | null = null;
  #onmessage: (message: FromWorker) => void = (message) => void this.#messages.push(message);
  #onlost: OnLost = (...reason) => void (this.#lost = reason);

  constructor(url: string, name: string, isSound: boolean, open: OpenPort = openPort) {
    this.#port = open(
      (message) => this.#onmessage(message),
      (...reason) => this.#onlost(...reason),
    );
    this.#port.open(url, name, isSound);
  }

  /** Gives the worker to the session. It gets the earlier messages after it has opened its file. */
  readonly take: OpenPort = (onmessage, onlost) => {
    const replay = () => {
      const [messages, lost] = [this.#messages, this.#lost];
      this.#onmessage = onmessage;
      this.#onlost = onlost;
      for (const message of messages) onmessage(message);
      if (lost) onlost(...lost);
    };
    const { post, close } = this.#port;
    // The session is not constructed yet.
    return { open: () => queueMicrotask(replay), post, close };
  };

  close(): void {
    this.#port.close();
  }
}
