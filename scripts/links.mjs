// Checks the links of the project's pages. Every relative link, anchor and picture must have a target, and
// docs/SUMMARY.md must list every page of docs/ once.
//
//   node scripts/links.mjs [FOLDER]
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchors, isElsewhere, links, pages } from './markdown.mjs';

/** Returns one line for each error in the pages below a folder. */
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

/** Returns the reason why a target is invalid, or null. */
function fault(root, page, target, anchorsOf) {
  if (isElsewhere(target)) return null;
  if (target === '') return 'there is no target';
  if (target.startsWith('/')) return 'links are relative';
  const [place, anchor] = target.split('#');
  const path = place === '' ? page : resolve(dirname(page), decodeURIComponent(place.split('?')[0]));
  if (path !== root && !path.startsWith(root + sep)) return 'is outside of the project';
  if (!existsSync(path)) return 'there is no such file';
  if (anchor === undefined || !path.endsWith('.md') || !statSync(path).isFile()) return null;
  return anchorsOf(path).has(decodeURIComponent(anchor)) ? null : 'there is no such heading';
}

/** Returns the pages that docs/SUMMARY.md omits or lists twice. */
function orphans(root, all) {
  const docs = join(root, 'docs');
  const summary = join(docs, 'SUMMARY.md');
  if (!existsSync(summary)) return [`${relative(root, summary)}: there is no such file`];
  const named = links(readFileSync(summary, 'utf8'))
    .filter(({ target }) => !isElsewhere(target))
    .map(({ target }) => resolve(docs, target.split('#')[0]));
  const left = all
    .filter((page) => page.startsWith(docs + sep) && page !== summary && !named.includes(page))
    .map((page) => `${relative(root, page)}: is not in docs/SUMMARY.md`);
  const twice = named
    .filter((page, at) => named.indexOf(page) !== at)
    .map((page) => `docs/SUMMARY.md: ${relative(docs, page)}: is listed twice`);
  return [...left, ...twice];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../', import.meta.url)));
  const found = problems(root);
  for (const line of found) console.error(line);
  if (found.length > 0) {
    console.error(`links: ${found.length} errors`);
    process.exit(1);
  }
}
