/** One lane of a media source: bytes wait in order, and played ones are evicted. */

type Step =
  | { kind: 'bytes'; data: ArrayBuffer }
  | { kind: 'type'; mime: string; offset: number }
  | { kind: 'clear'; aborts: boolean };

/** Seconds behind the position that stay: a short step back needs no new run. */
const KEEP = 30;
/** Eviction runs once this many seconds are buffered behind the position. */
const EXCESS = 60;
/** Seconds behind the position that stay if the browser's quota is used up. */
const KEEP_LEAST = 2;

export class Lane {
  #steps: Step[] = [];
  #isHeld = false;
  #isClosed = false;
  readonly #updated = () => this.pump();

  constructor(
    private readonly buffer: SourceBuffer,
    private mime: string,
    /** Position of playback in seconds. */
    private readonly position: () => number,
    private readonly onfailed: (error: unknown) => void,
  ) {
    buffer.addEventListener('updateend', this.#updated);
  }

  /** True if everything is appended. */
  get isIdle(): boolean {
    return this.#steps.length === 0 && !this.buffer.updating;
  }

  /** Seconds of data after a position. */
  ahead(time: number): number {
    const { buffered } = this.buffer;
    return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - time;
  }

  /** Precedes the bytes of a run. Their time stamps are `offset` seconds too large. */
  begin(mime: string, offset: number): void {
    this.#add({ kind: 'type', mime, offset });
  }

  append(data: ArrayBuffer): void {
    this.#add({ kind: 'bytes', data });
  }

  /** Drops everything, also what is buffered. `aborts` must be false if the media source has ended. */
  clear(aborts: boolean): void {
    this.#steps = [{ kind: 'clear', aborts }];
    this.pump();
  }

  /** Holds bytes back, so that sound does not start before the picture. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.pump();
  }

  close(): void {
    this.#isClosed = true;
    this.#steps = [];
    this.buffer.removeEventListener('updateend', this.#updated);
  }

  /** Continues if the browser is ready. Call it now and then: a full buffer has no event. */
  pump(): void {
    const step = this.#steps[0];
    if (this.#isClosed || this.buffer.updating || !step) return;
    if (step.kind === 'bytes' && (this.#isHeld || this.#evicts())) return;
    this.#steps.shift();
    try {
      this.#run(step);
    } catch (error) {
      if (step.kind === 'bytes' && isQuota(error)) {
        this.#steps.unshift(step);
        this.#evictTo(this.position() - KEEP_LEAST);
        return;
      }
      this.#steps = [];
      return this.onfailed(error);
    }
    this.pump();
  }

  #add(step: Step): void {
    if (this.#isClosed) return;
    this.#steps.push(step);
    this.pump();
  }

  #run(step: Step): void {
    const { buffer } = this;
    switch (step.kind) {
      case 'bytes':
        return buffer.appendBuffer(step.data);
      case 'clear':
        // Ends a segment that is only half appended.
        if (step.aborts) buffer.abort();
        return buffer.remove(0, Number.POSITIVE_INFINITY);
      case 'type':
        if (step.mime !== this.mime) buffer.changeType(step.mime);
        this.mime = step.mime;
        buffer.timestampOffset = -step.offset;
    }
  }

  /** Returns true if it started an eviction. */
  #evicts(): boolean {
    const { buffered } = this.buffer;
    if (buffered.length === 0 || buffered.start(0) > this.position() - EXCESS) return false;
    return this.#evictTo(this.position() - KEEP);
  }

  #evictTo(end: number): boolean {
    const { buffered } = this.buffer;
    if (buffered.length === 0 || buffered.start(0) >= end) return false;
    this.buffer.remove(0, end);
    return true;
  }
}

function isQuota(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}
