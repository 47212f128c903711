/** Key pictures from the decoders, in a worker of their own, so that playback does not wait for them. */
import { PlainRenderer } from '../../../playback/decode/picture/plain';
import type { Contents, FromWorker, Picture } from '../../../playback/decode/protocol';
import { openPort, type OpenPort, type Port } from '../../../playback/decode/session/port';
import { LIMIT, WIDTH, type PreviewSource, type Taken } from './source';

/** Milliseconds that the worker has to open the film, or for a picture. */
const PATIENCE = 8000;

export class DecoderSource implements PreviewSource {
  readonly limit = LIMIT;
  readonly #port: Port;
  readonly #receivers = new Set<(message: FromWorker | null) => void>();
  readonly #opened: Promise<Contents | null>;

  constructor(url: string, name: string, open: OpenPort = openPort) {
    this.#port = open(
      (message) => this.#hand(message),
      () => this.#hand(null),
    );
    this.#opened = this.#answer('opened').then((answer) => answer?.contents ?? null);
    this.#port.open(url, name, false);
  }

  async take(at: number): Promise<Taken | null> {
    const contents = await this.#opened;
    const stream = contents?.streams.find(({ type, decodable }) => type === 'video' && decodable);
    if (!stream) return null;
    const answer = this.#answer('still');
    this.#port.post({ kind: 'still', stream: stream.index, at, width: WIDTH });
    const still = await answer;
    return still?.picture ? { picture: drawn(still.picture), cost: still.busy } : null;
  }

  close(): void {
    this.#hand(null);
    this.#port.close();
  }

  #hand(message: FromWorker | null): void {
    for (const receive of this.#receivers) receive(message);
  }

  /** Returns the next message of a kind; null after a failure, or without it for some seconds. */
  async #answer<Kind extends FromWorker['kind']>(
    kind: Kind,
  ): Promise<Extract<FromWorker, { kind: Kind }> | null> {
    return new Promise((resolve) => {
      const end = (answer: Extract<FromWorker, { kind: Kind }> | null) => {
        clearTimeout(timer);
        this.#receivers.delete(receive);
        resolve(answer);
      };
      const receive = (message: FromWorker | null) => {
        if (message === null || message.kind === 'failed') end(null);
        else if (message.kind === kind) end(message as Extract<FromWorker, { kind: Kind }>);
      };
      const timer = setTimeout(() => end(null), PATIENCE);
      this.#receivers.add(receive);
    });
  }
}

function drawn(picture: Picture): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context) new PlainRenderer(canvas, context).draw(picture);
  return canvas;
}
