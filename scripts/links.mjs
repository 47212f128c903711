// Checks the links of the project's pages: every relative link, anchor and picture leads somewhere,
// and every page of docs/ stands in docs/SUMMARY.md, once.
//
//   node scripts/links.mjs [FOLDER]
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchors, isElsewhere, links, pages } from './markdown.mjs';

/** One line for each thing that is wrong in the pages below a folder. */
export function problems(root) {
  const known = new Map();
  const anchorsOf = (path) => {
    if (!known.has(path)) known.set(path, anchors(readFileSync(path, 'utf8')));
    return known.get(path);
  };
  const all = pages(root);
  const broken = all.flatMap((page) => {
    const wrong = links(readFileSync(page, 'utf8')).map(({ target, line }) => {
      const reason = fault(root, page, target, anchorsOf);
      return reason && `${relative(root, page)}:${line}: ${target}: ${reason}`;
    });
    return wrong.filter(Boolean);
  });
  return [...broken, ...orphans(root, all)];
}

/** Why a target leads nowhere, or null. */
function fault(root, page, target, anchorsOf) {
  if (isElsewhere(target)) return null;
  if (target === '') return 'there is no target';
  if (target.startsWith('/')) return 'links are relative';
  const [place, anchor] = target.split('#');
  const path = place === '' ? page : resolve(dirname(page), decodeURIComponent(place.split('?')[0]));
  if (path !== root && !path.startsWith(root + sep)) return 'leads out of the project';
  if (!existsSync(path)) return 'there is no such file';
  if (anchor === undefined || !path.endsWith('.md') || !statSync(path).isFile()) return null;
  return anchorsOf(path).has(decodeURIComponent(anchor)) ? null : 'there is no such heading';
}

/** What docs/SUMMARY.md leaves out or names twice. */
function orphans(root, all) {
  const docs = join(root, 'docs');
  const summary = join(docs, 'SUMMARY.md');
  if (!existsSync(summary)) return [`${relative(root, summary)}: there is no such file`];
  const named = links(readFileSync(summary, 'utf8'))
    .filter(({ target }) => !isElsewhere(target))
    .map(({ target }) => resolve(docs, target.split('#')[0]));
  const left = all
    .filter((page) => page.startsWith(docs + sep) && page !== summary && !named.includes(page))
    .map((page) => `${relative(root, page)}: stands in no line of docs/SUMMARY.md`);
  const twice = named
    .filter((page, at) => named.indexOf(page) !== at)
    .map((page) => `docs/SUMMARY.md: ${relative(docs, page)}: stands there twice`);
  return [...left, ...twice];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../', import.meta.url)));
  const found = problems(root);
  for (const line of found) console.error(line);
  if (found.length > 0) {
    console.error(`links: ${found.length} wrong`);
    process.exit(1);
  }
}
