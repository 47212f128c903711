/** Moves lines at the bottom of a script above the player's bars. */
import type Jassub from 'jassub';

/** Height of a script that states none, as in libass. */
const HEIGHT = 288;
/** Bits of an alignment in libass: lines at the middle or at the top. */
const RAISED = 12;

/** Returns the height in which the positions of a script are given. */
export function scriptHeight(script: string): number {
  const [, number] = /^PlayResY:\s*(\d+)/im.exec(script) ?? [];
  return Number(number) || HEIGHT;
}

/** Raises bottom lines by their styles. Lines with a position or a margin of their own stay. */
export class Lift {
  #styles: Promise<{ index: number; margin: number }[]> | null = null;
  #by = 0;

  constructor(private readonly jassub: Jassub) {}

  /** Sets the distance in units of the script. Returns false if it is unchanged. */
  async raise(by: number): Promise<boolean> {
    if (by === this.#by) return false;
    this.#by = by;
    const { renderer } = this.jassub;
    this.#styles ??= this.#bottomStyles();
    for (const { index, margin } of await this.#styles)
      await renderer.setStyle({ MarginV: margin + by } as never, index);
    // libass keeps visible lines in place until a setting of the picture changes.
    for (const margin of [1, 0]) await renderer._wasm.setMargin(0, 0, 0, margin);
    return true;
  }

  async #bottomStyles() {
    const styles = await this.jassub.renderer.getStyles();
    return styles.flatMap(({ Alignment, MarginV }, index) =>
      (Alignment & RAISED) === 0 ? [{ index, margin: MarginV }] : [],
    );
  }
}
