/** The pages of an open comic: their sizes, the visible spread, and the addresses of their pictures. */
import type { Item } from '../../api/models';
import { NoPages } from '../reading/support/no-pages';
import type { ReadingApi } from '../reading/support/requests';
import { ComicSettings } from './settings.svelte';
import { spreadOf, spreads, widthFor, type ComicPage } from './spreads';

/** Aspect ratio of a page until its picture is loaded. */
const USUAL_SHAPE = 2 / 3;
/** Pages with a larger aspect ratio are shown alone. */
const WIDE = 1.1;
/** Maximum width of a strip in pixels. */
const STRIP_WIDTH = 900;

export class ComicBook {
  readonly settings: ComicSettings;
  pages = $state.raw<readonly ComicPage[] | null>(null);
  failure = $state.raw<unknown>();
  page = $state(0);
  /** Number of retries after a failure. */
  attempts = $state(0);
  #size = $state.raw({ width: innerWidth, height: innerHeight });
  /** Measured aspect ratios by page (width / height). */
  #shapes = $state.raw<Readonly<Record<number, number>>>({});

  constructor(
    private readonly api: Pick<ReadingApi, 'pages'>,
    private readonly item: Pick<Item, 'id' | 'kind' | 'facts'>,
    private readonly file: number,
    start: number,
  ) {
    this.settings = new ComicSettings(item.id, item.facts);
    this.page = start;
  }

  readonly count = $derived(this.pages?.length ?? 0);
  readonly strip = $derived.by(() => this.settings.value.mode === 'strip');
  readonly #paired = $derived.by(
    () => this.settings.value.mode === 'spread' && this.#size.width > this.#size.height,
  );
  readonly #spreads = $derived(
    spreads(
      (this.pages ?? []).map((page) => this.shapeOf(page) > WIDE),
      this.#paired,
    ),
  );
  readonly #at = $derived(spreadOf(this.#spreads, this.page));
  /** Indexes of the visible pages, unless they are shown as a strip. */
  readonly shown = $derived(this.#spreads[this.#at] ?? []);

  /** Fetches the list of pages. The returned function aborts the request. */
  load(): () => void {
    const stop = new AbortController();
    void this.attempts; // an effect that calls this runs again for each retry
    this.failure = undefined;
    this.api.pages(this.file, stop.signal).then(
      ({ items }) => {
        if (items.length === 0) {
          this.failure = new NoPages();
          return;
        }
        this.page = Math.min(Math.max(0, this.page), items.length - 1);
        this.pages = items;
      },
      (error: unknown) => {
        if (!stop.signal.aborted) this.failure = error ?? true;
      },
    );
    return () => stop.abort();
  }

  resize(): void {
    this.#size = { width: innerWidth, height: innerHeight };
  }

  shapeOf(page: ComicPage): number {
    return page.width && page.height ? page.width / page.height : (this.#shapes[page.n] ?? USUAL_SHAPE);
  }

  /** Records the size of a loaded picture, if the server did not determine it. */
  readPageSize(n: number, image: HTMLImageElement): void {
    const known = this.pages?.[n];
    if (!known || known.width || image.naturalHeight === 0) return;
    this.#shapes = { ...this.#shapes, [n]: image.naturalWidth / image.naturalHeight };
  }

  /** Returns the address of a page's picture in a suitable size. */
  source(n: number): string {
    const wide = this.shown.length > 1 ? this.#size.width / 2 : this.#size.width;
    const width = widthFor(Math.min(wide, this.strip ? STRIP_WIDTH : wide) * Math.min(devicePixelRatio, 3));
    const address = this.#address(n);
    return width === null ? address : `${address}?width=${width}`;
  }

  /** Returns the picture of a page in its own size. */
  async picture(n: number): Promise<HTMLImageElement> {
    const image = new Image();
    image.src = this.#address(n);
    await image.decode();
    return image;
  }

  readonly #address = (n: number) => `/api/v1/kinds/${this.item.kind}/files/${this.file}/pages/${n}`;

  /** Returns the first page of the spread that contains a page. */
  firstShownWith(page: number): number {
    const wanted = Math.min(Math.max(0, page), this.count - 1);
    return this.strip ? wanted : (this.#spreads[spreadOf(this.#spreads, wanted)]?.[0] ?? wanted);
  }

  /** Returns the first page of the next or the previous spread. */
  neighbour(step: 1 | -1): number | undefined {
    return this.#spreads[this.#at + step]?.[0];
  }

  /** Returns the pages of the next spreads. */
  following(count: number): number[] {
    return this.#spreads.slice(this.#at + 1, this.#at + 1 + count).flat();
  }
}
