import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const server = process.env.LEDGE_URL ?? 'http://127.0.0.1:8484';

export default defineConfig({
  plugins: [svelte()],
  // Data URLs would blur the size budgets and the cache: every asset is a hashed file.
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: {
    proxy: {
      '/api': { target: server, changeOrigin: false },
      '/healthz': { target: server, changeOrigin: false },
    },
  },
});
