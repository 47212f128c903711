/** The type of the lists that the dialog to add shows, and the search in their names. */
import type { AddTarget } from '../../app/add-request.svelte';

/** Milliseconds without a key press after which a search starts. */
const PAUSE = 200;

export class ListSearch {
  q = $state('');
  to: AddTarget = $state('playlist');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(to: AddTarget) {
    this.to = to;
  }

  typed(text: string): void {
    this.stop();
    this.#timer = setTimeout(() => (this.q = text.trim()), PAUSE);
  }

  /** Shows all lists of a type. */
  choose(to: AddTarget): void {
    this.stop();
    this.to = to;
    this.q = '';
  }

  /** Drops a pending search. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
