/** The items of the edited rule: requested after a pause, and only the latest response counts. */
import { isAbort } from '../../api/client';
import type { CardPage } from '../../api/models';
import type { Rule } from '../../api/lists/rule';

/** Milliseconds without a change after which the preview is requested. */
export const PAUSE = 350;

export class RulePreview {
  /** The items of the latest rule without errors. */
  page = $state.raw<CardPage | null>(null);
  error = $state.raw<unknown>(undefined);
  /** True if `page` is the result of the current rule. */
  isCurrent = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inFlight: AbortController | null = null;

  constructor(private readonly fetch: (rule: Rule, signal: AbortSignal) => Promise<CardPage>) {}

  /** Shows the items of a rule. Null for a rule with known errors: the previous items stay. */
  show(rule: Rule | null, pause = PAUSE): void {
    this.stop();
    this.isCurrent = false;
    this.error = undefined;
    if (rule) this.#timer = setTimeout(() => void this.#request(rule), pause);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#inFlight?.abort();
    this.#inFlight = null;
  }

  async #request(rule: Rule): Promise<void> {
    const controller = new AbortController();
    this.#inFlight = controller;
    try {
      const page = await this.fetch(rule, controller.signal);
      if (this.#inFlight !== controller) return;
      this.page = page;
      this.isCurrent = true;
    } catch (error) {
      if (this.#inFlight === controller && !isAbort(error)) this.error = error;
    } finally {
      if (this.#inFlight === controller) this.#inFlight = null;
    }
  }
}
