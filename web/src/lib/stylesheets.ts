/**
 * Stylesheets that failed to load. Vite requests each stylesheet once and then treats it as loaded. Without a retry, a
 * page would appear without its styles after an outage.
 */

/** Requests the failed stylesheets again. Rejects if one of them fails again. */
export async function loadMissingStylesheets(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
  const loaded = new Set(links.filter(isLoaded).map((link) => link.href));
  const missing = new Set(links.map((link) => link.href).filter((href) => !loaded.has(href)));
  await Promise.all([...missing].map(load));
}

/** Returns true if the rules of a stylesheet can be read. A failed one can have a sheet whose rules are not accessible. */
function isLoaded(link: HTMLLinkElement): boolean {
  try {
    return Boolean(link.sheet?.cssRules);
  } catch {
    return false;
  }
}

function load(href: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`${href} did not load`));
    };
    document.head.append(link);
  });
}
