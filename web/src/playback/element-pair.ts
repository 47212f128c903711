/** Two alternating elements: while one plays, the other loads the next file, so that playback has no gap. */

/** `HTMLMediaElement.HAVE_METADATA`: the length is known. */
const HAVE_METADATA = 1;

export class ElementPair {
  #over = false;

  constructor(
    private front: HTMLAudioElement,
    private back: HTMLAudioElement,
  ) {}

  /** The active element. */
  get element(): HTMLAudioElement {
    return this.front;
  }

  /** Call it within a click: some browsers allow later playback only on elements that a click touched. */
  touch(): void {
    if (!this.back.hasAttribute('src')) this.back.load();
  }

  /** Listens to an event of the active element, also after a swap. */
  on(type: string, listener: () => void): void {
    for (const element of [this.front, this.back])
      element.addEventListener(type, () => element === this.front && !this.#over && listener());
  }

  /** Makes a file active. Returns true if it was loaded, with its length known. */
  put(url: string): boolean {
    const { front, back } = this;
    if (!holds(back, url)) {
      front.src = url;
      return false;
    }
    [this.front, this.back] = [back, front];
    clear(front);
    return back.readyState >= HAVE_METADATA;
  }

  /** Loads the next file. */
  prepare(url: string): void {
    if (holds(this.back, url)) return;
    this.back.preload = 'auto';
    this.back.src = url;
  }

  /** Drops the preloaded file. */
  unprepare(): void {
    if (this.back.hasAttribute('src')) clear(this.back);
  }

  clear(): void {
    clear(this.front);
    clear(this.back);
  }

  /** Releases both elements. */
  end(): void {
    this.#over = true;
    this.clear();
    this.front.remove();
    this.back.remove();
  }
}

/** True if the element has that file without an error. */
function holds(element: HTMLAudioElement, url: string): boolean {
  return element.getAttribute('src') === url && element.error === null;
}

function clear(element: HTMLAudioElement): void {
  element.pause();
  element.removeAttribute('src');
  element.load();
}
