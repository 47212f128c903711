/** Detects unsaved edits that a reload would lose. */

export class Edits {
  #form: Element | null = null;

  constructor(page: Document = document) {
    page.addEventListener('input', ({ target }) => {
      if (target instanceof Element)
        this.#form = target.closest('form:not([role="search"]), dialog') ?? this.#form;
    });
    page.addEventListener('submit', ({ target }) => {
      if (target === this.#form) this.#form = null;
    });
  }

  /** A form that left the page was saved or cancelled. */
  get areUnsaved(): boolean {
    return this.#form?.isConnected ?? false;
  }
}
