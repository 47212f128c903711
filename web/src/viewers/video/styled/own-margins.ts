/** Margins of lines that leave the bottom by a tag: they must not follow the margin of their style. */

type Fields = ReadonlyMap<string, number>;

/** Returns the numbers of the fields that a `Format:` line names. */
function fieldsOf(line: string): Fields {
  const names = line.slice(line.indexOf(':') + 1).split(',');
  return new Map(names.map((name, index) => [name.trim().toLowerCase(), index]));
}

/** Returns the fields of a line without its type. The last one can contain commas. */
function valuesOf(line: string, fields: Fields): string[] {
  const values = line.slice(line.indexOf(':') + 1).split(',');
  return [...values.slice(0, fields.size - 1), values.slice(fields.size - 1).join(',')];
}

/** Returns true if a tag moves a line to the middle or to the top: `\an` counts rows of three, `\a` has bits for them. */
function leavesBottom(text: string): boolean {
  const [, tag, number] = /\{[^{}]*?\\(an?)(\d+)/.exec(text) ?? [];
  return tag === 'an' ? Number(number) > 3 : tag === 'a' && (Number(number) & 12) !== 0;
}

/**
 * Gives lines with such a tag the margin of their style as their own, so that a change of the style does not move them.
 * A margin of 0 stands for that of the style, so it becomes 1.
 */
export function withOwnMargins(script: string): string {
  const margins = new Map<string, number>();
  let [section, fields]: [string, Fields] = ['', new Map()];
  const lines = script.split('\n').map((line) => {
    if (/^\s*\[/.test(line)) section = line.trim().toLowerCase();
    else if (/^Format:/i.test(line)) fields = fieldsOf(line);
    else if (/^Style:/i.test(line) && section.includes('styles')) {
      const values = valuesOf(line, fields);
      const value = (name: string) => values[fields.get(name) ?? -1]?.trim() ?? '';
      margins.set(value('name'), Number(value('marginv')) || 0);
    } else if (/^Dialogue:/i.test(line) && section === '[events]')
      return withOwnMargin(line, fields, margins);
    return line;
  });
  return lines.join('\n');
}

function withOwnMargin(line: string, fields: Fields, margins: ReadonlyMap<string, number>): string {
  if (!/\\an?\d/.test(line)) return line;
  const values = valuesOf(line, fields);
  const at = fields.get('marginv');
  const style = values[fields.get('style') ?? -1]?.trim().replace(/^\*/, '');
  const own = margins.get(style ?? '') ?? margins.get('Default');
  if (at === undefined || own === undefined || Number(values[at]) !== 0) return line;
  if (!leavesBottom(values[fields.get('text') ?? -1] ?? '')) return line;
  values[at] = String(Math.max(1, own));
  return line.slice(0, line.indexOf(':') + 1) + values.join(',');
}
