/** Changes to the order of a list: shown at once, sent one request at a time, reverted if the server rejects them. */
import { isStale } from '../../../api/lists/edited-list';
import type { PagedList } from '../../../api/lists/paged-list';

/** An entry of a list, with an id that moves do not change. */
interface Identified {
  id: number;
}

/** Requests for a list with a version. `List` is the list after the change. */
export interface ListApi<Entry, List> {
  move(moves: { id: number; to: number }[], version: number): Promise<List>;
  remove(ids: readonly number[], version: number): Promise<List>;
  /** Adds an entry at an index, to any version. */
  add(entry: Entry, at: number): Promise<{ version: number }>;
}

/** The list that the page shows. */
export interface ListState<List> {
  version(): number;
  /** The server applied a change. */
  saved(list: List): void;
  /** The server added an entry; the list has this version now. */
  added(version: number): void;
  /** The shown list is out of date. */
  reload(): void;
}

type Change<Entry> =
  { move: { id: number; to: number } } | { remove: number } | { add: { entry: Entry; at: number } };

/** Reason for which a change was not saved. */
export type EditProblem = { isStale: boolean; error: unknown };

export class EntryEditor<Entry extends Identified, List> {
  problem = $state.raw<EditProblem | null>(null);
  #waiting: Change<Entry>[] = [];
  #sending: Promise<void> | null = null;
  /** False if a loaded page does not show the latest change. */
  #isComplete = true;

  constructor(
    private readonly api: ListApi<Entry, List>,
    private readonly list: PagedList<Entry>,
    private readonly state: ListState<List>,
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

  /** Adds an entry after the earlier changes. It is shown when the server has it. */
  add(entry: Entry, at: number): void {
    this.#isComplete = false;
    this.#add({ add: { entry, at } });
  }

  /** Resolves when no change waits for the server. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  #show(total: number, source: (n: number) => Entry | undefined): void {
    if (!this.list.rearrange(total, source)) this.#isComplete = false;
  }

  #add(change: Change<Entry>): void {
    this.problem = null;
    this.#waiting.push(change);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#sendNext();
      if (this.#isComplete) this.list.markStale();
      else this.list.expire();
    } catch (error) {
      this.#waiting = [];
      this.problem = { isStale: isStale(error), error };
      this.list.expire();
      this.state.reload();
    } finally {
      this.#isComplete = true;
      this.#sending = null;
    }
  }

  /** Sends an addition, or consecutive moves or removals as one request. */
  async #sendNext(): Promise<void> {
    const [next] = this.#waiting;
    if (next && 'add' in next) {
      this.#waiting = this.#waiting.slice(1);
      const { version } = await this.api.add(next.add.entry, next.add.at);
      return this.state.added(version);
    }
    const moves = leading(this.#waiting, (one) => ('move' in one ? one.move : undefined));
    const removed = leading(this.#waiting, (one) => ('remove' in one ? one.remove : undefined));
    this.#waiting = this.#waiting.slice(moves.length + removed.length);
    const version = this.state.version();
    this.state.saved(
      await (moves.length > 0 ? this.api.move(moves, version) : this.api.remove(removed, version)),
    );
  }
}

/** Largest number of changes of one request. */
const BATCH = 1000;

function leading<C, T>(all: readonly C[], valueOf: (one: C) => T | undefined): T[] {
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
