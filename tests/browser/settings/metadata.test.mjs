/** Settings of metadata providers: order, switches, languages, keys and their test. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

const PATH = '/settings/metadata';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (options, check, settings) =>
  withFake(browser, options, PATH, check, { width: 1440, ...settings });
const panel = (page, name) => page.getByRole('region', { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
const names = async (list) =>
  (await list.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0].trim());

describe('metadata providers', () => {
  it('are stated with their hosts, their data and their credit', () =>
    withPage({ enriching: true }, async (page) => {
      const tmdb = panel(page, 'TMDB');
      await tmdb
        .getByText(
          'Ledge sends to api.themoviedb.org and image.tmdb.org: title, year, ids in other databases, and languages.',
        )
        .waitFor();
      const credit = tmdb.getByRole('link', {
        name: /This product uses the TMDB API/,
      });
      assert.equal(await credit.getAttribute('href'), 'https://www.themoviedb.org');
      await panel(page, 'Local files').getByText('It sends nothing').waitFor();
      await page.getByText('It never contains file names').waitFor();
      await page.getByText('118 items left').first().waitFor();
      assert.deepEqual(await violations(page), []);
    }));

  it('show the changes of a refresh before it, item by item', () =>
    withPage({}, async (page) => {
      await page.getByRole('button', { name: 'Preview changes' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Changes of a refresh' });
      await dialog.getByText('A captain hunts a whale.').waitFor();
      await dialog.getByText('No provider with a match has responded.').waitFor();
      await dialog.getByRole('status').getByText('2 items previewed.').waitFor();
      await dialog.getByText('Google Books: No answer: the request timed out').waitFor();
      assert.equal(await dialog.getByRole('region').count(), 2);
      assert.deepEqual(await violations(page), []);
    }));

  it('are arranged with the keyboard, and the focus follows', () =>
    withPage({}, async (page, fake) => {
      const list = page.getByRole('list', {
        name: /^Order for .*(film|video)/i,
      });
      await list.getByRole('button', { name: 'Move TVmaze up' }).focus();
      await page.keyboard.press('Enter');
      await until('the new order', async () => (await names(list))[0].startsWith('TVmaze'));
      assert.deepEqual(fake.state.providerSettings.writes, [{ order: { video: ['tvmaze', 'tmdb'] } }]);
      await until('the focus on the moved one', async () => (await focused(page)) === 'Move TVmaze down');
      await page.getByText('TVmaze is now number 1.').waitFor({ state: 'attached' });
      await page.keyboard.press('Enter');
      await until('the old order', async () => (await names(list))[0].startsWith('TMDB'));
      await until('the focus on the other button', async () => (await focused(page)) === 'Move TVmaze up');
    }));

  it('take a key that is never shown again, and test it', () =>
    withPage({}, async (page, fake) => {
      const tmdb = panel(page, 'TMDB');
      const field = tmdb.getByLabel('Key of your TMDB account', {
        exact: true,
      });
      const test = tmdb.getByRole('button', { name: 'Test this key: TMDB' });
      await test.click();
      await tmdb.getByText('A value is missing.').waitFor();
      await field.fill('wrong');
      await page.keyboard.press('Enter');
      await tmdb.getByText('Enter a new value to replace it').waitFor();
      assert.equal(await field.inputValue(), '');
      assert.equal(await field.getAttribute('type'), 'password');
      await test.click();
      await tmdb.getByText('The provider rejects the key.').waitFor();
      await field.fill('right-key');
      await tmdb.getByRole('button', { name: 'Save Key of your TMDB account' }).click();
      await until('the key', () => fake.state.providerSettings.secrets.get('LEDGE_TMDB_KEY') === 'right-key');
      const hasFocus = () => field.evaluate((node) => node === document.activeElement);
      await until('the focus on the field', hasFocus);
      await test.click();
      await tmdb.getByText('It works.').waitFor();
      await page.reload();
      await tmdb.getByText('Enter a new value to replace it').waitFor();
      assert.ok(!(await page.content()).includes('right-key'));
      await tmdb.getByRole('button', { name: 'Delete Key of your TMDB account' }).click();
      await tmdb.getByText('never shows it again').waitFor();
      await until('the focus on the field', hasFocus);
    }));

  it('are asked about a library by a button that keeps the focus', () =>
    withPage({}, async (page) => {
      let status = { status: 'never', seen: 0, total: 0, matched: 0, notfound: 0, failed: 0, standing: 0 };
      await page.route('**/libraries/*/enrich/status', (route) => route.fulfill({ json: status }));
      await page.route('**/libraries/*/enrich', (route) => {
        status = { ...status, status: 'running', total: 9 };
        return route.fulfill({ status: 202, json: { job_id: 5 } });
      });
      await page.reload();
      const library = page
        .getByRole('group')
        .filter({ has: page.getByRole('button', { name: 'Refresh metadata' }) });
      const button = library.first().getByRole('button', { name: 'Refresh metadata' });
      await button.focus();
      const node = await page.evaluateHandle(() => document.activeElement);
      await page.keyboard.press('Enter');
      await until('the other label', () => node.evaluate((one) => one.textContent.trim() === 'Stop'));
      assert.ok(await node.evaluate((one) => one === document.activeElement));
    }));

  it('state a key that the key file does not open, and an invalid one', () =>
    withPage({}, async (page) => {
      const igdb = panel(page, 'IGDB');
      await igdb.getByText('cannot be decrypted').waitFor();
      await igdb.getByLabel('Client secret of that application', { exact: true }).fill('two words');
      await page.keyboard.press('Enter');
      await igdb.getByText('must be one line').waitFor();
    }));

  it('are switched off one by one and all together', () =>
    withPage({}, async (page, fake) => {
      await page.getByRole('switch', { name: 'Use TVmaze' }).press('Space');
      await page
        .getByRole('list', { name: /^Order/ })
        .getByText('off')
        .waitFor();
      await page.getByRole('switch', { name: /Allow requests/ }).uncheck();
      await page.getByRole('switch', { name: /after each scan/ }).check();
      await until('the changes', () => fake.state.providerSettings.writes.length === 3);
      assert.deepEqual(fake.state.providerSettings.writes, [
        { providers: { tvmaze: { enabled: false } } },
        { remote: false },
        { after_scans: true },
      ]);
      await panel(page, 'Open Library').getByRole('button', { name: 'Test: Open Library' }).click();
      await page.getByText('Requests to remote providers are switched off.').waitFor();
    }));

  it('use languages in the order of the page', () =>
    withPage({}, async (page, fake) => {
      const list = page.getByRole('list', { name: 'Languages' });
      assert.ok(await list.getByRole('button', { name: 'Remove English' }).isDisabled());
      // A choice alone changes nothing: with the keyboard, each step through the list is a choice.
      await page.getByLabel('Choose a language').selectOption('fr');
      await page.getByLabel('Choose a language').selectOption('de');
      await page.getByRole('button', { name: 'Add a language' }).click();
      await list.getByText('German').waitFor();
      await list.getByRole('button', { name: 'Move German up' }).click();
      await until('German first', async () => (await names(list))[0].startsWith('German'));
      await list.getByRole('button', { name: 'Remove English' }).click();
      await until('one language', async () => (await names(list)).length === 1);
      assert.deepEqual(
        fake.state.providerSettings.writes.map(({ languages }) => languages),
        [['en', 'de'], ['de', 'en'], ['de']],
      );
    }));

  it('follow the environment where it sets a value', () =>
    withPage({ enrichByEnvironment: true }, async (page) => {
      const lookups = page.getByRole('switch', { name: /after each scan/ });
      await lookups.waitFor();
      assert.ok((await lookups.isDisabled()) && (await lookups.isChecked()));
      await page.getByText('Set by LEDGE_ENRICH in the environment').waitFor();
    }));

  it('are not for users, and fit a phone', async () => {
    await withPage({ role: 'user' }, async (page) => {
      await page
        .getByRole('heading', { name: /not.*found|nothing/i })
        .first()
        .waitFor();
    });
    await withPage(
      {},
      async (page) => {
        await panel(page, 'TMDB').waitFor();
        const overflow = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(await overflow(), 0);
      },
      { width: 390 },
    );
  });
});
