/** The import of another program's data: check, mapping, run, undo; and the export of a user's data. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const at = (path, check, settings = {}, world = {}) =>
  withFake(browser, world, path, check, { width: 1440, ...settings });
const withImport = (check, settings, world) => at('/settings/import', check, settings, world);
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const path = (page) => page.getByLabel(/^Path of navidrome.db/);
const check = async (page, file = '/srv/navidrome.db') => {
  await page.getByLabel('Program').selectOption('Navidrome');
  await path(page).fill(file);
  await path(page).press('Enter');
};
const report = (page) => page.getByRole('region', { name: 'Check: nothing was written' });
const number = (page, name) =>
  page
    .getByRole('row', { name: new RegExp(`^${name} `) })
    .getByRole('cell')
    .innerText();

describe('an import', { concurrency: false }, () => {
  it('is checked first, by keyboard, and the check writes nothing', () =>
    withImport(async (page, fake) => {
      await check(page);
      await page.getByText('Reading the data. Nothing is written.').first().waitFor();
      await report(page).waitFor();
      assert.equal(
        await page.evaluate(() => document.activeElement?.textContent?.trim()),
        'Check: nothing was written',
      );
      await page.getByText('Navidrome, version 20260819204637').waitFor();
      assert.equal(await number(page, 'Rows without user or file'), '63');
      const rows = report(page).getByRole('table', { name: 'Rows that are not imported' }).getByRole('row');
      assert.equal(await rows.count(), 51);
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('51–63 of 63').waitFor();
      assert.deepEqual(
        fake.state.imports.jobs.map(({ request }) => request.dry_run),
        [true],
      );
    }));

  it('maps users and folders, and needs another check then', () =>
    withImport(async (page, fake) => {
      await page.getByRole('button', { name: 'Add a folder' }).click();
      await page.keyboard.type('/music');
      await page.keyboard.press('Tab');
      await page.keyboard.type('/srv/media/Music');
      await check(page);
      await report(page).waitFor();
      await page.getByText('There is nothing to import.').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Import now' }).count(), 0);
      await page.getByLabel('User here for ann').selectOption('jonas');
      await page.getByText('The choices have changed since this check.').waitFor();
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('button', { name: 'Import now' }).waitFor();
      assert.equal(await number(page, 'Progress'), '80');
      const { request } = fake.state.imports.jobs.at(-1);
      assert.deepEqual(request.map, [{ from: '/music', to: '/srv/media/Music' }]);
      assert.deepEqual(request.users, [{ theirs: 'ann', ours: 'jonas' }]);
    }));

  it('runs after the check, and is undone', () =>
    withImport(async (page, fake) => {
      await check(page);
      await page.getByLabel('User here for ann').selectOption('jonas');
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('button', { name: 'Import now' }).press('Enter');
      const done = page.getByRole('region', { name: 'Import finished' });
      await done.waitFor();
      assert.equal(fake.state.imports.jobs.at(-1).request.dry_run, false);
      await page.getByRole('region', { name: 'Earlier imports' }).getByText('118 items changed').waitFor();
      await done.getByRole('button', { name: 'Undo this import' }).click();
      const question = page.getByRole('dialog', { name: 'Undo this import?' });
      await question.getByRole('button', { name: 'Undo this import' }).click();
      await page.getByText('Undone: 118 items restored. 1 item was changed since and stays.').waitFor();
      await page.getByText(/118 items changed · Undone/).waitFor();
    }));

  it('is undone later, from the list of earlier imports only', () =>
    withImport(async (page) => {
      const earlier = page.getByRole('region', { name: 'Earlier imports' });
      await earlier.getByRole('button', { name: /^Undo this import \(/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo this import' }).click();
      await earlier.getByText(/214 items changed · Undone/).waitFor();
    }));

  it('states the reason of the server', () =>
    withImport(async (page) => {
      await check(page, 'navidrome.db');
      await page.getByText('`path` is an absolute path on the server.').waitFor();
      assert.equal(await path(page).getAttribute('aria-invalid'), 'true');
      await check(page, '/srv/old.db');
      await page.getByRole('alert').getByText('version 20200101000000 is older').waitFor();
      assert.equal(await report(page).count(), 0);
    }));

  it('asks for the second database of a program that has one', () =>
    withImport(async (page, fake) => {
      await page.getByLabel('Program').selectOption('Calibre-Web');
      await page.getByLabel(/^Path of app.db/).fill('/srv/app.db');
      await page.getByLabel(/^Path of metadata.db/).fill('/srv/metadata.db');
      await page.getByRole('button', { name: 'Check without writing' }).click();
      await report(page).waitFor();
      assert.equal(fake.state.imports.jobs[0].request.library, '/srv/metadata.db');
    }));

  it('finds the file in a folder of the server', () =>
    withImport(async (page) => {
      await page.getByLabel('Program').selectOption('Navidrome');
      await page.getByRole('button', { name: 'Find the folder' }).click();
      const dialog = page.getByRole('dialog', { name: 'Find the folder' });
      await dialog.getByRole('button', { name: 'records' }).click();
      await dialog.getByText('/records').first().waitFor();
      await dialog.getByRole('button', { name: 'Use this folder' }).click();
      assert.equal(await path(page).inputValue(), '/srv/media/records/navidrome.db');
    }));

  it('is for administrators', () =>
    withImport(
      async (page) => {
        await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      },
      {},
      { role: 'user' },
    ));

  it('is accessible on a desktop and on a phone, in both themes', async () => {
    for (const width of [1440, 390])
      for (const theme of ['dark', 'light'])
        await withImport(
          async (page) => {
            await page.getByRole('button', { name: 'Add a folder' }).click();
            assert.deepEqual(await violations(page), [], `form ${width} ${theme}`);
            await check(page);
            await report(page).waitFor();
            assert.deepEqual(await violations(page), [], `report ${width} ${theme}`);
            assert.equal(await overflow(page), 0, `${width} ${theme}`);
          },
          { width, theme },
        );
  });

  it('is translated to German', () =>
    withImport(
      async (page) => {
        await page.getByRole('heading', { name: 'Importieren' }).waitFor();
        await page.getByRole('button', { name: 'Prüfen, ohne zu schreiben' }).waitFor();
      },
      { locale: 'de-DE' },
    ));
});

describe('the account', { concurrency: false }, () => {
  it('exports the data of its user', () =>
    at(
      '/settings/account',
      async (page) => {
        const link = page.getByRole('link', { name: 'Export my data' });
        assert.equal(await link.getAttribute('href'), '/api/v1/me/export');
        const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
        assert.equal(new URL(download.url()).pathname, '/api/v1/me/export');
        assert.equal(new URL(page.url()).pathname, '/settings/account');
      },
      {},
      { role: 'user' },
    ));
});
