/** The statistics of a user: period, charts with their tables, sessions, and the user's control over the data. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (check, { path = '/history/statistics', options = {}, ...settings } = {}) =>
  withFake(browser, options, path, check, { width: 1440, timezoneId: 'UTC', ...settings });
const chart = (page) => page.getByRole('region', { name: /^(Time|Pages)$/ }).first();
const picture = (page) => chart(page).getByRole('img');
const asked = (fake) => new URLSearchParams(fake.state.statistics.asked.at(-1));
const year = new Date().getUTCFullYear();
/** A year that is over. */
const LAST = `/history/statistics?period=own&from=${year - 1}-01-01&to=${year - 1}-12-31`;

describe('the statistics', () => {
  it('are reached from the history, whose entry of the navigation stays active', () =>
    withPage(
      async (page) => {
        await page.getByRole('main').getByRole('link', { name: 'Statistics' }).click();
        await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
        const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'History' });
        assert.equal(await entry.getAttribute('aria-current'), 'page');
        await page.getByRole('link', { name: 'Your year' }).click();
        await page.getByRole('heading', { level: 1, name: 'Your year' }).waitFor();
      },
      { path: '/history' },
    ));

  it('show the last 30 days in the zone of the browser, with a bar for each day', () =>
    withPage(
      async (page, fake) => {
        await picture(page).waitFor();
        const query = asked(fake);
        assert.equal(query.get('tz'), 'America/New_York');
        const days = (Date.parse(query.get('to')) - Date.parse(query.get('from'))) / 86_400_000;
        assert.equal(days, 29);
        assert.match(await picture(page).getAttribute('aria-label'), /^Time\. Most: .+, .+ (min|h)$/);
        assert.equal(await picture(page).locator('title').count(), 30);
        assert.equal(await chart(page).getByRole('row').count(), 31);
        assert.equal(await page.getByRole('region', { name: 'Totals' }).locator('dd').count(), 5);
      },
      { timezoneId: 'America/New_York' },
    ));

  it('change their period and group by keys, in the address, and keep the focus', () =>
    withPage(async (page, fake) => {
      await page.getByRole('button', { name: 'This year' }).focus();
      await page.keyboard.press('Enter');
      await until('this year', () => asked(fake).get('from') === `${year}-01-01`);
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
      assert.equal(await focused(), 'This year');
      const select = page.getByRole('combobox', { name: 'Group by' });
      await select.focus();
      await select.selectOption('Hour');
      await page.getByRole('rowheader', { name: '23:00' }).waitFor({ state: 'attached' });
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SELECT');
      const { searchParams } = new URL(page.url());
      assert.deepEqual([searchParams.get('period'), searchParams.get('by')], ['year', 'hour']);
      await page.reload();
      await page.getByRole('rowheader', { name: '23:00' }).waitFor({ state: 'attached' });
      const chosen = page.getByRole('button', { name: 'This year' });
      assert.equal(await chosen.getAttribute('aria-pressed'), 'true');
    }));

  it('accept two dates, and explain dates that are not a period', () =>
    withPage(async (page, fake) => {
      await page.getByRole('button', { name: 'Own dates' }).click();
      await page.getByLabel('From').fill('2026-03-01');
      await until('the first day', () => asked(fake).get('from') === '2026-03-01');
      const before = fake.state.statistics.asked.length;
      await page.getByLabel('To', { exact: true }).fill('2026-02-01');
      await page.getByRole('alert').getByText('The last day is before the first day.').waitFor();
      assert.equal(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid'), 'true');
      assert.equal(fake.state.statistics.asked.length, before);
      await page.getByLabel('To', { exact: true }).fill('2026-03-31');
      await until('the last day', () => asked(fake).get('to') === '2026-03-31');
      assert.equal(await page.getByRole('alert').count(), 0);
    }));

  it('offer no bar for each day of several years', () =>
    withPage(
      async (page) => {
        const select = page.getByRole('combobox', { name: 'Group by' });
        await select.waitFor();
        assert.equal(await select.inputValue(), 'month');
        assert.deepEqual(await select.locator('option').allTextContents(), ['Week', 'Month', 'Hour', 'Kind']);
      },
      { path: '/history/statistics?period=own&from=2022-01-01&to=2026-11-26&by=day' },
    ));

  it('count pages instead of time, and show kinds by their names', () =>
    withPage(async (page) => {
      await page.getByRole('button', { name: 'Pages', exact: true }).click();
      await page.getByRole('img', { name: /^Pages\. Most/ }).waitFor();
      await page.getByRole('combobox', { name: 'Group by' }).selectOption('Kind');
      const kinds = page.getByRole('list', { name: 'Pages' });
      await kinds.getByText('Books').waitFor();
      assert.match(await kinds.getByRole('listitem').first().textContent(), /Books\s*[\d,]+/);
    }));

  it('show every chart as a table', () =>
    withPage(async (page) => {
      await picture(page).waitFor();
      await page.getByRole('list', { name: 'Genres' }).waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      for (const name of ['Time', 'Top authors and artists', 'Genres', 'Items']) {
        const table = page.getByRole('table', { name });
        await table.waitFor();
        const heads = await table.getByRole('columnheader').allTextContents();
        assert.deepEqual(heads.slice(1), ['Time', 'Pages', 'Sessions', 'Finished'], name);
      }
      assert.equal(await page.getByRole('img').count(), 0);
      await page.getByRole('table', { name: 'Items' }).getByRole('link').first().click();
      await page.waitForURL('**/items/*');
    }));

  it('list sessions in pages, and those of purged items without a link', () =>
    withPage(
      async (page) => {
        const list = page.getByRole('region', { name: /^Sessions/ });
        await list.getByRole('listitem').first().waitFor();
        assert.equal(await list.getByRole('listitem').count(), 20);
        const first = await list.locator('time').first().getAttribute('datetime');
        await list.getByRole('button', { name: 'Next' }).click();
        await until('the next page', async () => {
          const shown = await list.locator('time').first().getAttribute('datetime', { timeout: 1000 });
          return shown !== first;
        });
        assert.equal(new URL(page.url()).searchParams.get('offset'), '20');
        const gone = list.getByText('No longer available');
        for (let pages = 0; (await gone.count()) === 0; pages += 1) {
          assert.ok(pages < 40, 'no session of a purged item');
          await list.getByRole('button', { name: 'Next' }).click();
          await page.waitForFunction(() => document.querySelector('.bone') === null);
        }
        assert.equal(await gone.first().locator('xpath=ancestor-or-self::a').count(), 0);
      },
      { path: LAST },
    ));
});

