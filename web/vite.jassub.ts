/** Leaves out the parts of jassub that Ledge does not use, so that no browser can load them. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const unused = fileURLToPath(new URL('src/viewers/video/styled/unused.ts', import.meta.url));

/** Packages of jassub that are replaced. */
export const jassubParts = { 'lfa-ponyfill': unused, 'rvfc-polyfill': unused, throughput: unused };

/** The layer states all addresses. The bundler would emit each file of the defaults twice. */
const DEFAULT = /new URL\('[^']*', import\.meta\.url\)/g;

export function jassub(): Plugin {
  return {
    name: 'jassub',
    enforce: 'pre',
    transform: (code, id) =>
      /\/jassub\/dist\/jassub\.js$/.test(id)
        ? { code: code.replace(DEFAULT, "new URL('about:blank')"), map: null }
        : null,
  };
}
