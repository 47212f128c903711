/** The width of the window, where scripts and not only styles depend on it. */

class WideWindow {
  readonly #query = matchMedia('(min-width: 1001px)');
  /** True in a window with room for a panel next to a list. */
  matches = $state(this.#query.matches);

  constructor() {
    this.#query.addEventListener('change', ({ matches }) => (this.matches = matches));
  }
}

export const wideWindow = new WideWindow();
