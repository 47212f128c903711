/** Gives `boot.js` the files of the most visited pages, so that it can fetch them before any script has run. */
import type { Plugin, Rolldown } from 'vite';

/** Pages by the names that `public/boot.js` uses. */
const pages = { home: 'Home', browse: 'Browse', item: 'ItemPage' } as const;
const SHARED = 'src/signed-in.ts';

type Chunk = Rolldown.OutputChunk & { viteMetadata?: { importedCss?: Set<string> } };

export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, filename }) {
        if (!bundle || !filename.endsWith('index.html')) return html;
        const chunks = new Map(
          Object.values(bundle)
            .filter((one): one is Chunk => one.type === 'chunk')
            .map((chunk) => [chunk.fileName, chunk]),
        );
        const here = closure(
          [...chunks.values()].filter((chunk) => chunk.isEntry && html.includes(chunk.fileName)),
          chunks,
        );
        const files = Object.entries(pages).map(([name, page]) => {
          const wanted = [SHARED, `src/pages/${page}.svelte`];
          const parts = [...chunks.values()].filter((chunk) =>
            wanted.some((end) => chunk.moduleIds.some((id) => id.endsWith(end))),
          );
          if (parts.length !== wanted.length) throw new Error(`no chunks of ${wanted.join(' and ')}`);
          return [name, [...closure(parts, chunks)].filter((file) => !here.has(file))] as const;
        });
        const content = JSON.stringify(Object.fromEntries(files));
        // `boot.js` runs as soon as it is parsed, so the list precedes it.
        const meta = `<meta name="page-files" content="${content.replaceAll('"', '&quot;')}" />`;
        return html.replace('<script src="/boot.js">', `${meta}\n    $&`);
      },
    },
  };
}

/** The scripts that chunks import statically, themselves included, and their styles. */
function closure(from: readonly Chunk[], chunks: ReadonlyMap<string, Chunk>): Set<string> {
  const files = new Set<string>();
  const visit = (chunk: Chunk) => {
    if (files.has(chunk.fileName)) return;
    files.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const name of chunk.imports) {
      const next = chunks.get(name);
      if (next) visit(next);
    }
  };
  from.forEach(visit);
  return files;
}
