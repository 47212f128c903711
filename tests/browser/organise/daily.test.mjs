/** Shows with episodes by date and with several versions of an episode, on their page and in the player. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAILY } from '../../../web/test/fake/titles/daily.mjs';
import { launchBrowser, violations, withFake } from '../harness.mjs';
import { running } from '../viewers/video/film-page.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const FIRST = DAILY * 100;
const withDaily = (check, { path = `/items/${DAILY}`, ...settings } = {}) =>
  withFake(browser, { daily: true }, path, check, { width: 1440, ...settings });
const textOf = async (locator) =>
  (await locator.innerText()).replace(/\s+/g, ' ').replace(/ ?· ?/, ' · ').trim();
const textsOf = async (locators) => Promise.all((await locators.all()).map(textOf));
const chips = (page, name = 'Seasons') => page.getByRole('group', { name }).getByRole('button');
const rows = (page, name) => page.getByRole('list', { name }).getByRole('listitem');
const inSeason = (season) => ({ path: `/items/${DAILY}?season=${season}` });
const played = (n, more) => ({ path: `/items/${DAILY}/open/${FIRST + n}?at=0`, ...more });
const subtitle = (page) => page.locator('.stage header span');

describe('episodes by date', { concurrency: false }, () => {
  it('are named by their dates, without gaps, in a season without separators', () =>
    withDaily(async (page) => {
      const list = rows(page, 'Episodes: Season 2023');
      await list.first().waitFor();
      const names = await textsOf(list.locator('b'));
      assert.deepEqual(names, ['5 January 2023', '7 January 2023 · Fog Over the Pier', '30 December 2023']);
      assert.equal(await page.getByText('Not in your library').count(), 0);
      await page.getByRole('button', { name: 'Mark watched: 5 January 2023' }).click();
      await page.getByRole('button', { name: 'Continue 7 Jan 2023' }).waitFor();
      assert.deepEqual(await violations(page), []);
    }, inSeason(2023)));

  it('have short dates in a narrow window', () =>
    withDaily(
      async (page) => {
        const list = rows(page, 'Episodes: Season 2023');
        await list.first().waitFor();
        assert.equal(await textOf(list.first().locator('b')), '5 Jan 2023');
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `the page is ${width} px wide`);
      },
      { ...inSeason(2023), width: 390 },
    ));

  it('have German dates', () =>
    withDaily(
      async (page) => {
        const list = rows(page, 'Folgen: Staffel 2023');
        await list.first().waitFor();
        assert.equal(await textOf(list.first().locator('b')), '5. Januar 2023');
      },
      { ...inSeason(2023), locale: 'de-DE' },
    ));

  it('continue by date on the home page, and have their date in the player', () =>
    withDaily(async (page, fake) => {
      await running(page);
      assert.equal(await textOf(subtitle(page)), '5 January 2023');
      const body = { file_id: FIRST + 4, position: 4 };
      await page.request.put(`${fake.url}/api/v1/items/${DAILY}/progress`, { data: body });
      await page.goto(fake.url);
      await page.getByText('5 Jan 2023 · 8 s left').first().waitFor();
    }, played(4)));
});

describe('versions of an episode', { concurrency: false }, () => {
  it('count once in the header and in the seasons, as a file of several episodes counts each', () =>
    withDaily(async (page) => {
      await chips(page).first().waitFor();
      assert.deepEqual(await textsOf(chips(page)), ['Season 1 0 of 4', 'Season 2023 0 of 3']);
      await page.getByText('7 episodes', { exact: true }).waitFor();
      assert.deepEqual(await textsOf(rows(page, 'Episodes: Season 1').locator('b')), [
        ...['S1 E1', 'S1 E2–3', 'S1 E4 · The Harbour Master'],
      ]);
    }));

  it('are in the menu of the episode', () =>
    withDaily(async (page) => {
      await page.getByRole('button', { name: 'More for S1 E1' }).click();
      assert.equal(await page.getByRole('menuitem', { name: /^Play / }).count(), 1);
      await page.getByRole('menuitem', { name: 'Play Harbour Report S01E01.1080p.webm' }).click();
      await page.waitForURL((url) => url.pathname === `/items/${DAILY}/open/${FIRST + 1}`);
      await running(page);
    }));

  for (const version of [0, 1])
    it(`lead to the next episode, from version ${version + 1}`, () =>
      withDaily(async (page, fake) => {
        await running(page);
        assert.equal(await textOf(subtitle(page)), 'S1 E1');
        await page.keyboard.press('End');
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('Up next', { exact: true }).waitFor();
        assert.equal(await textOf(page.locator('.next .title')), 'S1 E2–3');
        await page.goto(`${fake.url}/items/${DAILY}`);
        await page.getByRole('button', { name: 'Continue S1 E2' }).waitFor();
        await page.goto(`${fake.url}/items/${DAILY}/open/${FIRST + 3}?at=0`);
        await running(page);
        assert.equal(await textOf(subtitle(page)), 'S1 E4 · The Harbour Master');
      }, played(version)));
});
