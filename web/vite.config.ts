import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { bundled } from './vite.bundled.ts';
import { pageFiles } from './vite.pages.ts';
import { pdfAssets, pdfAssetsAt } from './vite.pdf.ts';

const server = process.env.LEDGE_URL ?? 'http://127.0.0.1:8484';

/** Modules of most pages. */
const shared = new RegExp(
  '/src/(library/(Obj|CoverObject|ProgressMark|NothingYet|art|later|palette|plays|proportions|wash)|lib/(app|hash|watch)|' +
    'media/(codecs|queue)|progress/resume|ui/(Empty|Skeleton)|viewers/registry|pages/NotFound)\\.',
);

export default defineConfig({
  plugins: [svelte(), pdfAssets(), bundled(), pageFiles()],
  define: { 'import.meta.env.PDF_ASSETS': JSON.stringify(pdfAssetsAt) },
  // Data URLs would blur the size budgets and the cache: every asset is a hashed file.
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    // The second page is the frame of a game.
    rolldownOptions: {
      input: ['index.html', 'game.html'],
      output: {
        // One file instead of twenty small ones: over HTTP/1.1 each costs a round trip. The login page needs none of it.
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'shared', test: shared }] },
      },
    },
    modulePreload: {
      polyfill: false,
      // The lists of what viewers and shelves fetch later are part of the first page: only what nothing else would
      // fetch stands there.
      resolveDependencies: (_, parts, { hostId }) =>
        /registry|later|parts/.test(hostId) ? parts.filter((part) => part.endsWith('.css')) : parts,
    },
  },
  server: {
    proxy: {
      '/api': { target: server, changeOrigin: false },
      '/healthz': { target: server, changeOrigin: false },
    },
  },
});
