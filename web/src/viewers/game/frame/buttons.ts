/** Interval in which a core reads its buttons: two frames of the screen, and one of a slow console. */
const FRAMES = 2;
const AT_LEAST = 40;
/** Maximum number of queued changes per button. Further changes replace the last one. */
const WAITING = 4;

type Send = (player: number, button: number, value: number) => void;
type Clock = { now: () => number; nextFrame: (then: () => void) => void };

interface Button {
  value: number;
  /** Queued changes, oldest first; null if the button was stable long enough. */
  waiting: number[] | null;
}

const PAGE: Clock = {
  now: () => performance.now(),
  nextFrame: (then) => void requestAnimationFrame(then),
};

/**
 * Passes buttons to a core that polls them once a frame. A press and its release between two polls would be lost, for
 * example a quick tap on a slow device. Therefore each change lasts until the core has polled it.
 */
export class Buttons {
  readonly #buttons = new Map<string, Button>();

  constructor(
    private readonly send: Send,
    private readonly clock: Clock = PAGE,
  ) {}

  /** `value` is 0 for released; a stick has its deflection, whose changes are not queued. */
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
