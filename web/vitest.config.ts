import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  resolve: { conditions: ['browser'] },
  test: {
    environment: './test/client-environment.ts',
    include: ['test/{structure,unit,decode,decode-page}/**/*.test.ts'],
    // Some pack and unpack megabytes, which takes its time on a machine that is busy otherwise.
    testTimeout: 30_000,
  },
});
