/** Two alternating elements: while one plays, the other loads the next file, so that playback has no gap. */

/** `HTMLMediaElement.HAVE_METADATA`: the length is known. */
const HAVE_METADATA = 1;

/** Gives a file to an element by other means than its address. The returned function takes it back. */
export type Attach = (element: HTMLAudioElement) => () => void;

/** An element, and the file that it has. */
class Side {
  #url: string | null = null;
  #detach: (() => void) | null = null;

  constructor(readonly element: HTMLAudioElement) {}

  /** True if it has that file without an error. */
  holds(url: string): boolean {
    return this.#url === url && this.element.error === null;
  }

  get isEmpty(): boolean {
    return this.#url === null;
  }

  load(url: string, attach?: Attach): void {
    this.#detach?.();
    this.#url = url;
    this.#detach = null;
    if (!attach) {
      this.element.src = url;
      return;
    }
    // The old file must not continue until the new one is attached.
    this.element.removeAttribute('src');
    this.element.load();
    this.#detach = attach(this.element);
  }

  clear(): void {
    this.#detach?.();
    this.#detach = null;
    this.#url = null;
    this.element.pause();
    this.element.removeAttribute('src');
    this.element.load();
  }
}

export class ElementPair {
  #over = false;
  #front: Side;
  #back: Side;

  constructor(front: HTMLAudioElement, back: HTMLAudioElement) {
    this.#front = new Side(front);
    this.#back = new Side(back);
  }

  /** The active element. */
  get element(): HTMLAudioElement {
    return this.#front.element;
  }

  /** Call it within a click: some browsers allow later playback only on elements that a click touched. */
  touch(): void {
    if (this.#back.isEmpty) this.#back.element.load();
  }

  /** Listens to an event of the active element, also after a swap. */
  on(type: string, listener: () => void): void {
    for (const { element } of [this.#front, this.#back])
      element.addEventListener(type, () => element === this.element && !this.#over && listener());
  }

  /** Makes a file active. Returns true if it was loaded, with its length known. */
  put(url: string, attach?: Attach): boolean {
    if (!this.#back.holds(url)) {
      this.#front.load(url, attach);
      return false;
    }
    [this.#front, this.#back] = [this.#back, this.#front];
    this.#back.clear();
    return this.element.readyState >= HAVE_METADATA;
  }

  /** Loads the next file. */
  prepare(url: string, attach?: Attach): void {
    if (this.#back.holds(url)) return;
    this.#back.element.preload = 'auto';
    this.#back.load(url, attach);
  }

  /** Drops the preloaded file. */
  unprepare(): void {
    if (!this.#back.isEmpty) this.#back.clear();
  }

  clear(): void {
    this.#front.clear();
    this.#back.clear();
  }

  /** Releases both elements. */
  end(): void {
    this.#over = true;
    this.clear();
    this.#front.element.remove();
    this.#back.element.remove();
  }
}
