/**
 * Takes out of a book's pages what a page may do but text need not. The page's policy already keeps scripts from
 * running; this is the second wall. Sizes and alignments are made to follow the reader's settings on the way.
 */

const GONE =
  'script, iframe, frame, frameset, object, embed, applet, portal, base, noscript, template, meta[http-equiv]';
const CONTROLS = 'form, input, button, select, textarea, fieldset';
const ADDRESSES = ['href', 'src', 'action', 'formaction', 'data', 'poster', 'to', 'values', 'from'];
const UNWANTED = ['srcdoc', 'srcset', 'ping', 'autofocus', 'autoplay'];
const HARMLESS = /^data:(image\/(png|jpe?g|gif|webp|avif|bmp)|font\/[\w-]+|audio\/[\w-]+|video\/[\w-]+)[;,]/;
const PAGES = ['application/xhtml+xml', 'text/html', 'image/svg+xml'];

/** Answers the loader's `data` event. */
export function tame(event: Event): void {
  const { detail } = event as CustomEvent<{ data: unknown; type: string }>;
  if (PAGES.includes(detail.type)) {
    detail.data = Promise.resolve(detail.data).then((data) =>
      typeof data === 'string' ? tamePage(data, detail.type as DOMParserSupportedType) : data,
    );
  } else if (detail.type === 'text/css') {
    detail.data = Promise.resolve(detail.data).then((data) =>
      typeof data === 'string' ? tameStyle(data) : data,
    );
  }
}

export function tamePage(text: string, type: DOMParserSupportedType): string {
  const document = new DOMParser().parseFromString(text, type);
  tameDocument(document);
  return new XMLSerializer().serializeToString(document);
}

export function tameDocument(document: Document): void {
  for (const element of document.querySelectorAll(GONE)) element.remove();
  for (const link of document.querySelectorAll('link')) {
    if (!/^\s*stylesheet\s*$/i.test(link.getAttribute('rel') ?? '')) link.remove();
  }
  for (const control of document.querySelectorAll(CONTROLS)) {
    if (control.localName === 'form') control.replaceWith(...control.childNodes);
    else control.setAttribute('disabled', '');
  }
  for (const element of document.querySelectorAll('*')) tameAttributes(element);
  for (const style of document.querySelectorAll('style')) {
    style.textContent = tameStyle(style.textContent ?? '');
  }
  if (document.contentType !== 'text/html') return;
  const charset = document.createElement('meta');
  charset.setAttribute('charset', 'utf-8'); // what it declared itself went with its `http-equiv`
  document.head.prepend(charset);
}

function tameAttributes(element: Element): void {
  const leads = element.localName === 'a' || element.localName === 'area';
  for (const { name, localName: written, value } of [...element.attributes]) {
    const localName = written.slice(written.lastIndexOf(':') + 1); // HTML knows no prefixes
    const address = ADDRESSES.includes(localName);
    const gone =
      /^on/i.test(localName) ||
      UNWANTED.includes(localName) ||
      (address && (isScript(value) || (!leads && isElsewhere(value))));
    if (gone) element.removeAttribute(name);
  }
  const style = element.getAttribute('style');
  if (style !== null) element.setAttribute('style', tameStyle(style));
}

/** Whether an address leads to another machine. */
const isElsewhere = (address: string) => /^\s*(?!blob:|data:)([a-z][\w+.-]*:)?\/\//i.test(address);

/** Whether an address runs something: `javascript:`, however it is spelt, or a page in a `data:` address. */
function isScript(address: string): boolean {
  const plain = address.replace(/[^!-~]+/g, '').toLowerCase(); // browsers skip spaces and control characters
  return /(^|;)(javascript|vbscript):/.test(plain) || (plain.startsWith('data:') && !HARMLESS.test(plain));
}

/** Nothing is fetched from elsewhere, fixed sizes become relative, and justified text follows the reader's wish. */
export function tameStyle(css: string): string {
  return css
    .replace(/@import\s+(url\(\s*)?["']?\s*(https?:)?\/\/[^;]*;?/gi, '')
    .replace(/url\(\s*["']?\s*(https?:)?\/\/[^)]*\)/gi, 'url("data:,")')
    .replace(/(font-size\s*:\s*)([\d.]+)(px|pt)\b/gi, (_, start: string, size: string, unit: string) => {
      const base = unit.toLowerCase() === 'px' ? 16 : 12;
      return `${start}${Math.round((Number.parseFloat(size) / base) * 1000) / 1000}rem`;
    })
    .replace(/(text-align\s*:\s*)justify\b/gi, '$1var(--reader-align, justify)');
}
