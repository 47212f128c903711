/** Changes to the order of a list: shown at once, sent one request at a time, reverted if the server rejects them. */
import { ApiError } from '../../../api/client';
import type { PagedList } from '../../../api/lists/paged-list';

/** An entry of a list, with an id that moves do not change. */
interface Identified {
  id: number;
}

/** Requests for a list with a version. `List` is the list after the change. */
interface ListApi<List> {
  move(moves: { id: number; to: number }[], version: number): Promise<List>;
  remove(ids: readonly number[], version: number): Promise<List>;
}

interface Around<List> {
  /** The version that the page shows. */
  version(): number;
  /** The server applied a change. */
  saved(list: List): void;
  /** The shown list is out of date. */
  reload(): void;
}

type Change = { move: { id: number; to: number } } | { remove: number };

/** Reason for which a change was not saved. */
export type EditProblem = { isStale: boolean; error: unknown };

export class EntryEditor<Entry extends Identified, List> {
  problem = $state.raw<EditProblem | null>(null);
  #waiting: Change[] = [];
  #isSending = false;
  #isComplete = true;

  constructor(
    private readonly api: ListApi<List>,
    private readonly list: PagedList<Entry>,
    private readonly around: Around<List>,
  ) {}

  get #total(): number {
    return this.list.first.data?.total ?? 0;
  }

  /** Moves an entry from one index to another one. */
  move(id: number, from: number, to: number): void {
    this.#show(this.#total, (n) => this.list.at(sourceOf(n, from, to)));
    this.#add({ move: { id, to } });
  }

  remove(id: number, index: number): void {
    this.#show(this.#total - 1, (n) => this.list.at(n < index ? n : n + 1));
    this.#add({ remove: id });
  }

  #show(total: number, source: (n: number) => Entry | undefined): void {
    if (!this.list.rearrange(total, source)) this.#isComplete = false;
  }

  #add(change: Change): void {
    this.problem = null;
    this.#waiting.push(change);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#waiting.length > 0) this.around.saved(await this.#sendNext());
      if (this.#isComplete) this.list.markStale();
      else this.list.expire();
    } catch (error) {
      this.#waiting = [];
      this.problem = { isStale: error instanceof ApiError && error.status === 412, error };
      this.list.expire();
      this.around.reload();
    } finally {
      this.#isComplete = true;
      this.#isSending = false;
    }
  }

  /** Sends consecutive moves, or consecutive removals, as one request. */
  #sendNext(): Promise<List> {
    const version = this.around.version();
    const moves = leading(this.#waiting, (one) => ('move' in one ? one.move : undefined));
    const removed = leading(this.#waiting, (one) => ('remove' in one ? one.remove : undefined));
    this.#waiting = this.#waiting.slice(moves.length + removed.length);
    return moves.length > 0 ? this.api.move(moves, version) : this.api.remove(removed, version);
  }
}

/** Largest number of changes of one request. */
const BATCH = 1000;

function leading<T>(all: readonly Change[], valueOf: (one: Change) => T | undefined): T[] {
  const values = all.slice(0, BATCH).map(valueOf);
  const end = values.indexOf(undefined);
  return (end < 0 ? values : values.slice(0, end)) as T[];
}

/** Returns the index before a move of the entry that is at index `n` after it. */
export function sourceOf(n: number, from: number, to: number): number {
  if (n === to) return from;
  if (from <= n && n < to) return n + 1;
  return to < n && n <= from ? n - 1 : n;
}
