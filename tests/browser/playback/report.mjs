/** Writes the table of played files as Markdown. */

const WAYS = ['native', 'transmux', 'decode'];
const cell = (text) => String(text ?? '–').replaceAll('|', '\\|');
const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
/** Aligns numbers to the right. */
const rule = ([first]) => `|${first.map((value) => (typeof value === 'number' ? '---:|' : '---|')).join('')}`;
const table = (head, rows) =>
  rows.length === 0 ? 'None.' : [line(head), rule(rows), ...rows.map(line)].join('\n');
const count = (rows, test) => rows.filter(test).length;

/** The way of a file that plays; `–` for others. */
const wayOf = ({ plays, ways }) => (plays ? ways.at(-1) : '–');

const countsOf = (rows) => [
  rows.length,
  count(rows, ({ before }) => before),
  count(rows, ({ plays }) => plays),
  ...WAYS.map((way) => count(rows, (row) => wayOf(row) === way)),
];

/** Totals of a library, in one line. */
export function totals(rows) {
  return [...new Set(rows.map(({ library }) => library))].map((library) => {
    const own = rows.filter((row) => row.library === library);
    const [files, before, plays, ...ways] = countsOf(own);
    const split = WAYS.map((way, at) => `${way} ${ways[at]}`).join(', ');
    return `${library}: ${plays} of ${files} play (${split}); ${before} without the decoders`;
  });
}

function groups(rows) {
  const found = new Map();
  for (const row of rows) {
    const key = [row.library, row.container ?? '?', row.vcodec ?? '', row.acodec ?? ''].join('\t');
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, own]) => [...key.split('\t').map((name) => name || null), ...countsOf(own)]);
}

const evidence = (row) => [
  row.name,
  row.ways?.join(' → ') || null,
  row.plays ? 'yes' : 'no',
  row.bytes,
  row.width,
  row.colours,
  row.time?.toFixed(2),
  row.took,
  row.attempts,
];

/** Returns the report. `left` contains files that the server did not catalogue as audio or video. */
export function report(rows, left, browser) {
  const failed = rows.filter(({ plays }) => !plays);
  const fallen = rows.filter(({ plays, ways }) => plays && ways.length > 1);
  const uniform = rows.filter(({ plays, colours }) => plays && colours === 1);
  const counted = ['files', 'browser alone', 'play', ...WAYS];
  return `${[
    '# Playback',
    `Browser: ${browser}. \`browser alone\` counts files with formats of the engine \`html5\`, by the server's facts.`,
    totals(rows)
      .map((text) => `- ${text}`)
      .join('\n'),
    '## Formats',
    table(['library', 'container', 'picture', 'sound', ...counted], groups(rows)),
    '## Files that do not play',
    table(
      ['file', 'format', 'reason', 'message'],
      failed.map((row) => [row.name, row.format, row.lacks.join('; '), row.message || null]),
    ),
    '## Files that play after a failed attempt in another way',
    table(
      ['file', 'format', 'ways'],
      fallen.map((row) => [row.name, row.format, row.ways.join(' → ')]),
    ),
    '## Films that play with a picture of one colour',
    table(
      ['file', 'format'],
      uniform.map((row) => [row.name, row.format]),
    ),
    '## Errors of the page',
    table(
      ['file', 'error'],
      rows
        .filter(({ complaints }) => complaints.length > 0)
        .map((row) => [row.name, row.complaints.join('; ')]),
    ),
    '## Other files',
    table(['file', 'state'], left),
    '## All files',
    table(
      ['file', 'ways', 'plays', 'sound bytes', 'width', 'colours', 'position', 'ms', 'attempts'],
      rows.map(evidence),
    ),
  ].join('\n\n')}\n`;
}
