/** A session whose code is loaded first. Files that the browser plays by itself load none of it. */
import type { Callbacks, Plan, Session } from './session';

export class LazySession {
  #session: Session | null = null;
  #isClosed = false;
  /** Choices that were made while the code was loading. */
  #pending: Parameters<Session['select']>[0] = {};

  constructor(
    element: HTMLMediaElement,
    canvas: HTMLCanvasElement | null,
    url: string,
    plan: Plan,
    callbacks: Callbacks,
  ) {
    import('./session').then(
      ({ Session }) => {
        if (this.#isClosed) return;
        this.#session = new Session(element, canvas, url, plan, callbacks);
        this.#session.select(this.#pending);
      },
      (error: unknown) => {
        if (!this.#isClosed) callbacks.failed('unloaded', String(error));
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
    this.#session?.close();
    this.#session = null;
  }
}
