/** A component that loads after the first content of a page. Once loaded, it is available at once on every page. */
import type { Component } from 'svelte';
import { translations } from '../i18n';
import { whenIdle } from '../lib/idle';
import { once } from '../lib/once';

export class LazyComponent<Props extends Record<string, unknown>> {
  component = $state.raw<Component<Props> | null>(null);
  readonly #load: () => Promise<void>;

  constructor(load: () => Promise<{ default: Component<Props> }>) {
    this.#load = once(async () => {
      const { default: component } = await load();
      await translations();
      this.component = component;
    });
  }

  /**
   * Loads the component in an idle period. The returned function cancels that. The page handles failures: the server is
   * unreachable, or was upgraded.
   */
  load(): (() => void) | undefined {
    if (this.component) return undefined;
    return whenIdle(() => void this.#load().catch(() => {}));
  }
}
