/**
 * Gestures of one finger on a film. A double tap at the left or right skips, further taps skip again. A horizontal
 * swipe seeks, and a vertical one in the right half changes the volume.
 */

/** Pixels that a finger moves before it is a swipe. */
const SLOP = 14;
/** Maximum milliseconds between the taps of a double tap, and of a tap itself. */
const DOUBLE = 300;
const TAP = 500;
/** Share of the width at each side in which double taps skip. */
const SIDE = 1 / 3;
const SKIP = 10;
/** Seconds of a swipe over the whole width: a share of the film, within limits. */
const SHARE = 0.15;
const LEAST = 60;
const MOST = 900;

export interface Target {
  readonly time: number;
  readonly length: number;
  readonly volume: number;
  skip: (by: number) => void;
  seek: (to: number) => void;
  setVolume: (value: number) => void;
}

type Touch = Pick<PointerEvent, 'pointerId' | 'pointerType' | 'clientX' | 'clientY' | 'timeStamp'>;
type Box = Pick<DOMRect, 'left' | 'width' | 'height'>;

interface Held {
  id: number;
  x: number;
  y: number;
  at: number;
  box: Box;
  /** The time or the volume at the start. */
  from: number;
  mode: 'tap' | 'seek' | 'volume' | 'none';
}

export class Gestures {
  #held: Held | null = null;
  #last: { at: number; side: number } | null = null;
  #preview: number | null = null;
  /** True if the latest touch was more than a tap, so that its click is ignored. */
  #isUsed = false;

  /** `onpreview` gets the time to which a swipe leads; null at its end. */
  constructor(
    private readonly target: Target,
    private readonly canSetVolume: () => boolean,
    private readonly onpreview: (time: number | null) => void,
  ) {}

  down({ pointerId, pointerType, clientX, clientY, timeStamp }: Touch, box: Box): void {
    this.#isUsed = false;
    if (pointerType !== 'touch') return;
    // A second finger zooms or belongs to the system.
    if (this.#held) return this.cancel();
    this.#held = { id: pointerId, x: clientX, y: clientY, at: timeStamp, box, from: 0, mode: 'tap' };
  }

  move({ pointerId, clientX, clientY }: Touch): void {
    const held = this.#held;
    if (held?.id !== pointerId) return;
    const across = clientX - held.x;
    const down = clientY - held.y;
    if (held.mode === 'tap' && Math.hypot(across, down) > SLOP) this.#begin(held, across, down);
    if (held.mode === 'seek') {
      const { length } = this.target;
      const whole = Math.min(MOST, Math.max(LEAST, length * SHARE), length);
      const to = held.from + (across / held.box.width) * whole;
      this.#preview = Math.min(Math.max(0, to), length);
      this.onpreview(this.#preview);
    } else if (held.mode === 'volume') {
      // The whole range is half the height, which a thumb reaches.
      const to = held.from - (down / held.box.height) * 2;
      this.target.setVolume(Math.min(1, Math.max(0, to)));
    }
  }

  up({ pointerId, clientX, timeStamp }: Touch): void {
    const held = this.#held;
    if (held?.id !== pointerId) return;
    this.#held = null;
    if (held.mode !== 'tap') {
      this.#isUsed = true;
      if (held.mode === 'seek' && this.#preview !== null) this.target.seek(this.#preview);
      this.#endPreview();
      return;
    }
    if (timeStamp - held.at > TAP) return;
    const part = (clientX - held.box.left) / held.box.width;
    const side = part < SIDE ? -1 : part > 1 - SIDE ? 1 : 0;
    const isSecond = this.#last !== null && timeStamp - this.#last.at < DOUBLE && this.#last.side === side;
    this.#last = { at: timeStamp, side };
    if (!isSecond || side === 0) return;
    this.#isUsed = true;
    this.target.skip(side * SKIP);
  }

  /** The system ended the gesture, or a second finger arrived: nothing changes. */
  cancel(): void {
    const held = this.#held;
    this.#held = null;
    this.#isUsed = true;
    if (held?.mode === 'volume') this.target.setVolume(held.from);
    this.#endPreview();
  }

  /** True once for the click after a touch that was more than a tap. */
  takesClick(): boolean {
    const was = this.#isUsed;
    this.#isUsed = false;
    return was;
  }

  #begin(held: Held, across: number, down: number): void {
    const isRight = held.x - held.box.left > held.box.width / 2;
    if (Math.abs(across) > Math.abs(down)) {
      held.mode = this.target.length > 0 ? 'seek' : 'none';
      held.from = this.target.time;
    } else {
      held.mode = isRight && this.canSetVolume() ? 'volume' : 'none';
      held.from = this.target.volume;
    }
  }

  #endPreview(): void {
    if (this.#preview === null) return;
    this.#preview = null;
    this.onpreview(null);
  }
}

/** False on an iPhone, where only the system sets the volume. */
export function canSetVolume(): boolean {
  const probe = document.createElement('video');
  probe.volume = 0.5;
  return probe.volume === 0.5;
}
