/** Steps in a page before its picture is taken. */

/** @typedef {import('playwright-core').Page} Page */

/** By the panel of the player, once the film runs. @param {Page} page @param {string} label */
export async function chooseSubtitles(page, label) {
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.2);
  await page.keyboard.press('t');
  const panel = page.getByRole('dialog', { name: 'Subtitles and sound' });
  const subtitles = panel.getByRole('group', { name: 'Subtitles', exact: true });
  await subtitles.getByRole('radio', { name: new RegExp(`^${label}`) }).check();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
}

/** @param {Page} page */
export async function attemptLogin(page) {
  await page.getByLabel('Username').fill('marit');
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.bad').waitFor();
}

/** The player as one sees it whole. @param {Page} page */
export async function openSheet(page) {
  await page.getByRole('button', { name: 'Open the player' }).click();
  await page.getByRole('dialog').waitFor();
}

/** @param {() => boolean} fits */
export async function until(fits) {
  for (let look = 0; look < 100 && !fits(); look += 1) await new Promise((go) => setTimeout(go, 100));
}

/** Answers matching requests with an error. @param {Page} page @param {string} pattern @param {number} status */
export async function answer(page, pattern, status) {
  const error = { code: 'internal', message: 'Something went wrong on the server.' };
  await page.route(pattern, (route) => route.fulfill({ status, json: { error } }));
}

/** Large letters, as Settings → This device makes them. @param {Page} page */
export async function enlarge(page) {
  await page.addInitScript(() => localStorage.setItem('ledge.text', '1.5'));
}

/** Makes every title and name longer than there is room for, one with a word that cannot be wrapped. @param {Page} page */
export async function lengthen(page) {
  /** @param {string} text */
  const grown = (text) =>
    `${text}, or the Whole and True History of What Befell Them Upon the Coast, Told for the First Time in Full`;
  const unbroken = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
  /** @param {any} value @returns {any} */
  const walk = (value) => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const pairs = Object.entries(value).map(([key, inner]) => {
      if (key === 'title' && typeof inner === 'string')
        return [key, value.id % 2 === 0 ? grown(inner) : `${inner} ${unbroken}`];
      if (key === 'authors' && typeof inner === 'string' && inner !== '') return [key, grown(inner)];
      return [key, walk(inner)];
    });
    return Object.fromEntries(pairs);
  };
  await page.route(/\/api\/v1\/(items|home|search)/, async (route) => {
    if (route.request().method() !== 'GET' || !route.request().url().includes('/api/v1/'))
      return route.continue();
    const response = await route.fetch();
    const type = response.headers()['content-type'] ?? '';
    if (!type.includes('json')) return route.fulfill({ response });
    return route.fulfill({ response, json: walk(await response.json()) });
  });
}
