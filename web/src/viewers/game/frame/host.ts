/** The page's end of the message port to a game's frame. */
import { LINE, READY, type Ask, type Asks, type FromFrame, type Tell, type ToFrame } from './messages';

export interface HostEvents {
  ontrouble: (reason: string) => void;
  onkey: (code: string, down: boolean) => unknown;
  /** The frame lost the keyboard focus. */
  onblur: () => void;
}

export class Host {
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #next = 1;
  #isClosed = false;

  private constructor(
    private readonly port: MessagePort,
    events: HostEvents,
  ) {
    port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
      if ('trouble' in data) events.ontrouble(data.trouble);
      else if ('key' in data) events.onkey(data.code, data.down);
      else if ('blurred' in data) events.onblur();
      else this.#settle(data);
    };
  }

  /** Waits until the frame is ready, and connects the port. */
  static connect(frame: HTMLIFrameElement, events: HostEvents, signal: AbortSignal): Promise<Host> {
    return new Promise((resolve) => {
      addEventListener(
        'message',
        ({ origin, source, data }) => {
          if (origin !== location.origin || source !== frame.contentWindow || data !== READY) return;
          const { port1, port2 } = new MessageChannel();
          frame.contentWindow?.postMessage(LINE, location.origin, [port2]);
          resolve(new Host(port1, events));
        },
        { signal },
      );
      frame.src = '/game.html';
    });
  }

  ask<A extends Ask>(ask: A, given: Asks[A]['with']): Promise<Asks[A]['answer']> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(ended());
      this.#waiting.set(id, { resolve, reject });
      this.port.postMessage({ ask, id, with: given } satisfies ToFrame);
    });
  }

  tell(what: Tell): void {
    this.port.postMessage(what satisfies ToFrame);
  }

  close(): void {
    this.#isClosed = true;
    this.port.close();
    for (const { reject } of this.#waiting.values()) reject(ended());
    this.#waiting.clear();
  }

  #settle(message: { id: number; answer: unknown } | { id: number; error: string }): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.answer as never);
  }
}

const ended = () => new Error('The game has ended.');
