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
  /** Time of the last request by item. */
  readonly #asked = new Map<number, number>();

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
    if (this.#items.has(item) || now - (this.#asked.get(item) ?? Number.NEGATIVE_INFINITY) < RETRY_AFTER)
      return;
    this.#asked.set(item, now);
    this.api.gains(item).then(
      ({ items }) => this.#keep(item, new Map(items.map((gain) => [gain.file_id, gain]))),
      () => {}, // The gain of the album applies until the next request.
    );
  }

  #keep(item: number, gains: Gains): void {
    this.#items = new Map([...[...this.#items].slice(1 - KEPT), [item, gains]]);
  }
}
