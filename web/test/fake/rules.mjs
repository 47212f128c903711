/** Rules of smart collections in the stand-in server: their errors, and the items that they select. */

const OPS = {
  text: ['is', 'is_not', 'contains', 'one_of'],
  choice: ['is', 'is_not', 'one_of'],
  number: ['is', 'is_not', 'greater', 'less', 'between'],
  date: ['before', 'after', 'between', 'within_days'],
  flag: ['is'],
  engine: ['is', 'one_of'],
};
/** @type {Record<string, keyof typeof OPS>} */
const TYPES = {
  ...{ title: 'text', author: 'text', series: 'text', genre: 'text', tag: 'text', codec: 'text' },
  ...{ language: 'text', kind: 'choice', subkind: 'choice', state: 'choice', library: 'choice' },
  ...{ year: 'number', rating: 'number', added_at: 'date', finished_at: 'date' },
  ...{ favourite: 'flag', missing: 'flag', plays: 'engine' },
};
const DAY = 86_400_000;

/** @param {any} text */
const folded = (text) => String(text).toLocaleLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

/**
 * Returns the path of the first error of a rule, or null.
 * @param {any} rule @returns {{ path: string, message: string } | null}
 */
export function errorIn(rule) {
  if (typeof rule !== 'object' || rule === null) return { path: 'rule', message: 'A rule is an object.' };
  const { limit } = rule;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 10_000))
    return { path: 'rule.limit', message: 'The limit is a number from 1 to 10000.' };
  return groupError(rule, 'rule', 1);
}

/** @param {any} group @param {string} path @param {number} level @returns {ReturnType<typeof errorIn>} */
function groupError(group, path, level) {
  const match = group.all ? 'all' : 'any';
  const members = group[match];
  if (!Array.isArray(members) || level > 3) return { path, message: 'A group has up to 3 levels.' };
  if (members.length === 0 && !(level === 1 && match === 'all'))
    return { path, message: 'A group needs a member.' };
  for (const [index, member] of members.entries()) {
    const at = `${path}.${match}[${index}]`;
    const error = 'field' in member ? conditionError(member, at) : groupError(member, at, level + 1);
    if (error) return error;
  }
  return null;
}

/** @param {any} condition @param {string} path */
function conditionError({ field, op, value }, path) {
  const type = TYPES[field];
  if (!type) return { path: `${path}.field`, message: `There is no field \`${field}\`.` };
  if (!OPS[type].includes(op)) return { path: `${path}.op`, message: `\`${field}\` has no \`${op}\`.` };
  const values = ['one_of', 'between'].includes(op) ? value : [value];
  const wrong = (/** @type {string} */ message) => ({ path: `${path}.value`, message });
  if (!Array.isArray(values) || values.length === 0) return wrong('The value is a list.');
  if (type === 'text' && values.some((one) => typeof one !== 'string' || one.trim() === ''))
    return wrong('The value is a text of 1 to 500 characters.');
  if (type === 'number' && values.some((one) => typeof one !== 'number'))
    return wrong('The value is a number.');
  if (op === 'between' && values[0] > values[1]) return wrong('The first number is at most the second one.');
  if (field === 'codec' && folded(values[0]) === 'refused') return wrong('This codec is not known.');
  return null;
}

/** @param {string} op @param {any} value @param {any[]} own the values of the item */
function meets(op, value, own) {
  const has = (/** @type {any} */ one) => own.some((mine) => folded(mine) === folded(one));
  const day = (/** @type {any} */ one) => String(one).slice(0, 10);
  switch (op) {
    case 'is':
      return has(value);
    case 'is_not':
      return !has(value);
    case 'one_of':
      return value.some(has);
    case 'contains':
      return own.some((mine) => folded(mine).includes(folded(value)));
    case 'greater':
      return own.some((mine) => mine > value);
    case 'less':
      return own.some((mine) => mine < value);
    case 'between':
      return own.some((mine) => {
        const one = typeof value[0] === 'string' ? day(mine) : mine;
        return one >= value[0] && one <= value[1];
      });
    case 'before':
      return own.some((mine) => day(mine) < value);
    case 'after':
      return own.some((mine) => day(mine) > value);
    default:
      return own.some((mine) => Date.parse(mine) >= Date.now() - value * DAY);
  }
}

/**
 * Returns the items of a rule, in its order.
 * @param {any} rule @param {any[]} items in the order of their titles @param {(item: any, field: string) => any[]} valuesOf
 * @param {(items: any[], sort: string, order: string) => any[]} sorted
 */
export function select(rule, items, valuesOf, sorted) {
  /** @param {any} member @param {any} item @returns {boolean} */
  const fits = (member, item) => {
    if ('field' in member) return meets(member.op, member.value, valuesOf(item, member.field));
    const all = member.all;
    return all
      ? all.every((/** @type {any} */ one) => fits(one, item))
      : member.any.some((/** @type {any} */ one) => fits(one, item));
  };
  const asksMissing = JSON.stringify(rule).includes('"missing"');
  const found = items.filter((item) => (asksMissing || !item.missing) && fits(rule, item));
  return sorted(found, rule.sort ?? 'title', rule.order ?? 'asc').slice(0, rule.limit ?? 10_000);
}
