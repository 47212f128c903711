/** The year of a user: totals, calendar, kinds, authors, hours, genres and finished items. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keysWork, launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const year = new Date().getUTCFullYear();
/** A year that is over. */
const last = year - 1;
const withPage = (check, { path = `/history/year?year=${last}`, options = {}, ...settings } = {}) =>
  withFake(browser, options, path, check, { width: 1440, timezoneId: 'UTC', ...settings });
const calendar = (page) => page.getByRole('grid', { name: /January to June/ });
const focusedDay = (page) => page.evaluate(() => document.activeElement?.getAttribute('data-date'));

describe('the year', () => {
  it('has its totals, with the dates of the streak', () =>
    withPage(async (page) => {
      const totals = page.getByRole('region', { name: 'Totals' });
      await totals.waitFor();
      const texts = await totals.locator('dd').allTextContents();
      assert.match(texts[0] ?? '', /\d+\s*h/);
      assert.match(await totals.textContent(), /longest streak, \d+ July to \d+ August/);
    }));

  const levelsOf = (page) =>
    page
      .getByRole('gridcell')
      .evaluateAll((days) => days.map((day) => /\bl[0-4n]\b/.exec(day.className.baseVal)?.[0]));

  it('has a day for each day, in five levels', () =>
    withPage(async (page) => {
      await calendar(page).waitFor();
      const levels = await levelsOf(page);
      assert.equal(levels.length, (Date.UTC(year, 0, 1) - Date.UTC(last, 0, 1)) / 86_400_000);
      for (const level of ['l0', 'l1', 'l2', 'l3', 'l4']) assert.ok(levels.includes(level), level);
    }));

  it('has outlines in the future', () =>
    withPage(
      async (page) => {
        await calendar(page).waitFor();
        const today = new Date().toISOString().slice(0, 10);
        const future = (Date.UTC(year + 1, 0, 1) - Date.parse(today)) / 86_400_000 - 1;
        assert.equal((await levelsOf(page)).filter((level) => level === 'ln').length, future);
      },
      { path: '/history/year' },
    ));

  it('moves from day to day by arrow keys, across both halves, and names each day', () =>
    withPage(async (page) => {
      await calendar(page).waitFor();
      await keysWork(page);
      await page.locator(`[data-date="${last}-03-04"]`).focus();
      const steps = [
        ['ArrowRight', `${last}-03-11`],
        ['ArrowDown', `${last}-03-12`],
        ['ArrowUp', `${last}-03-11`],
        ['ArrowLeft', `${last}-03-04`],
        ['Home', `${last}-01-01`],
        ['ArrowLeft', `${last}-01-01`],
        ['End', `${last}-12-31`],
      ];
      for (const [key, day] of steps) {
        await page.keyboard.press(key);
        assert.equal(await focusedDay(page), day, key);
      }
      await page.locator(`[data-date="${last}-06-28"]`).focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await focusedDay(page), `${last}-07-05`);
      const label = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      assert.match(label, /\b5 July: /);
      await page.getByText(label, { exact: true }).waitFor();
      await page.getByRole('button', { name: `Show ${year}` }).focus();
      await page.getByText(/^Most on .+: .+/).waitFor();
    }));

  it('is left by Tab: each half has one stop', () =>
    withPage(async (page) => {
      await calendar(page).waitFor();
      await page.getByRole('link', { name: 'Save picture' }).focus();
      const stops = [];
      for (let press = 0; press < 3; press += 1) {
        await page.keyboard.press('Tab');
        stops.push(await focusedDay(page));
      }
      assert.match(stops[0] ?? '', new RegExp(`^${last}-0[1-6]-`));
      assert.match(stops[1] ?? '', new RegExp(`^${last}-`));
      assert.equal(stops[2], null);
    }));

  it('changes to other years, but not to a future one', () =>
    withPage(async (page) => {
      await page.getByRole('button', { name: `Show ${year}` }).click();
      await page.locator(`[data-date="${year}-12-31"]`).waitFor();
      assert.equal(new URL(page.url()).search, '');
      assert.equal(await page.getByRole('button', { name: `Show ${year + 1}` }).isDisabled(), true);
      for (const earlier of [last, year - 2, year - 3])
        await page.getByRole('button', { name: `Show ${earlier}` }).click();
      await page.getByRole('heading', { name: `Nothing in ${year - 3}` }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('year'), String(year - 3));
    }));

  it('shows kinds, authors with their items, hours and genres, and all of them as tables', () =>
    withPage(async (page) => {
      const authors = page.getByRole('list', { name: 'Top authors and artists' });
      await authors.waitFor();
      assert.equal(await authors.getByRole('listitem').count(), 5);
      assert.match(await authors.getByRole('listitem').first().textContent(), /\d items?/);
      const all = page.getByRole('region', { name: 'Top authors and artists' });
      await all.getByRole('button', { name: 'Show all' }).click();
      assert.equal(await authors.getByRole('listitem').count(), 10);
      await page.getByRole('list', { name: 'Time by kind' }).getByText('Books').waitFor();
      await page.getByRole('img', { name: /^Hours of the day\. Most: \d\d:00, / }).waitFor();
      assert.equal(await page.getByRole('table', { name: 'Hours of the day' }).getByRole('row').count(), 25);
      await page.getByRole('button', { name: 'Show as table' }).click();
      for (const name of [
        'Calendar',
        'Time by kind',
        'Top authors and artists',
        'Hours of the day',
        'Genres',
      ])
        await page.getByRole('table', { name }).waitFor();
      assert.equal(await page.getByRole('grid').count(), 0);
    }));

  it('shows finished items on a shelf, and all of them on request', () =>
    withPage(async (page) => {
      const shelf = page.getByRole('region', { name: 'Finished' });
      await shelf.getByRole('link').first().waitFor();
      assert.ok((await shelf.locator('a[href^="/items/"]').count()) > 3);
      await shelf.getByRole('link').first().click();
      await page.waitForURL('**/items/*');
    }));

  it('is saved as a picture', () =>
    withPage(async (page) => {
      const link = page.getByRole('link', { name: 'Save picture' });
      assert.equal(await link.getAttribute('href'), `/api/v1/stats/year/${last}.svg?tz=UTC`);
      const started = page.waitForEvent('download');
      await link.click();
      assert.equal((await started).suggestedFilename(), `ledge-${last}.svg`);
    }));

  it('explains that statistics are off', () =>
    withPage((page) => page.getByText('Statistics are off.').waitFor(), { options: { statistics: 'off' } }));
});

describe('the year on a phone', () => {
  it('has two calendars below each other, and its actions in a menu', () =>
    withPage(
      async (page) => {
        const first = await calendar(page).boundingBox();
        const second = await page.getByRole('grid', { name: /July to December/ }).boundingBox();
        assert.ok(second.y > first.y + first.height);
        await page.getByRole('button', { name: 'More actions' }).click();
        const started = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: 'Save picture' }).click();
        await started;
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Show as table' }).click();
        await page.getByRole('table', { name: 'Calendar' }).waitFor();
      },
      { width: 390 },
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
          await calendar(page).waitFor();
          await until('the finished items', () => page.getByRole('region', { name: 'Finished' }).isVisible());
          assert.deepEqual(await violations(page), []);
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.equal(excess, 0);
        },
        { width, theme },
      ));
});
