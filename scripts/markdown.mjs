// Parses headings, links and code of Markdown, for links.mjs, book/links.mjs and prose.mjs.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SKIPPED = new Set(['node_modules', 'target', 'dist', 'book', 'demo', 'data']);

/** Returns every Markdown file below a folder, sorted. Skips hidden folders and build results. */
export function pages(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Replaces all code by blanks, so that lines keep their numbers. */
export function withoutCode(text) {
  const blank = (code) => code.replace(/[^\n]/g, ' ');
  return text
    .replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\2[`~]*[ \t]*$|(?![\s\S]))/gm, blank)
    .replace(/(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g, blank);
}

/** Returns the anchors of a page: those of headings, as GitHub and mdBook create them, and those in HTML. */
export function anchors(text) {
  const found = new Set();
  const bare = text.replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\2[`~]*[ \t]*$|(?![\s\S]))/gm, '');
  for (const [, heading] of bare.matchAll(/^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm)) {
    const first = slug(heading);
    let anchor = first;
    for (let n = 1; found.has(anchor); n++) anchor = `${first}-${n}`;
    found.add(anchor);
  }
  for (const [, anchor] of bare.matchAll(/<[a-z]+\b[^>]*?\s(?:id|name)="([^"]+)"/gi)) found.add(anchor);
  return found;
}

function slug(heading) {
  const said = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]*>/g, '');
  return said.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/gu, '-');
}

/** Returns every target of links and pictures of a page, with its line. */
export function links(text) {
  const prose = withoutCode(text);
  const patterns = [
    /\]\(\s*<?([^)\s>]*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g,
    /^ {0,3}\[[^\]]+\]:[ \t]*<?([^\s>]+)>?/gm,
    /<(?:a|img|source)\b[^>]*?\s(?:href|src)="([^"]*)"/gi,
  ];
  const found = patterns.flatMap((pattern) =>
    [...prose.matchAll(pattern)].map((match) => ({ target: match[1], at: match.index })),
  );
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ target, at }) => ({ target, line: prose.slice(0, at).split('\n').length }));
}

/** Returns whether a target is a URL and not a path. */
export const isElsewhere = (target) => /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target);
