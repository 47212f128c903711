/** What stands between two looks of a core at its buttons: two of the screen's frames, and one of a slow console's. */
const FRAMES = 2;
const AT_LEAST = 40;
/** Changes that may wait for one button; more are a trembling hand, and the last of them counts. */
const WAITING = 4;

type Send = (player: number, button: number, value: number) => void;
type Clock = { now: () => number; nextFrame: (then: () => void) => void };

interface Button {
  value: number;
  /** Changes that wait, oldest first; null where the button has stood long enough. */
  waiting: number[] | null;
}

const PAGE: Clock = {
  now: () => performance.now(),
  nextFrame: (then) => void requestAnimationFrame(then),
};

/**
 * Hands buttons to a core that looks at them once a frame. A press and its release that fall between two looks would
 * leave no trace, which is what a quick tap does on a slow device: each press, and each release, stands until the core
 * has had its look.
 */
export class Buttons {
  readonly #buttons = new Map<string, Button>();

  constructor(
    private readonly send: Send,
    private readonly clock: Clock = PAGE,
  ) {}

  /** `value` is 0 for released; a stick has its strength, and goes from one to another at once. */
  change(player: number, button: number, value: number): void {
    const key = `${player}/${button}`;
    const known = this.#buttons.get(key) ?? { value: 0, waiting: null };
    this.#buttons.set(key, known);
    const turns = ((known.waiting?.at(-1) ?? known.value) === 0) !== (value === 0);
    if (known.waiting && (turns || known.waiting.length > 0)) {
      if (!turns || known.waiting.length === WAITING) known.waiting.pop();
      known.waiting.push(value);
      return;
    }
    known.value = value;
    this.send(player, button, value);
    if (turns) this.#stand(known, player, button);
  }

  #stand(known: Button, player: number, button: number): void {
    known.waiting = known.waiting ?? [];
    const since = this.clock.now();
    let frames = 0;
    const look = () => {
      frames += 1;
      if (frames < FRAMES || this.clock.now() - since < AT_LEAST) return this.clock.nextFrame(look);
      const next = known.waiting?.shift();
      if (next === undefined) {
        known.waiting = null;
        return;
      }
      known.value = next;
      this.send(player, button, next);
      this.#stand(known, player, button);
    };
    this.clock.nextFrame(look);
  }
}
