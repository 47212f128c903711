/** Replay gains of the files of albums. The facts of an album contain only its own gain, so the others are requested. */
import type { ApiClient } from '../../api/client';
import type { FileGain } from '../../api/models';

/** Milliseconds until a request that failed is repeated. */
const RETRY_AFTER = 30_000;
/** Albums whose gains are kept. */
const KEPT = 20;

type Gains = ReadonlyMap<number, FileGain>;

export class FileGains {
  /** Gains of files by item; the latest item is the last. */
  #items = $state.raw<ReadonlyMap<number, Gains>>(new Map());
  /** Earliest time of the next request by item. */
  readonly #next = new Map<number, number>();

  constructor(
    private readonly api: Pick<ApiClient, 'gains'>,
    private readonly now: () => number,
  ) {}

  /** Returns the gain of a file; undefined if it has none, or if the gains of its item are not here yet. */
  of(item: number, file: number): FileGain | undefined {
    return this.#items.get(item)?.get(file);
  }

  /** Requests the gains of an item, unless they are here or were requested shortly before. Call it as often as needed. */
  request(item: number): void {
    const now = this.now();
    if (this.#items.has(item) || now < (this.#next.get(item) ?? 0)) return;
    this.#next.set(item, now + RETRY_AFTER);
    this.api.gains(item).then(
      ({ items }) => {
        const gains: Gains = new Map(items.map((gain) => [gain.file_id, gain]));
        this.#items = new Map([...this.#items, [item, gains] as const].slice(-KEPT));
      },
      () => {}, // The gain of the album applies until the next request.
    );
  }
}
