/** Override tags in braces: names and arguments. */

/** Maximum number of tags in a line. */
export const MOST_TAGS = 1000;

/** Longer names first, because some names are prefixes of others. */
const NAMES = (
  'alpha iclip xbord xshad ybord yshad blur bord clip fade fscx fscy move shad ' +
  'fad fax fay frx fry frz fsc fsp org pbo pos 1a 1c 2a 2c 3a 3c 4a 4c an be fe fn fr fs kf ko kt ' +
  'K a b c i k p q r s t u'
).split(' ');

export interface Tag {
  name: string;
  /** The text after the name. */
  rest: string;
}

/** Returns the tags of a block. A backslash within parentheses does not start a tag. */
export function tagsOf(block: string): Tag[] {
  const tags: Tag[] = [];
  let at = block.indexOf('\\');
  while (at >= 0 && tags.length < MOST_TAGS) {
    let depth = 0;
    let end = at + 1;
    for (; end < block.length; end += 1) {
      const sign = block[end];
      if (sign === '(') depth += 1;
      else if (sign === ')') depth = Math.max(0, depth - 1);
      else if (sign === '\\' && depth === 0) break;
    }
    const tag = block.slice(at + 1, end).trim();
    const name = NAMES.find((known) => tag.startsWith(known));
    if (name !== undefined) tags.push({ name, rest: tag.slice(name.length).trim() });
    at = end < block.length ? end : -1;
  }
  return tags;
}

/** The text between parentheses. */
export const inside = (rest: string) => /^\(([^]*?)\)?$/.exec(rest)?.[1] ?? '';
