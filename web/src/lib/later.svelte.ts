/** A component that follows the first content of a page. Once loaded, it is there at once on every page. */
import type { Component } from 'svelte';
import { once } from './once';

export class Later<Props extends Record<string, unknown>> {
  component = $state.raw<Component<Props> | null>(null);
  readonly #load: () => Promise<void>;

  constructor(load: () => Promise<{ default: Component<Props> }>) {
    this.#load = once(async () => void (this.component = (await load()).default));
  }

  /** Loads the component. A failure is handled for the whole page: the server is away, or was upgraded. */
  load(): void {
    void this.#load().catch(() => {});
  }
}
