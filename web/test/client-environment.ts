/** Node, with modules compiled for the browser: Svelte's state is inert in what is compiled for a server. */
import type { Environment } from 'vitest/runtime';

export default {
  name: 'client',
  viteEnvironment: 'client',
  setup: () => ({ teardown() {} }),
} satisfies Environment;
