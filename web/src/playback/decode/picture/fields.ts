/** Fields of interlaced pictures. Each contains every second line, and was taken at a time of its own. */
import type { Picture } from '../protocol';

export type Field = 'top' | 'bottom';

/** Fields after which the pace is judged. */
const WINDOW = 100;
/** Share of fields that may be lost. */
const TOLERATED = 0.25;
/** Pictures that are blended before the next attempt. Each further pause is twice as long. */
const PAUSE = 500;

/** Returns the fields of a picture in the order of their times; null if it is not interlaced. */
export function fieldsOf({ interlaced }: Pick<Picture, 'interlaced'>): readonly [Field, Field] | null {
  if (interlaced === 'top') return ['top', 'bottom'];
  return interlaced === 'bottom' ? ['bottom', 'top'] : null;
}

/** Judges if the device and its screen are fast enough for a picture of each field. Otherwise, both are blended. */
export class FieldPace {
  #fields = 0;
  #lost = 0;
  /** Pictures that are still blended. */
  #pause = 0;
  #nextPause = PAUSE;

  get isFast(): boolean {
    return this.#pause === 0;
  }

  /** Counts an interlaced picture that is over, with the number of its fields that were drawn. */
  add(drawn: number): void {
    if (!this.isFast) {
      this.#pause -= 1;
      return;
    }
    this.#fields += 2;
    this.#lost += 2 - drawn;
    if (this.#fields < WINDOW) return;
    if (this.#lost > WINDOW * TOLERATED) {
      this.#pause = this.#nextPause;
      this.#nextPause *= 2;
    }
    this.#fields = this.#lost = 0;
  }
}
