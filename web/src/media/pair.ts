/** Two elements that take turns: while one plays, the other has the next file ready, so that it follows at once. */

/** The element knows how long its file is. */
const HAVE_METADATA = 1;

export class Pair {
  #over = false;

  constructor(
    private front: HTMLAudioElement,
    private back: HTMLAudioElement,
  ) {}

  /** The one that is heard. */
  get element(): HTMLAudioElement {
    return this.front;
  }

  /** To be called by a click: some browsers let go on by itself only what was touched by one. */
  touch(): void {
    if (!this.back.hasAttribute('src')) this.back.load();
  }

  /** Hears an event of the one in front, whichever that is by then. */
  on(type: string, listener: () => void): void {
    for (const element of [this.front, this.back])
      element.addEventListener(type, () => element === this.front && !this.#over && listener());
  }

  /** Puts a file in front. Answers whether it was ready there, its length known. */
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

  /** Fetches what comes next. */
  prepare(url: string): void {
    if (holds(this.back, url)) return;
    this.back.preload = 'auto';
    this.back.src = url;
  }

  /** What was to come next does not. */
  unprepare(): void {
    if (this.back.hasAttribute('src')) clear(this.back);
  }

  clear(): void {
    clear(this.front);
    clear(this.back);
  }

  /** Lets go of both elements. */
  end(): void {
    this.#over = true;
    this.clear();
    this.front.remove();
    this.back.remove();
  }
}

/** Whether it has that file and nothing went wrong with it. */
function holds(element: HTMLAudioElement, url: string): boolean {
  return element.getAttribute('src') === url && element.error === null;
}

function clear(element: HTMLAudioElement): void {
  element.pause();
  element.removeAttribute('src');
  element.load();
}
