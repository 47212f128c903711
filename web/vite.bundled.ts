/** Holds the packages that go into the interface against `bundled.json`, from which the page of licences is made. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;

export function bundled(): Plugin {
  return {
    name: 'bundled',
    generateBundle(_, bundle) {
      const assets = Object.values(bundle).flatMap((part) =>
        part.type === 'asset' ? part.originalFileNames : [],
      );
      const names = [...this.getModuleIds(), ...assets].flatMap((path) => PACKAGE.exec(path)?.[1] ?? []);
      const found = [...new Set(names)].sort();
      const known = JSON.parse(readFileSync(new URL('bundled.json', import.meta.url), 'utf8')) as string[];
      if (found.join() !== known.join()) {
        this.error(
          `bundled.json has to be ${JSON.stringify(found)}; then write docs/licences.md anew: make licences`,
        );
      }
    },
  };
}
