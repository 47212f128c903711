/**
 * Sanitizes the pages of a book. The content security policy already blocks scripts; this is the second layer of
 * defence. It also makes sizes and alignments follow the user's settings.
 */

const GONE =
  'script, iframe, frame, frameset, object, embed, applet, portal, base, noscript, template, meta[http-equiv]';
const CONTROLS = 'form, input, button, select, textarea, fieldset';
const ADDRESSES = ['href', 'src', 'action', 'formaction', 'data', 'poster', 'to', 'values', 'from'];
const UNWANTED = ['srcdoc', 'srcset', 'ping', 'autofocus', 'autoplay'];
const HARMLESS = /^data:(image\/(png|jpe?g|gif|webp|avif|bmp)|font\/[\w-]+|audio\/[\w-]+|video\/[\w-]+)[;,]/;
const PAGES = ['application/xhtml+xml', 'text/html', 'image/svg+xml'];

/** Handles the `data` event of the loader. */
export function sanitize(event: Event): void {
  const { detail } = event as CustomEvent<{ data: unknown; type: string }>;
  if (PAGES.includes(detail.type)) {
    detail.data = Promise.resolve(detail.data).then((data) =>
      typeof data === 'string' ? sanitizePage(data, detail.type as DOMParserSupportedType) : data,
    );
  } else if (detail.type === 'text/css') {
    detail.data = Promise.resolve(detail.data).then((data) =>
      typeof data === 'string' ? sanitizeStyle(data) : data,
    );
  }
}

export function sanitizePage(text: string, type: DOMParserSupportedType): string {
  const document = new DOMParser().parseFromString(text, type);
  sanitizeDocument(document);
  return new XMLSerializer().serializeToString(document);
}

export function sanitizeDocument(document: Document): void {
  for (const element of document.querySelectorAll(GONE)) element.remove();
  for (const link of document.querySelectorAll('link')) {
    if (!/^\s*stylesheet\s*$/i.test(link.getAttribute('rel') ?? '')) link.remove();
  }
  for (const control of document.querySelectorAll(CONTROLS)) {
    if (control.localName === 'form') control.replaceWith(...control.childNodes);
    else control.setAttribute('disabled', '');
  }
  for (const element of document.querySelectorAll('*')) sanitizeAttributes(element);
  for (const style of document.querySelectorAll('style')) {
    style.textContent = sanitizeStyle(style.textContent ?? '');
  }
  if (document.contentType !== 'text/html') return;
  const charset = document.createElement('meta');
  charset.setAttribute('charset', 'utf-8'); // its own declaration was removed with `http-equiv`
  document.head.prepend(charset);
}

function sanitizeAttributes(element: Element): void {
  const leads = element.localName === 'a' || element.localName === 'area';
  for (const { name, localName: written, value } of [...element.attributes]) {
    const localName = written.slice(written.lastIndexOf(':') + 1); // HTML has no namespace prefixes
    const address = ADDRESSES.includes(localName);
    const gone =
      /^on/i.test(localName) ||
      UNWANTED.includes(localName) ||
      (address && (isScript(value) || (!leads && isElsewhere(value))));
    if (gone) element.removeAttribute(name);
  }
  const style = element.getAttribute('style');
  if (style !== null) element.setAttribute('style', sanitizeStyle(style));
}

/** Returns true for an address on another host. */
const isElsewhere = (address: string) => /^\s*(?!blob:|data:)([a-z][\w+.-]*:)?\/\//i.test(address);

/** Returns true for an address that runs code: `javascript:` in any spelling, or a page in a `data:` address. */
function isScript(address: string): boolean {
  const plain = address.replace(/[^!-~]+/g, '').toLowerCase(); // browsers skip spaces and control characters
  return /(^|;)(javascript|vbscript):/.test(plain) || (plain.startsWith('data:') && !HARMLESS.test(plain));
}

/** Removes external requests, makes fixed sizes relative, and applies the user's choice of justification. */
export function sanitizeStyle(css: string): string {
  return css
    .replace(/@import\s+(url\(\s*)?["']?\s*(https?:)?\/\/[^;]*;?/gi, '')
    .replace(/url\(\s*["']?\s*(https?:)?\/\/[^)]*\)/gi, 'url("data:,")')
    .replace(/(font-size\s*:\s*)([\d.]+)(px|pt)\b/gi, (_, start: string, size: string, unit: string) => {
      const base = unit.toLowerCase() === 'px' ? 16 : 12;
      return `${start}${Math.round((Number.parseFloat(size) / base) * 1000) / 1000}rem`;
    })
    .replace(/(text-align\s*:\s*)justify\b/gi, '$1var(--reader-align, justify)');
}
