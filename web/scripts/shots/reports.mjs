/** Screenshots of the statistics, of the year and of the dashboard. */

/** @typedef {import('../shots.mjs').Shot} Shot */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('../shots.mjs').Fake} Fake */

/** @param {Page} page */
async function showTables(page) {
  const button = page.getByRole('button', { name: 'Show as table' });
  const menu = page.getByRole('button', { name: 'More actions' });
  await button.or(menu).filter({ visible: true }).first().waitFor();
  if (await button.isVisible()) return button.click();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Show as table' }).click();
}
/** @param {Page} _ @param {Fake} fake */
async function scan(_, fake) {
  const none = { added: 0, updated: 0, moved: 0, missing: 0, restored: 0, errors: [], errors_overflow: 0 };
  fake.tell('scan', { ...none, library_id: 1, status: 'running', job_id: 9, scanned: 713, total: 1924 });
}

const dashboard = { path: '/settings/dashboard', before: scan };

/** @type {Shot[]} */
export const reports = [
  { name: 'statistics', path: '/history/statistics', whole: true },
  { name: 'statistics-year', path: '/history/statistics?period=year&by=day' },
  { name: 'statistics-kind', path: '/history/statistics?by=kind' },
  { name: 'statistics-own', path: '/history/statistics?period=own&from=2026-01-01&to=2026-11-26' },
  { name: 'statistics-table', path: '/history/statistics', act: showTables, whole: true },
  { name: 'statistics-none', path: '/history/statistics', options: { statistics: 'none' }, whole: true },
  { name: 'statistics-off', path: '/history/statistics', options: { statistics: 'off' } },
  { name: 'statistics-failed', path: '/history/statistics', options: { failing: true } },
  { name: 'statistics-skeleton', path: '/history/statistics', options: { slow: true } },
  { name: 'statistics-de', path: '/history/statistics', locale: 'de-DE', whole: true },
  {
    name: 'statistics-delete',
    path: '/history/statistics',
    act: async (page) => {
      await page.getByRole('button', { name: 'Delete statistics' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'year', path: '/history/year' },
  { name: 'year-whole', path: '/history/year', whole: true },
  { name: 'year-table', path: '/history/year', act: showTables, whole: true },
  { name: 'year-none', path: '/history/year', options: { statistics: 'none' } },
  { name: 'year-off', path: '/history/year', options: { statistics: 'off' } },
  { name: 'year-de', path: '/history/year', locale: 'de-DE', whole: true },
  { name: 'year-skeleton', path: '/history/year', options: { slow: true } },
  { name: 'dashboard', ...dashboard, options: { server: 'warnings' } },
  { name: 'dashboard-whole', ...dashboard, options: { server: 'warnings' }, whole: true },
  { name: 'dashboard-quiet', path: '/settings/dashboard', options: { server: 'quiet' }, whole: true },
  { name: 'dashboard-de', ...dashboard, options: { server: 'warnings' }, locale: 'de-DE', whole: true },
  { name: 'dashboard-failed', path: '/settings/dashboard', options: { failing: true } },
  { name: 'dashboard-skeleton', path: '/settings/dashboard', options: { slow: true } },
  {
    name: 'dashboard-unset',
    path: '/settings/dashboard',
    options: { backupFolder: false },
    whole: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Back up now' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
];
