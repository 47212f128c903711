/** Tables in Markdown. */

const cell = (text) => String(text ?? '–').replaceAll('|', '\\|');
const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
/** Aligns numbers to the right. */
const rule = ([first]) => `|${first.map((value) => (typeof value === 'number' ? '---:|' : '---|')).join('')}`;

export const table = (head, rows) =>
  rows.length === 0 ? 'None.' : [line(head), rule(rows), ...rows.map(line)].join('\n');

/** Replaces the parts of a page between marks such as `<!-- films -->` and `<!-- /films -->`. */
export function replaceParts(page, parts) {
  return Object.entries(parts).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page has no part ${name}`);
    return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`;
  }, page);
}
