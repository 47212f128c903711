/** Forms of one title in the stand-in server: linked by an administrator, and positions between a text and a recording. */

/** Items that are one title at the start, if the option asks for it: a book and its recording. */
export const BOOK = 6;
export const RECORDING = 182;
/** Number of sections of a book, and lines of each. */
const SECTIONS = 40;
const LINES = 240;

/** @param {number} status @param {string} code @param {string} message @param {string | null} field */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, ...(field === null ? {} : { field }) } },
});

/**
 * @param {{
 *   options: { works: boolean, handover: 'chapters' | 'fraction' },
 *   itemOf: (id: number) => any,
 *   cardOf: (item: any) => any,
 *   filesOf: (item: any) => any[],
 *   progressOf: (item: any) => any,
 *   isAdmin: () => boolean,
 * }} around
 */
export function works(around) {
  const { options, itemOf, filesOf } = around;
  /** Items by work. @type {Map<number, Set<number>>} */
  const all = new Map(options.works ? [[1, new Set([BOOK, RECORDING])]] : []);
  let last = 1;

  /** @param {number} item */
  const idOf = (item) => [...all].find(([, items]) => items.has(item))?.[0] ?? null;

  /** @param {number} item */
  function workOf(item) {
    const id = idOf(item);
    const forms = [...(all.get(Number(id)) ?? [])].map(itemOf).filter(Boolean);
    if (id === null || forms.length < 2) return null;
    forms.sort((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);
    return { id, items: forms.map(around.cardOf) };
  }

  /** The other forms of an entry of Continue. @param {number} item */
  const formsOf = (item) =>
    (workOf(item)?.items ?? [])
      .filter((/** @type {any} */ form) => form.id !== item)
      .map((/** @type {any} */ form) => ({ item_id: form.id, kind: form.kind, subkind: form.subkind }));

  /** Only the newest form of each work. @param {any[]} entries sorted by time, newest first */
  const newest = (entries) =>
    entries.filter(({ item }, at) => {
      const work = idOf(item.id);
      return work === null || entries.findIndex((one) => idOf(one.item.id) === work) === at;
    });

  /** @param {any} body */
  function link({ items }) {
    if (!around.isAdmin()) return refused(403, 'forbidden', 'Only an administrator can do this.');
    if (items.some((/** @type {number} */ id) => !itemOf(id)))
      return refused(422, 'invalid', 'There is no such item.', 'items');
    const joined = new Set(items);
    for (const item of items) {
      const id = idOf(item);
      for (const other of all.get(Number(id)) ?? []) joined.add(other);
      if (id !== null) all.delete(id);
    }
    last += 1;
    all.set(last, joined);
    return workOf(items[0]);
  }

  /** @param {number} id @param {number} item */
  function unlink(id, item) {
    if (!around.isAdmin()) return refused(403, 'forbidden', 'Only an administrator can do this.');
    const work = all.get(id);
    if (!work?.delete(item)) return refused(404, 'not_found', 'No such form.');
    if (work.size < 2) all.delete(id);
    return { status: 204 };
  }

  /** @param {number} from @param {number} to */
  function handover(from, to) {
    const [one, other] = [itemOf(from), itemOf(to)];
    if (idOf(from) === null || idOf(from) !== idOf(to)) return refused(404, 'not_found', 'No such form.');
    const isRecording = other.kind === 'audio';
    if (isRecording === (one.kind === 'audio'))
      return refused(422, 'invalid', 'Not one text and one recording.', 'to');
    const empty = { file_id: null, position: null, within: null, fraction: null, chapter: null };
    const fraction = around.progressOf(one)?.item_fraction ?? null;
    if (fraction === null) return { ...empty, method: null, confidence: null };
    const files = filesOf(other);
    const at = Math.min(0.999999, fraction) * (isRecording ? files.length : SECTIONS);
    const part = at - Math.floor(at);
    const file = isRecording ? files[Math.floor(at)] : files[0];
    return {
      file_id: file.id,
      position: isRecording ? Math.floor(part * file.extent) : Math.floor(at),
      within: isRecording ? null : part,
      fraction,
      chapter: options.handover === 'chapters' ? file.title : null,
      method: options.handover,
      confidence: options.handover === 'chapters' ? 0.9 : 0.4,
    };
  }

  /** @param {number} file */
  const isBook = (file) => options.works && file === BOOK * 100;

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['POST', /^\/works$/, (_m, _q, b) => link(b)],
    ['DELETE', /^\/works\/(\d+)\/items\/(\d+)$/, (m) => unlink(Number(m[1]), Number(m[2]))],
    ['GET', /^\/items\/(\d+)\/handover$/, (m, q) => handover(Number(m[1]), Number(q.get('to')))],
    [
      'GET',
      /^\/items\/(\d+)\/annotations$/,
      (m) => (isBook(Number(m[1]) * 100) ? { items: [] } : refused(404, 'not_found', 'No such thing.')),
    ],
    [
      'GET',
      /^\/kinds\/books\/files\/(\d+)\/entries$/,
      (m) =>
        isBook(Number(m[1]))
          ? { items: [...entries].map(([path, text]) => ({ path, size: text.length })) }
          : refused(404, 'not_found', 'No such book.'),
    ],
    [
      'GET',
      /^\/kinds\/books\/files\/(\d+)\/entries\/(.+)$/,
      (m) => {
        const text = isBook(Number(m[1])) ? entries.get(decodeURIComponent(String(m[2]))) : undefined;
        return text === undefined
          ? refused(404, 'not_found', 'No such entry.')
          : { status: 200, raw: Buffer.from(text), type: 'application/xhtml+xml' };
      },
    ],
  ];
  return { table, workOf, formsOf, newest, isBook };
}

/** @param {string} title @param {string} body */
const page = (title, body) => `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en">
<head><title>${title}</title></head><body>${body}</body></html>`;

/** The entries of a generated EPUB: each line names its chapter. */
const entries = new Map(generate());

/** @returns {[string, string][]} */
function generate() {
  const numbers = Array.from({ length: SECTIONS }, (_, at) => at + 1);
  const list = numbers.map((n) => `<li><a href="c${n}.xhtml">Chapter ${n}</a></li>`).join('');
  const manifest = numbers
    .map((n) => `<item id="c${n}" href="c${n}.xhtml" media-type="application/xhtml+xml"/>`)
    .join('');
  const spine = numbers.map((n) => `<itemref idref="c${n}"/>`).join('');
  const lines = Array.from({ length: LINES }, (_, at) => at + 1);
  return [
    [
      'META-INF/container.xml',
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ],
    [
      'book.opf',
      `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">moby</dc:identifier><dc:title>Moby-Dick</dc:title><dc:language>en</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${manifest}</manifest><spine>${spine}</spine></package>`,
    ],
    ['nav.xhtml', page('Contents', `<nav epub:type="toc"><ol>${list}</ol></nav>`)],
    ...numbers.map(
      (n) =>
        /** @type {[string, string]} */ ([
          `c${n}.xhtml`,
          page(
            `Chapter ${n}`,
            `<h1>Chapter ${n}</h1>${lines
              .map(
                (line) =>
                  `<p>Line ${line} of chapter ${n}: some years ago, never mind how long precisely.</p>`,
              )
              .join('')}`,
          ),
        ]),
    ),
  ];
}
