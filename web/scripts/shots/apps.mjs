/** Screenshots of apps and devices, and of metadata providers. */
/** @typedef {import('../shots.mjs').Shot} Shot */

/** @param {import('playwright-core').Page} page */
async function openDialog(page) {
  await page.getByRole('button', { name: 'Create app password' }).click();
  await page.getByRole('dialog').waitFor();
}

/** @type {Shot[]} */
export const connected = [
  { name: 'settings-metadata', path: '/settings/metadata', options: { enriching: true }, whole: true },
  {
    name: 'settings-metadata-de',
    path: '/settings/metadata',
    options: { enrichByEnvironment: true },
    act: async (page) => {
      await page.getByLabel('Key of your TMDB account', { exact: true }).fill('busy');
      await page.keyboard.press('Enter');
      await page.getByText('Ein neuer Wert ersetzt ihn').waitFor();
      await page.getByRole('button', { name: 'Schlüssel testen: TMDB' }).click();
      await page.getByText('Minuten lang').waitFor();
    },
    locale: 'de-DE',
    whole: true,
  },
  { name: 'settings-apps', path: '/settings/apps', options: { passwords: 3 }, whole: true },
  {
    name: 'settings-apps-de',
    path: '/settings/apps',
    options: { passwords: 3 },
    locale: 'de-DE',
    whole: true,
  },
  { name: 'settings-apps-none', path: '/settings/apps', options: { role: 'user' }, whole: true },
  { name: 'settings-apps-off', path: '/settings/apps', options: { protocols: false } },
  { name: 'settings-apps-create', path: '/settings/apps', act: openDialog },
  {
    name: 'settings-apps-secret',
    path: '/settings/apps',
    options: { passwords: 1 },
    act: async (page) => {
      await openDialog(page);
      await page.getByRole('dialog').getByLabel('Name').fill('A phone with a long name');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
    },
    whole: true,
  },
  {
    name: 'settings-apps-revoke',
    path: '/settings/apps',
    options: { passwords: 2 },
    act: async (page) => page.getByRole('button', { name: 'Revoke Panels' }).click(),
  },
];
