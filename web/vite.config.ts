import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { bundled } from './vite.bundled.ts';
import { jassub, jassubParts } from './vite.jassub.ts';
import { pageFiles } from './vite.pages.ts';
import { pdfAssets, pdfAssetsAt } from './vite.pdf.ts';

const server = process.env.LEDGE_URL ?? 'http://127.0.0.1:8484';

/** Modules of every page but the login page, and of most pages. */
const shared = new RegExp(
  '/src/(signed-in|routes|i18n/format|playback/lazy-player|' +
    'api/(live|query|refresh|watch)|app/(add-request|context|lazy-component|open-file|prefs|router)|' +
    'catalogue/(audio-files|codecs|cover-size|favourites|file-order|kinds|playability|viewer-ids)|' +
    'components/(covers/(CoverObject|load-drawn-cover|palette|tint)|items/item-details|' +
    'lists/(ProgressMark|ScanNote|card-menu)|ui/(Empty|ErrorBox|Skeleton))|' +
    'lib/(hash|idle|path-pattern)|pages/(NotFound|settings/(parts|texts))|' +
    'progress/(locator|outbox|progress-store|resume)|' +
    'shell/(AppShell|Rail|Tabs|ThemeButton|TopBar|nav-entry|search-field))\\.',
);

export default defineConfig({
  plugins: [svelte(), pdfAssets(), jassub(), bundled(), pageFiles()],
  resolve: { alias: jassubParts },
  optimizeDeps: { exclude: ['jassub'] },
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
        codeSplitting: {
          includeDependenciesRecursively: false,
          // The texts of positions are for few pages.
          groups: [
            { name: 'signed-in', test: shared },
            { name: 'continue-text', test: /\/src\/progress\/(continue-text|episode-text)\./ },
          ],
        },
      },
    },
    modulePreload: {
      polyfill: false,
      // Chunks with lazy imports are part of the first page. Only stylesheets that no other chunk fetches are preloaded.
      resolveDependencies: (_, parts, { hostId }) =>
        /registry|card-menu|item-details|parts/.test(hostId)
          ? parts.filter((part) => part.endsWith('.css'))
          : parts,
    },
  },
  server: {
    proxy: {
      '/api': { target: server, changeOrigin: false },
      '/healthz': { target: server, changeOrigin: false },
    },
  },
});
