/** Takes the messages of the page: opens a film, and starts runs. */
import type { ToWorker } from '../protocol';
import { Failed } from './failure';
import { Film, type Surroundings } from './film';
import { Run } from './run';
import { Still } from './still';

export class Decoder {
  #film: Film | null = null;
  #run: Run | null = null;
  #number = 0;
  #isOver = false;

  constructor(private readonly surroundings: Surroundings) {}

  /** Takes a message. The promise ends with the work that it causes; it never fails. */
  async receive(message: ToWorker): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#handle(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #handle(message: ToWorker): Promise<void> {
    switch (message.kind) {
      case 'open':
        this.#film = new Film(this.surroundings, message.url);
        return this.#film.open(message.wasm, message.name);
      case 'start':
        return this.#start(message);
      case 'clock':
        if (message.run === this.#number) this.#run?.setClock(message);
        return;
      case 'still':
        return this.#takeStill(message);
      case 'retry':
        return this.#film?.retry();
      case 'close':
        this.#isOver = true;
        this.#run?.close();
        this.#film?.close();
    }
  }

  async #start(message: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
    if (!this.#film?.isOpen) throw new Failed('crashed', 'the film is not open');
    this.#run?.close();
    this.#number = message.run;
    this.#run = new Run(this.#film, message, this.surroundings);
    await this.#run.play();
  }

  async #takeStill({ id, stream, at, width }: Extract<ToWorker, { kind: 'still' }>): Promise<void> {
    if (!this.#film?.isOpen) throw new Failed('crashed', 'the film is not open');
    const taken = await new Still(this.#film).take(stream, at, width);
    const planes = taken.picture?.planes.map(({ data }) => data) ?? [];
    if (!this.#isOver) this.surroundings.post({ kind: 'still', id, ...taken }, planes);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#run?.close();
    const reason = error instanceof Failed ? error.reason : 'crashed';
    const detail = error instanceof Error ? error.message : String(error);
    this.surroundings.post({ kind: 'failed', reason, detail }, []);
  }
}
