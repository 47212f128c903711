/** A session whose code is loaded first. Files that the browser plays by itself load none of it. */
import { EarlyPort } from './early-port';
import type { OpenPort } from './port';
import type { Callbacks, Plan, Session } from './session';

export class LazySession {
  #session: Session | null = null;
  #isClosed = false;
  readonly #port: EarlyPort;
  /** Choices that were made while the code was loading. */
  #pending: Parameters<Session['select']>[0] = {};

  constructor(
    element: HTMLMediaElement,
    canvas: HTMLCanvasElement | null,
    url: string,
    plan: Plan,
    callbacks: Callbacks,
    open?: OpenPort,
  ) {
    // The worker opens the file while the code is loading.
    this.#port = new EarlyPort(url, plan.name, plan.isSound, open);
    import('./session').then(
      ({ Session }) => {
        if (this.#isClosed) return;
        this.#session = new Session(element, canvas, url, plan, callbacks, this.#port.take);
        this.#session.select(this.#pending);
      },
      (error: unknown) => {
        if (this.#isClosed) return;
        this.#port.close();
        callbacks.failed('unloaded', String(error));
      },
    );
  }

  /** Plays other tracks from the current position. */
  select(choice: Parameters<Session['select']>[0]): void {
    if (this.#session) this.#session.select(choice);
    else this.#pending = { ...this.#pending, ...choice };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#session) this.#session.close();
    else this.#port.close();
    this.#session = null;
  }
}
