/** The item in the player: its files on one timeline, and the position. */
import type { Item, MediaFile } from '../api/models';
import { fileTitle } from '../catalogue/file-order';
import { ScrubState } from './scrub.svelte';
import { isWhole, locate, markAt, nameOf, timelineOf } from './timeline';

/** Seconds into a chapter within which “previous” goes to the chapter before. */
const EARLY = 4;

export abstract class CurrentItem {
  item = $state.raw<Item | null>(null);
  /** The consecutive files of the item. */
  queue = $state.raw<MediaFile[]>([]);
  index = $state(0);
  /** True for a single file out of several, queued by itself. */
  alone = $state(false);
  /** Position within the file. */
  time = $state(0);
  speed = $state(1);

  protected readonly scrubbing = new ScrubState((to) => this.seek(to));
  /** Measured lengths by file. */
  #lengths = $state.raw<Readonly<Record<number, number>>>({});

  /** Seeks in a file of the queue. */
  abstract go(index: number, seconds: number): void;

  /** True if the files are one long work, such as an audiobook. */
  readonly whole = $derived(this.item !== null && isWhole(this.item));
  readonly timeline = $derived(
    timelineOf(
      this.queue,
      this.whole,
      this.queue.map(({ id }) => this.#lengths[id]),
    ),
  );
  /** Index of the current chapter or track; -1 without one. */
  readonly mark = $derived(markAt(this.timeline, this.index, this.time));
  /** Position and length of the visible timeline: the whole of a book, otherwise the file. */
  readonly at = $derived.by(
    () => this.scrubbing.at ?? (this.whole ? (this.timeline.starts[this.index] ?? 0) : 0) + this.time,
  );
  readonly length = $derived(
    this.whole ? this.timeline.length : (this.measuredLength ?? this.file?.duration ?? 0),
  );

  get file(): MediaFile | null {
    return this.queue[this.index] ?? null;
  }

  /** Title of the current chapter or track, or of the only file. */
  get heading(): string {
    const mark = this.timeline.marks[this.mark];
    if (mark) return nameOf(mark, this.mark);
    return (this.queue.length > 1 || this.alone) && this.file
      ? fileTitle(this.file)
      : (this.item?.title ?? '');
  }

  /** Seeks on the visible timeline. */
  seek(to: number): void {
    if (this.whole) {
      const place = locate(this.timeline, to);
      this.go(place.index, place.seconds);
    } else this.go(this.index, Math.min(Math.max(0, to), this.length || to));
  }

  /** Moves the slider. Over another file the position is only shown until the pointer pauses or is released. */
  scrub(to: number): void {
    if (this.whole && locate(this.timeline, to).index !== this.index) return this.scrubbing.show(to);
    this.scrubbing.clear();
    this.seek(to);
  }

  /** Seeks to the position of the slider. */
  release(): void {
    this.scrubbing.release();
  }

  skip(seconds: number): void {
    this.seek(this.at + seconds);
  }

  /** Goes to the start of the chapter or, near its start, to the previous one. */
  previous(): void {
    const { marks } = this.timeline;
    const here = marks[this.mark];
    const into = here ? this.time - (here.index === this.index ? here.from : 0) : this.time;
    const target = into > EARLY ? here : (marks[this.mark - 1] ?? here);
    this.go(target?.index ?? this.index, target?.from ?? 0);
  }

  /** Length of the file as the element measured it. */
  protected get measuredLength(): number | undefined {
    return this.file ? this.#lengths[this.file.id] : undefined;
  }

  /** Records the measured length of the file, in seconds. */
  protected measure(duration: number): void {
    const { file } = this;
    if (!file || !Number.isFinite(duration) || duration <= 0 || this.measuredLength === duration) return;
    this.#lengths = { ...this.#lengths, [file.id]: duration };
  }

  protected clearLengths(): void {
    this.#lengths = {};
  }
}
