/** Reads the file in blocks, and keeps the last ones. */
import type { Failure } from '../protocol';
import { BlockCache } from './block-cache';
import type { Answer, Transport } from './transport';

/** Bytes of a block. */
export const BLOCK = 512 << 10;

/** Blocks in memory: 12 MiB. */
const KEPT = 24;

/** Bytes of a part that is read elsewhere. Formats without an index are searched by time, with a jump for each step. */
export const PIECE = 64 << 10;

/** Parts in memory: 2 MiB. */
const PIECES_KEPT = 32;

/** Blocks that are fetched before they are needed. */
const AHEAD = 3;

export type Problem =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'failed'; readonly reason: Failure; readonly detail: string };

export class Reader {
  readonly #blocks = new BlockCache(BLOCK, KEPT);
  readonly #pieces = new BlockCache(PIECE, PIECES_KEPT);
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
    const cache = this.#cacheFor(position);
    const index = Math.floor(position / cache.size);
    this.#last = Math.floor(position / BLOCK);
    const part = cache.get(index) ?? this.#fetchNow(cache, index);
    if (!part) return null;
    const from = position - index * cache.size;
    const bytes = part.subarray(from, from + length);
    this.furthest = Math.max(this.furthest, position + bytes.length);
    return bytes;
  }

  /** Fetches what the next read probably needs. Afterwards, `problem` states why it is not there. */
  async prepare(): Promise<void> {
    this.problem = this.#has(this.#last) ? null : await this.#waitFor(this.#last);
    if (!this.problem) this.#fetchAhead();
  }

  /** Returns the cache that has a position, or that gets it. Only a read that continues the last one needs a block. */
  #cacheFor(position: number): BlockCache {
    const index = Math.floor(position / BLOCK);
    if (this.#blocks.has(index)) return this.#blocks;
    if (this.#pieces.has(Math.floor(position / PIECE))) return this.#pieces;
    const continues = index === this.#last || index === this.#last + 1;
    return continues || this.#size === null ? this.#blocks : this.#pieces;
  }

  #fetchNow(cache: BlockCache, index: number): Uint8Array | undefined {
    const before = performance.now();
    this.onwait(true);
    this.problem = this.#take(cache, index, this.transport.now(index * cache.size, this.#end(cache, index)));
    this.onwait(false);
    this.waited += performance.now() - before;
    return cache.get(index);
  }

  async #waitFor(index: number): Promise<Problem | null> {
    this.onwait(true);
    const problem = await this.#fetch(index);
    this.onwait(false);
    return problem;
  }

  /** Fetches the blocks ahead, one after another. */
  #fetchAhead(): void {
    if (this.#fetching || this.#isCutOff) return;
    for (let index = this.#last + 1; index <= this.#last + AHEAD; index++) {
      if (this.#has(index)) continue;
      void this.#fetch(index).then(() => this.#fetchAhead());
      return;
    }
  }

  async #fetch(index: number): Promise<Problem | null> {
    while (this.#fetching) await this.#fetching;
    if (this.#has(index)) return null;
    const request = this.transport.later(index * BLOCK, this.#end(this.#blocks, index));
    this.#fetching = request.then((answer) => {
      const problem = this.#take(this.#blocks, index, answer);
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

  #end({ size }: BlockCache, index: number): number {
    return Math.min((index + 1) * size, this.#size ?? Number.POSITIVE_INFINITY);
  }

  /** Keeps a part, or returns the problem with it. */
  #take(cache: BlockCache, index: number, answer: Answer): Problem | null {
    this.requests += 1;
    // The server refuses each range of a file without bytes.
    const isEmpty = this.#size === null && answer.kind === 'failed' && answer.reason === 'changed';
    if (isEmpty) return { kind: 'failed', reason: 'empty', detail: 'the file has no bytes' };
    if (answer.kind !== 'bytes') return answer;
    const problem = this.#check(answer, this.#end(cache, index) - index * cache.size);
    if (problem) return problem;
    this.bytes += answer.data.length;
    this.#isCutOff = false;
    cache.keep(index, answer.data);
    return null;
  }

  #check(answer: Extract<Answer, { kind: 'bytes' }>, expected: number): Problem | null {
    const isFirst = this.#size === null;
    this.#size ??= answer.size;
    this.#tag ||= answer.tag;
    if (answer.size !== this.#size || answer.tag !== this.#tag)
      return { kind: 'failed', reason: 'changed', detail: '' };
    // A connection that broke within the response. The first one can be the whole of a shorter file.
    const least = isFirst ? Math.min(expected, this.#size) : expected;
    return answer.data.length < least ? { kind: 'unreachable' } : null;
  }
}
