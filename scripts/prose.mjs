// Measures the language of comments, pages and interface texts, and fails above the limits:
//
//   node scripts/prose.mjs [--sentences] [FOLDER]
//
// 1. Doc comments that begin with a question word: at most 2 % in Rust, and none in the web sources.
// 2. Sentences of the pages: 90th percentile at most 24 words, none above 40 words. Sentences of
//    comments in the web sources: none above 40 words.
// 3. Words of the project's former private vocabulary: none in comments of Rust and web sources,
//    scripts and configuration files, in pages, and in texts of the web interface.
//
// `--sentences` also lists the sentences of more than 25 words.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pages, withoutCode } from './markdown.mjs';

/** The limits. Lengths are in words. */
export const LIMITS = { questionShare: 0.02, percentile90: 24, longest: 40 };

const SKIPPED = new Set(['node_modules', 'target', 'dist', 'book', 'demo', 'data', 'fixtures-data']);
/** Texts in German, and the keys of texts. */
const GERMAN = /(?:^|\/)de(?:\.\w+)?\.ts$/;
const KEY = /^[ \t]*'[\w.-]+':/gm;
const QUESTION_WORD = /^(?:What|Whether|How|Where|Which|Who|Whoever)\b/;

/** Each banned expression, with the standard words that replace it. */
export const BANNED = [
  [/\banew\b/i, 'again'],
  [/\bwho(?:so)?ever\b/i, 'the user, the client, the caller'],
  [/\b(?:stance|courtesy|hindrance)\b/i, 'priority, error'],
  [/\bst(?:ands?|ood|anding) back\b/i, 'runs at idle priority'],
  [/\b(?:come|comes|called) forward\b/i, 'runs at normal priority'],
  [/\bbears?\b/i, 'contains, has'],
  [/\baside\b/i, 'in a subprocess, in a worker'],
  [/\bso many\b/i, 'n'],
  [/\bfolded in(?:to)?\b/i, 'checkpointed'],
  [/(?<!\b(?:there|that|this) )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|later\b|larger\b|such\b|one\b)/i, 'is not a'],
  [/\bwhat is meant\b/i, 'the name of the thing'],
  [/\bstrangers?\b/i, 'untrusted input'],
  [/\b(?:some|any|every|no)body(?:'s)?\b/i, 'a user, no user'],
  [/\bnewcomers?\b/i, 'candidate file'],
  [/\bnamesakes?\b/i, 'fingerprint match'],
  [/\berrands?\b/i, 'exchange, job'],
  [/\bleft in peace\b/i, 'is not changed'],
  [/\btakes? (?:it|them) up again\b/i, 'resumes'],
  [/\b(?:is|are) of use\b/i, 'helps'],
  [/\bby chance\b/i, 'at random'],
  [/\bhurr(?:y|ies|ied)\b/i, 'wake, raise the priority'],
  [/\bof late\b/i, 'recently'],
  [/\bthose who\b/i, 'users, clients'],
  [/\bwhat (?:it|they|he|she|one) (?:says?|said|has|have|is|are)\b/i, 'the name of the thing'],
  [/\btakes? notice\b/i, 'records, observes'],
  [/\b(?:tells?|telling|told)\b/i, 'returns, shows, distinguishes'],
  [/\bstands (?!for\b)/i, 'is, appears'],
  [/\b(?:lies|lain)\b/i, 'is'],
  [/\bbeside\b/i, 'next to'],
  [/\bbeneath\b/i, 'below, scanned value'],
  [/\bthereof\b|\bwherefrom\b/i, 'of it'],
];

/** Texts where a banned word has its usual meaning: part of a path, an expression, and the reason. */
export const ALLOWED = [
  ['docs/troubleshooting.md', /\*lies on a network file system\*/, 'quotes an error message of the server'],
];

/** Every file below a folder whose name has one of the extensions, sorted. */
function files(folder, extension) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path, extension);
    return entry.name.endsWith(extension) ? [path] : [];
  });
}

