/** Writes the results of all browsers as Markdown. */
import { SIMILAR } from './pictures.mjs';
import { table } from './markdown.mjs';

const WAYS = ['native', 'transmux', 'decode'];
const NAMES = { native: 'native', transmux: 'repackaged', decode: 'decoded' };
const count = (rows, test) => rows.filter(test).length;

/** The way of a file that plays; null for others. */
const wayOf = ({ plays, ways }) => (plays ? ways.at(-1) : null);

const countsOf = (rows) => [
  count(rows, ({ plays }) => plays),
  ...WAYS.map((way) => count(rows, (row) => wayOf(row) === way)),
];

/** Totals of a library in a browser, in one line. */
export function totals({ browser, rows }) {
  return [...new Set(rows.map(({ library }) => library))].map((library) => {
    const own = rows.filter((row) => row.library === library);
    const [plays, ...ways] = countsOf(own);
    const split = WAYS.map((way, at) => `${NAMES[way]} ${ways[at]}`).join(', ');
    const before = count(own, (row) => row.before);
    return `${browser}: ${plays} of ${own.length} files of ${library} play (${split}); ${before} have formats of the engine html5`;
  });
}

const keyOf = ({ container, vcodec, acodec }, hasPictures) =>
  [container ?? '?', ...(hasPictures ? [vcodec ?? ''] : []), acodec ?? ''].join('\t');

/** The table of a library: a row for each format, and the counts of each browser. */
export function formats(runs, library) {
  const hasPictures = library === 'video';
  const own = (rows, key) =>
    rows.filter((row) => row.library === library && (key === null || keyOf(row, hasPictures) === key));
  const keys = [...new Set(own(runs[0].rows, null).map((row) => keyOf(row, hasPictures)))].sort();
  const cells = (key) => runs.flatMap(({ rows }) => countsOf(own(rows, key)));
  const names = runs.flatMap(({ browser }) => [browser.split(' ')[0], ...WAYS.map((way) => NAMES[way])]);
  const rows = keys.map((key) => [
    ...key.split('\t').map((name) => (name ? `\`${name}\`` : null)),
    own(runs[0].rows, key).length,
    ...cells(key),
  ]);
  const all = ['**all**', ...(hasPictures ? [''] : []), '', own(runs[0].rows, null).length, ...cells(null)];
  return table(
    ['container', ...(hasPictures ? ['picture'] : []), 'sound', 'files', ...names],
    [...rows, all],
  );
}

/** The table of compared pictures. */
export function pictures(compared) {
  const [first] = compared;
  const cells = ({ way, similarity }) => [NAMES[way] ?? null, similarity?.toFixed(3) ?? 'not compared'];
  return table(
    ['clip', ...compared.flatMap(({ browser }) => [browser.split(' ')[0], 'SSIM'])],
    first.results.map(({ name }, at) => [name, ...compared.flatMap(({ results }) => cells(results[at]))]),
  );
}

/** Totals of compared pictures, in one line for each browser. */
export function similar({ browser, results }) {
  const compared = results.filter(({ similarity }) => similarity !== null);
  const equal = count(compared, ({ similarity }) => similarity >= SIMILAR);
  return `${browser}: ${equal} of ${compared.length} pictures have an SSIM of at least ${SIMILAR}`;
}

/** Figures of films, one column for each browser. */
export function figures(measured) {
  // The parts can be measured in any order.
  const labels = [...new Set(measured.flatMap(({ figures: own }) => own.map(([label]) => label)))].sort();
  const valueOf = (own, label) => String(own.find(([name]) => name === label)?.[1] ?? '–');
  return table(
    ['figure', ...measured.map(({ browser }) => browser)],
    labels.map((label) => [label, ...measured.map(({ figures: own }) => valueOf(own, label))]),
  );
}

const evidence = (row) => [
  row.name,
  row.ways?.join(' → ') || null,
  row.plays ? 'yes' : 'no',
  row.isSilent ? 'silent' : row.bytes,
  row.width,
  row.colours,
  row.time?.toFixed(2),
  row.took,
  row.attempts,
];

/** The evidence of one browser. */
function details({ browser, rows }) {
  const failed = rows.filter(({ plays }) => !plays);
  const fallen = rows.filter(({ plays, ways }) => plays && ways.length > 1);
  const uniform = rows.filter(({ plays, colours }) => plays && colours === 1);
  const silent = rows.filter((row) => row.isSilent);
  const noisy = rows.filter(({ complaints }) => complaints.length > 0);
  return [
    `## ${browser}`,
    '### Files that do not play',
    table(
      ['file', 'format', 'reason', 'message'],
      failed.map((row) => [row.name, row.format, row.lacks.join('; '), row.message || null]),
    ),
    '### Files that play after a failed attempt in another way',
    table(
      ['file', 'format', 'ways'],
      fallen.map((row) => [row.name, row.format, row.ways.join(' → ')]),
    ),
    '### Films that play with a picture of one colour',
    table(
      ['file', 'format'],
      uniform.map((row) => [row.name, row.format]),
    ),
    '### Files whose sound is silence, so that the browser proves none',
    table(
      ['file', 'format'],
      silent.map((row) => [row.name, row.format]),
    ),
    '### Errors of the page',
    table(
      ['file', 'error'],
      noisy.map((row) => [row.name, row.complaints.join('; ')]),
    ),
    '### All files',
    table(
      ['file', 'ways', 'plays', 'sound bytes', 'width', 'colours', 'position', 'ms', 'attempts'],
      rows.map(evidence),
    ),
  ];
}

/** The parts of the page in `docs/`, as far as they were measured. */
export function partsOf({ runs, compared, measured }) {
  return {
    ...(runs && { recordings: formats(runs, 'audio'), films: formats(runs, 'video') }),
    ...(compared && { pictures: pictures(compared) }),
    ...(measured && { figures: figures(measured) }),
  };
}

/** Returns the report. `left` contains files that the server did not catalogue as audio or video. */
export function report({ runs, left, compared, measured }) {
  const section = (title, text) => [`## ${title}`, text];
  return `${[
    '# Playback',
    ...(runs ? section('Recordings', formats(runs, 'audio')) : []),
    ...(runs ? section('Films', formats(runs, 'video')) : []),
    ...(compared ? section('Pictures', pictures(compared)) : []),
    ...(measured ? section('Figures', figures(measured)) : []),
    ...(runs ? section('Other files', table(['file', 'state'], left)) : []),
    ...(runs ?? []).flatMap(details),
  ].join('\n\n')}\n`;
}