describe('the own data', () => {
  it('are no longer stored after the switch is off, and the pages show that', () =>
    withPage(async (page, fake) => {
      const box = page.getByRole('switch', { name: /^Keep statistics/ });
      await until('the setting', () => box.isChecked());
      await box.focus();
      await page.keyboard.press('Space');
      await page.getByText('Statistics are off.').waitFor();
      assert.equal(fake.state.statistics.settings.statistics, false);
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByText('Statistics are off.').waitFor({ state: 'detached' });
      assert.equal(await box.isChecked(), true);
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    }));

  it('keep their switch if the server refuses the change', () =>
    withPage(async (page) => {
      await page.route('**/me/settings', (route) =>
        route.request().method() === 'PATCH' ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
      );
      const box = page.getByRole('switch', { name: /^Keep statistics/ });
      await until('the setting', () => box.isChecked());
      await box.click();
      await page.getByRole('alert').waitFor();
      assert.equal(await box.isChecked(), true);
    }));

  it('are deleted only after a confirmation', () =>
    withPage(async (page, fake) => {
      const button = page.getByRole('button', { name: 'Delete statistics' });
      await button.click();
      const dialog = page.getByRole('dialog', { name: 'Delete all statistics?' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      assert.ok(fake.state.statistics.count > 0);
      assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Delete statistics/);
      await button.click();
      await dialog.getByRole('button', { name: 'Delete statistics' }).click();
      await page.getByRole('status').getByText('Statistics deleted.').waitFor();
      await page.getByRole('heading', { name: 'Nothing in this period' }).waitFor();
      assert.equal(fake.state.statistics.count, 0);
    }));

  it('are exported as files', () =>
    withPage(async (page) => {
      for (const [name, file] of [
        ['Export as CSV', 'statistics.csv'],
        ['Export as JSON', 'statistics.json'],
      ]) {
        const started = page.waitForEvent('download');
        await page.getByRole('link', { name }).click();
        assert.equal((await started).suggestedFilename(), file);
      }
    }));
});

describe('the page of the statistics', () => {
  it('reports a failure, and loads after a retry', () =>
    withPage(
      async (page, fake) => {
        await page.getByRole('alert').first().waitFor();
        fake.options.failing = false;
        await page.getByRole('button', { name: 'Retry' }).first().click();
        await picture(page).waitFor();
      },
      { options: { failing: true } },
    ));

  for (const [width, theme] of [
    [1440, 'dark'],
    [1440, 'light'],
    [390, 'dark'],
    [390, 'light'],
  ])
    it(`has no violation of accessibility rules, ${width} ${theme}`, () =>
      withPage(
        async (page) => {
          await picture(page).waitFor();
          await page.getByRole('list', { name: 'Items' }).waitFor();
          await page.getByRole('list', { name: 'Genres' }).waitFor();
          assert.deepEqual(await violations(page), []);
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.equal(excess, 0);
          await page.getByRole('button', { name: 'Show as table' }).click();
          await page.getByRole('table', { name: 'Items' }).waitFor();
          assert.deepEqual(await violations(page), []);
          await page.getByRole('button', { name: 'Show as table' }).click();
          await page.goto(`${new URL(page.url()).origin}${LAST}&by=day`);
          await until('many bars', async () => (await picture(page).locator('title').count()) > 200);
          assert.deepEqual(await violations(page), []);
        },
        { width, theme },
      ));
});
