/** Key pictures from the decoders, in a worker of their own, so that playback does not wait for them. */
import { PlainRenderer } from '../../../playback/decode/picture/plain';
import type { Contents, FromWorker, Picture } from '../../../playback/decode/protocol';
import { openPort, type OpenPort, type Port } from '../../../playback/decode/session/port';
import { LIMIT, WIDTH, type PreviewSource, type Taken } from './source';

/** Milliseconds that the worker has to open the film, or for a picture. */
const PATIENCE = 8000;

type Message<Kind extends FromWorker['kind']> = Extract<FromWorker, { kind: Kind }>;

export class DecoderSource implements PreviewSource {
  readonly limit = LIMIT;
  readonly #port: Port;
  readonly #receivers = new Set<(message: FromWorker | null) => void>();
  readonly #opened: Promise<Contents | null>;
  /** Number of the latest request. */
  #asked = 0;

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
    const id = (this.#asked += 1);
    // An earlier request may be answered after its time is over.
    const answer = this.#answer('still', (still) => still.id === id);
    this.#port.post({ kind: 'still', id, stream: stream.index, at, width: WIDTH });
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

  /** Returns the next matching message of a kind; null after a failure, or without it for some seconds. */
  async #answer<Kind extends FromWorker['kind']>(
    kind: Kind,
    matches: (message: Message<Kind>) => boolean = () => true,
  ): Promise<Message<Kind> | null> {
    const isAnswer = (message: FromWorker): message is Message<Kind> =>
      message.kind === kind && matches(message as Message<Kind>);
    return new Promise((resolve) => {
      const end = (answer: Message<Kind> | null) => {
        clearTimeout(timer);
        this.#receivers.delete(receive);
        resolve(answer);
      };
      const receive = (message: FromWorker | null) => {
        if (message === null || message.kind === 'failed') end(null);
        else if (isAnswer(message)) end(message);
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
