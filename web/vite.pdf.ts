/** Files that pdf.js fetches by itself: character maps, standard fonts and decoders, under an address with its version. */
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
const FOLDERS = ['cmaps', 'standard_fonts', 'wasm', 'iccs'];
/** Scripts in documents are not run. */
const UNWANTED = /quickjs/i;

export const pdfAssetsAt = `/assets/pdf-${version}/`;

export function pdfAssets(): Plugin {
  const path = (...parts: string[]) => join(dirname(manifest), ...parts);
  return {
    name: 'pdf-assets',
    generateBundle() {
      for (const folder of FOLDERS) {
        for (const name of readdirSync(path(folder))) {
          if (UNWANTED.test(name)) continue;
          const fileName = `${pdfAssetsAt.slice(1)}${folder}/${name}`;
          this.emitFile({ type: 'asset', fileName, source: readFileSync(path(folder, name)) });
        }
      }
    },
    configureServer(server) {
      server.middlewares.use(pdfAssetsAt, (request, response, next) => {
        const [folder = '', name = ''] = (request.url ?? '').slice(1).split('/');
        if (!FOLDERS.includes(folder) || !readdirSync(path(folder)).includes(name)) return next();
        response.end(readFileSync(path(folder, name)));
      });
    },
  };
}