/**
 * The comment blocks of a Rust source: consecutive lines with the same marker.
 * `isDoc` marks `///` and `//!`. Comments after code on the same line are blocks of one line.
 */
export function comments(source) {
  const blocks = [];
  let open = null;
  source.split('\n').forEach((text, at) => {
    const whole = /^\s*(\/\/[/!]?)(?!\/) ?(.*)$/.exec(text);
    if (whole) {
      const [, marker, words] = whole;
      if (open?.marker !== marker) {
        open = { marker, isDoc: marker !== '//', line: at + 1, lines: [] };
        blocks.push(open);
      }
      open.lines.push(words);
      return;
    }
    open = null;
    const trailing = /[;,{}()\]] \/\/ (.*)$/.exec(text);
    if (trailing) blocks.push({ marker: '//', isDoc: false, line: at + 1, lines: [trailing[1]] });
  });
  return blocks;
}

/** The comment lines of a script or a configuration file; other lines are blank. */
export function lineComments(text) {
  return text
    .split('\n')
    .map((line) => (/^\s*(?:#|\/\/|\/\*\*|\*)(?:\s|$)/.test(line) ? line : ''))
    .join('\n');
}

/**
 * The comment blocks of a TypeScript, JavaScript or Svelte source. `isDoc` marks blocks that begin with two asterisks.
 * JSDoc tags lose their names and types. Directives of tools are skipped.
 */
export function webComments(source) {
  const blocks = [];
  let open = null;
  const add = (isDoc, line, text) => {
    open = { isDoc, line, lines: [text] };
    blocks.push(open);
  };
  let isInside = false;
  source.split('\n').forEach((text, at) => {
    const begin = /^\s*(\/\*\*?|\/\/|<!--)(?!\/) ?(.*)$/.exec(text);
    if (isInside) {
      open.lines.push(text.replace(/\s*(?:\*\/|-->).*$/, '').replace(/^\s*\* ?/, ''));
      isInside = !/\*\/|-->/.test(text);
    } else if (begin?.[1] === '//') {
      if (open?.isRun && open.line + open.lines.length === at + 1) open.lines.push(begin[2]);
      else {
        add(false, at + 1, begin[2]);
        open.isRun = true;
      }
    } else if (begin) {
      isInside = !/\*\/|-->/.test(begin[2]);
      add(begin[1] === '/**', at + 1, begin[2].replace(/\s*(?:\*\/|-->).*$/, ''));
    } else {
      const trailing = /[;,{}()\]'`] \/\/ (.*)$/.exec(text);
      if (trailing) add(false, at + 1, trailing[1]);
    }
  });
  const words = (text) => text.replace(/@\w+(?: \{[^}]*\})?(?: \[?[\w.]+\]?)?/g, '');
  return blocks
    .map(({ isDoc, line, lines }) => ({ isDoc, line, lines: lines.map(words) }))
    .filter(({ lines }) => !/^\s*(?:svelte-ignore|eslint|prettier-|@ts-)/.test(lines[0]));
}

/** The doc comments of a source that begin with a question word, and the number of all. */
export function questions(source) {
  const docs = comments(source).filter(({ isDoc }) => isDoc);
  return { count: docs.length, found: docs.filter(({ lines }) => QUESTION_WORD.test(lines[0])) };
}

/** The texts of a page with the line they begin on: paragraphs, list items, headings, cells of tables. */
export function texts(page) {
  const bare = page
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\2[`~]*[ \t]*$|(?![\s\S]))/gm, (code) => code.replace(/[^\n]/g, ''));
  const found = [];
  let open = null;
  bare.split('\n').forEach((line, at) => {
    const begins = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line);
    if (/^\s*$/.test(line) || /^\s*(?:\|?[\s:|-]+\||---+)\s*$/.test(line) || /^ {0,3}\[[^\]]+\]:/.test(line)) {
      open = null;
    } else if (/^\s*\|/.test(line)) {
      open = null;
      for (const cell of line.split(/(?<!\\)\|/)) if (cell.trim() !== '') found.push({ line: at + 1, text: cell.trim() });
    } else if (/^ {0,3}#{1,6}\s/.test(line)) {
      open = null;
      found.push({ line: at + 1, text: line.replace(/^ *#+\s+/, '') });
    } else if (open === null || begins) {
      open = { line: at + 1, text: line.slice(begins ? begins[0].length : 0).trim() };
      found.push(open);
    } else {
      open.text += `\n${line.trim()}`;
    }
  });
  return found;
}

/** A text as it is read: links by their text, pictures by nothing, and code as a single word. */
function plain(text) {
  return text
    .replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, (code) => `\u0001${code.replace(/[^\n]/g, '')}`)
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<[^>\n]+>/g, '')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

/** The sentences of a page, each with its line, its text and its number of words. */
export function sentences(page) {
  return texts(page).flatMap(({ line, text }) => {
    const read = plain(text);
    const ends = /(?<![Ee]\.g|[Ii]\.e|\bvs|\bca|\bNo)[.!?]["”’)]*(?=\s+["“‘(]?[\p{Lu}\p{N}\u0001])/gu;
    const cuts = [...read.matchAll(ends)].map((match) => match.index + match[0].length);
    return [0, ...cuts].map((start, n) => {
      const part = read.slice(start, cuts[n] ?? read.length);
      const lead = read.slice(0, start + (/^\s*/.exec(part)[0].length));
      return {
        line: line + lead.split('\n').length - 1,
        text: part.replace(/\u0001/g, '`…`').replace(/\s+/g, ' ').trim(),
        words: part.split(/\s+/).filter((word) => /[\p{L}\p{N}\u0001]/u.test(word)).length,
      };
    });
  }).filter(({ words }) => words > 0);
}

/** The value below which a share of the sorted numbers is. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** A text without its code and the targets of its links; lines keep their numbers. */
const words = (text) => withoutCode(text).replace(/\]\([^)\n]*\)/g, ']');

/** The banned words of a text as `{ line, word, instead }`. `first` is the number of its first line. */
export function banned(text, path, first = 1) {
  return text.split('\n').flatMap((line, at) => {
    const hits = BANNED.flatMap(([pattern, instead]) => {
      const match = pattern.exec(line);
      const isAllowed = match && ALLOWED.some(([part, allowed]) => path.includes(part) && allowed.test(line));
      return match && !isAllowed ? [{ line: first + at, word: match[0].trim(), instead }] : [];
    });
    return hits;
  });
}

/** The section *Unreleased* of a changelog; other lines are blank, so that numbers of lines stay. */
export function unreleased(changelog) {
  let isInside = false;
  return changelog
    .split('\n')
    .map((line) => {
      if (/^## /.test(line)) isInside = /^## \[?Unreleased/i.test(line);
      return isInside ? line : '';
    })
    .join('\n');
}

/** The pages that are measured, as paths relative to the project. */
function measured(root) {
  const top = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const docs = pages(join(root, 'docs')).map((path) => relative(root, path));
  return [...top, ...docs.filter((path) => path !== 'docs/licences.md')];
}

/** The scripts and configuration files whose comments are checked, as paths relative to the project. */
function scripts(root) {
  const top = ['Cargo.toml', 'Makefile', '.clippy.toml', '.deny.toml', 'docker/Dockerfile', 'docker/compose.yml'];
  const folders = ['docs/examples', 'scripts'].map((folder) => join(root, folder)).filter(existsSync);
  const below = folders.flatMap((folder) => files(folder, '')).map((path) => relative(root, path));
  return [...top.filter((path) => existsSync(join(root, path))), ...below];
}

/** The sources of the web interface and its tests, as paths relative to the project. */
function webSources(root) {
  const folders = ['web', 'tests/browser'].map((folder) => join(root, folder)).filter(existsSync);
  const found = folders.flatMap((folder) => files(folder, '')).filter((file) => /\.(?:ts|mjs|js|svelte)$/.test(file));
  return found.map((file) => relative(root, file)).filter((path) => !/\.d\.ts$|(?:^|\/)(?:screenshots|public\/pdf)\//.test(path));
}

/** The figures of a project and a line for each violation. */
export function check(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const violations = [];
  const report = (path, hits) => {
    for (const { line, word, instead } of hits) violations.push(`${path}:${line}: "${word}": write ${instead}`);
  };

  let docs = 0;
  const asked = [];
  for (const file of files(root, '.rs')) {
    const path = relative(root, file);
    const source = read(path);
    const { count, found } = questions(source);
    docs += count;
    asked.push(...found.map(({ line, lines }) => `${path}:${line}: begins with a question word: ${lines[0]}`));
    for (const { line, lines } of comments(source)) report(path, banned(words(lines.join('\n')), path, line));
  }

  const all = [];
  for (const path of measured(root)) {
    const page = path === 'CHANGELOG.md' ? unreleased(read(path)) : read(path);
    all.push(...sentences(page).map((sentence) => ({ ...sentence, path })));
    report(path, banned(words(page), path));
  }
  for (const path of scripts(root)) report(path, banned(words(lineComments(read(path))), path));
  for (const path of webSources(root)) {
    for (const { isDoc, line, lines } of webComments(read(path))) {
      const text = lines.join('\n');
      report(path, banned(words(text), path, line));
      const first = lines.find((one) => one.trim() !== '') ?? '';
      if (isDoc && QUESTION_WORD.test(first.trim()))
        violations.push(`${path}:${line}: begins with a question word: ${first.trim()}`);
      for (const { line: offset, words: count, text: sentence } of sentences(text))
        if (count > LIMITS.longest) violations.push(`${path}:${line + offset - 1}: ${count} words: ${sentence}`);
    }
  }
  for (const file of files(join(root, 'web/src/i18n'), '.ts')) {
    const path = relative(root, file);
    if (!GERMAN.test(path)) report(path, banned(read(path).replace(KEY, ''), path));
  }

  const share = docs === 0 ? 0 : asked.length / docs;
  if (share > LIMITS.questionShare) violations.push(...asked);
  const p90 = percentile(all.map(({ words }) => words), 0.9);
  const long = all.filter(({ words }) => words > LIMITS.longest);
  violations.push(...long.map(({ path, line, words, text }) => `${path}:${line}: ${words} words: ${text}`));
  const figures = {
    docComments: docs,
    questions: asked.length,
    share,
    sentences: all.length,
    median: percentile(all.map(({ words }) => words), 0.5),
    percentile90: p90,
    longest: Math.max(0, ...all.map(({ words }) => words)),
  };
  if (p90 > LIMITS.percentile90) violations.push(`pages: the 90th percentile of sentence lengths is ${p90} words`);
  return { figures, violations, sentences: all };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = process.argv.slice(2);
  const folder = options.find((option) => !option.startsWith('--'));
  const root = resolve(folder ?? fileURLToPath(new URL('../', import.meta.url)));
  const { figures, violations, sentences: all } = check(root);
  const percent = (figures.share * 100).toFixed(1);
  console.log(`prose: ${figures.questions} of ${figures.docComments} doc comments (${percent} %) begin with a question word`);
  console.log(
    `prose: ${figures.sentences} sentences in pages: median ${figures.median}, 90th percentile ${figures.percentile90}, longest ${figures.longest} words`,
  );
  if (options.includes('--sentences')) {
    for (const { path, line, words: count, text } of all) if (count > 25) console.log(`${path}:${line}: ${count} words: ${text}`);
  }
  for (const line of violations) console.error(line);
  if (violations.length > 0) {
    console.error(`prose: ${violations.length} violations`);
    process.exit(1);
  }
}
