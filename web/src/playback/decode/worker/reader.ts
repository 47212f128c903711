/** Reads the file in blocks, and keeps the last ones. */
import type { Failure } from '../protocol';
import type { Answer, Transport } from './transport';

/** Bytes of a block. */
export const BLOCK = 512 << 10;

/** Blocks in memory: 12 MiB. */
const KEPT = 24;

/** Blocks that are fetched before they are needed. */
const AHEAD = 3;

export type Problem =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'failed'; readonly reason: Failure; readonly detail: string };

export class Reader {
  readonly #blocks = new Map<number, Uint8Array>();
  #size: number | null = null;
  #tag = '';
  /** Block that the last read needed. */
  #last = 0;
  #fetching: Promise<Problem | null> | null = null;
  /** A block ahead did not arrive. The next ones are fetched when they are needed. */
  #isCutOff = false;
  /** Reason why the last read failed. */
  problem: Problem | null = null;
  requests = 0;
  bytes = 0;
  /** Milliseconds that reads have waited for the server. */
  waited = 0;
  /** Largest position that was read. */
  furthest = 0;

  constructor(
    private readonly transport: Transport,
    /** Receives true before the reader waits for the server, and false afterwards. */
    private readonly onwait: (isWaiting: boolean) => void = () => {},
  ) {}

  /** Bytes of the file, once a block is there. */
  get size(): number {
    return this.#size ?? 0;
  }

  /** Returns bytes from a position: some, none at the end, or null after a problem. */
  read(position: number, length: number): Uint8Array | null {
    if (this.#size !== null && position >= this.#size) return new Uint8Array(0);
    const index = Math.floor(position / BLOCK);
    this.#last = index;
    let block = this.#blocks.get(index);
    if (!block) {
      const before = performance.now();
      this.onwait(true);
      this.problem = this.#take(index, this.transport.now(index * BLOCK, this.#end(index)));
      this.onwait(false);
      this.waited += performance.now() - before;
      block = this.#blocks.get(index);
      if (!block) return null;
    }
    this.#keep(index, block);
    const from = position - index * BLOCK;
    const part = block.subarray(from, from + length);
    this.furthest = Math.max(this.furthest, position + part.length);
    return part;
  }

  /** Fetches what the next read probably needs. Afterwards, `problem` states why it is not there. */
  async prepare(): Promise<void> {
    this.problem = this.#has(this.#last) ? null : await this.#waitFor(this.#last);
    if (!this.problem) this.#fetchAhead();
  }

  async #waitFor(index: number): Promise<Problem | null> {
    this.onwait(true);
    const problem = await this.#fetch(index);
    this.onwait(false);
    return problem;
  }

  #fetchAhead(): void {
    if (this.#fetching || this.#isCutOff) return;
    for (let index = this.#last + 1; index <= this.#last + AHEAD; index++) {
      if (this.#has(index)) continue;
      void this.#fetch(index);
      return;
    }
  }

  async #fetch(index: number): Promise<Problem | null> {
    while (this.#fetching) await this.#fetching;
    if (this.#has(index)) return null;
    const request = this.transport.later(index * BLOCK, this.#end(index));
    this.#fetching = request.then((answer) => {
      const problem = this.#take(index, answer);
      if (problem) this.#isCutOff = true;
      return problem;
    });
    try {
      return await this.#fetching;
    } finally {
      this.#fetching = null;
    }
  }

  #has(index: number): boolean {
    return this.#blocks.has(index) || (this.#size !== null && index * BLOCK >= this.#size);
  }

  #end(index: number): number {
    return Math.min((index + 1) * BLOCK, this.#size ?? Number.POSITIVE_INFINITY);
  }

  /** Keeps a block, or returns the problem with it. */
  #take(index: number, answer: Answer): Problem | null {
    this.requests += 1;
    // The server refuses each range of a file without bytes.
    const isEmpty = this.#size === null && answer.kind === 'failed' && answer.reason === 'changed';
    if (isEmpty) return { kind: 'failed', reason: 'empty', detail: 'the file has no bytes' };
    if (answer.kind !== 'bytes') return answer;
    const problem = this.#check(answer, index);
    if (problem) return problem;
    this.bytes += answer.data.length;
    this.#isCutOff = false;
    this.#keep(index, answer.data);
    return null;
  }

  #check(answer: Extract<Answer, { kind: 'bytes' }>, index: number): Problem | null {
    this.#size ??= answer.size;
    this.#tag ||= answer.tag;
    if (answer.size !== this.#size || answer.tag !== this.#tag)
      return { kind: 'failed', reason: 'changed', detail: '' };
    // A connection that broke within the response.
    const expected = this.#end(index) - index * BLOCK;
    return answer.data.length < expected ? { kind: 'unreachable' } : null;
  }

  #keep(index: number, block: Uint8Array): void {
    this.#blocks.delete(index);
    this.#blocks.set(index, block);
    if (this.#blocks.size <= KEPT) return;
    const oldest = this.#blocks.keys().next().value;
    if (oldest !== undefined) this.#blocks.delete(oldest);
  }
}
