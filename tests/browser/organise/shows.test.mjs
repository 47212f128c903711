/** Shows by season, series with gaps, the shelf of next items, and archives. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SHOW } from '../../../web/test/fake/titles/shows.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const FIRST = SHOW * 1000;
const withShow = (check, { world = {}, path = `/items/${SHOW}`, ...settings } = {}) =>
  withFake(browser, { show: 7, ...world }, path, check, { width: 1440, ...settings });
const chips = (page) => page.getByRole('group', { name: 'Seasons' }).getByRole('button');
const list = (page, season) => page.getByRole('list', { name: `Episodes: ${season}` });
const rows = (page, season = 'Season 2') => list(page, season).getByRole('listitem');
const textOf = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();
const notice = (page) => page.getByRole('status').filter({ hasText: /marked|Undone/ });

describe('a show', { concurrency: false }, () => {
  it('shows the season of the next episode, with counts, episodes and gaps', () =>
    withShow(async (page) => {
      await chips(page).first().waitFor();
      const names = [];
      for (const chip of await chips(page).all()) names.push(await textOf(chip));
      assert.deepEqual(names, ['Season 1 Watched', 'Season 2 2 of 7', 'Season 3 0 of 7', 'Specials 3']);
      assert.equal(await chips(page).nth(1).getAttribute('aria-pressed'), 'true');
      await rows(page).first().waitFor();
      assert.equal(await rows(page).count(), 8);
      assert.equal(await textOf(rows(page).nth(3)), 'S2 E4 Not in your library');
      assert.equal(await rows(page).nth(3).getByRole('button').count(), 0);
      const next = rows(page).nth(2);
      assert.equal(await next.getAttribute('aria-current'), 'true');
      assert.match(await textOf(next), /S2 E3 ?· ?The Ferry Nobody Took 20 Mar 2024 51 min 12 min left/);
      await page.getByRole('button', { name: 'Continue S2 E3 · 12 min left' }).waitFor();
      await page.getByRole('img', { name: 'The Salt Line' }).waitFor();
    }));

  it('shows the poster of the chosen season, if it has one', () =>
    withShow(async (page) => {
      const poster = page.getByRole('img', { name: /^Poster: / });
      await rows(page).first().waitFor();
      assert.equal(await poster.getAttribute('alt'), 'Poster: Season 2');
      await page.getByRole('heading', { name: 'Season 2' }).waitFor();
      await page.getByText(/^7 episodes · \d/).waitFor();
      await chips(page).first().click();
      await page.getByRole('img', { name: 'Poster: Season 1' }).waitFor();
      await chips(page).nth(2).click();
      await rows(page, 'Season 3').first().waitFor();
      assert.equal(await poster.count(), 0);
    }));

  it('plays the next episode from its button, and another from its row', () =>
    withShow(async (page, fake) => {
      await page.getByRole('button', { name: 'Continue S2 E3 · 12 min left' }).click();
      await page.waitForURL(`${fake.url}/items/${SHOW}/open/${FIRST + 10}`);
      await page.goBack();
      await rows(page).first().waitFor();
      await page.getByRole('link', { name: /S2 E5/ }).click();
      await page.waitForURL(`${fake.url}/items/${SHOW}/open/${FIRST + 11}`);
    }));

  it('keeps the chosen season in the address, and skips a missing file', () =>
    withShow(async (page) => {
      await chips(page).nth(2).click();
      await page.waitForURL((url) => url.searchParams.get('season') === '3');
      await rows(page, 'Season 3').first().waitFor();
      await page.reload();
      const gone = rows(page, 'Season 3').nth(4);
      await gone.getByText('The last scan did not find the file').waitFor();
      assert.equal(await gone.getByRole('link').count(), 0);
      // An episode without a title has its number only.
      await page.getByRole('link', { name: /^S3 E7/ }).waitFor();
      await rows(page, 'Season 3').nth(3).getByText('Does not play: VVC').waitFor();
    }));

  it('marks an episode, a season, and all up to one, and undoes each', () =>
    withShow(async (page, fake) => {
      const { marks } = fake.state.shows;
      const row = rows(page).nth(4);
      await row.getByRole('button', { name: 'Mark watched: S2 E5' }).click();
      await notice(page).getByText('1 episode marked as watched.').waitFor();
      await row.getByRole('button', { name: 'Mark unwatched: S2 E5' }).waitFor();
      await page.getByRole('button', { name: 'Season 2 3 of 7' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await notice(page).getByText('Undone.').waitFor();
      await page.getByRole('button', { name: 'Season 2 2 of 7' }).waitFor();

      await page.getByRole('button', { name: 'Mark season watched' }).click();
      await page.getByRole('button', { name: 'Season 2 Watched' }).waitFor();
      await page.getByRole('button', { name: /^Continue S3 E1/ }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      // The position in the started episode is restored, too.
      await page.getByRole('button', { name: 'Continue S2 E3 · 12 min left' }).waitFor();
      await page.getByRole('button', { name: 'Season 2 2 of 7' }).waitFor();

      await rows(page).nth(5).hover();
      await rows(page)
        .nth(5)
        .getByRole('button', { name: /up to here: S2 E6/ })
        .click();
      await notice(page).getByText('3 episodes marked as watched.').waitFor();
      await page.getByRole('button', { name: 'Season 2 5 of 7' }).waitFor();
      await page.getByRole('button', { name: /^Continue S2 E7/ }).waitFor();
      assert.deepEqual(marks.slice(0, 3), [
        { id: SHOW, files: [FIRST + 11], finished: true },
        { id: SHOW, files: [FIRST + 11], finished: false },
        { id: SHOW, season: 2, finished: true },
      ]);
      assert.deepEqual(marks.at(-1), { id: SHOW, until: FIRST + 12, finished: true });
    }));

  it('is used by keyboard', () =>
    withShow(async (page) => {
      await chips(page).nth(1).focus();
      await page.keyboard.press('ArrowLeft');
      await rows(page, 'Season 1').first().waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.dataset.season), '1');
      await page.keyboard.press('ArrowRight');
      await rows(page).first().waitFor();
      await page.getByRole('link', { name: /S2 E2/ }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      // The gap has no control.
      assert.match(await page.evaluate(() => document.activeElement?.textContent), /S2 E5/);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Mark unwatched: S2 E5' }).waitFor();
      await page.keyboard.press('ArrowDown');
      const name = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      assert.equal(await name(), 'Mark watched: S2 E6, Night Shift');
      await page.keyboard.press('Tab');
      assert.equal(await name(), 'Mark up to here: S2 E6, Night Shift');
      await page.keyboard.press('ArrowUp');
      assert.match((await name()) ?? '', /up to here: S2 E5/);
    }));

  it('is used by touch: the sheet of an episode holds the other actions', () =>
    withShow(
      async (page) => {
        const row = rows(page).nth(5);
        await row.getByRole('button', { name: 'More for S2 E6, Night Shift' }).tap();
        await page.getByRole('menuitem', { name: 'Mark up to here' }).tap();
        await page.getByText('3 episodes marked as watched.').waitFor();
        await page.getByRole('button', { name: 'Season 2 5 of 7' }).waitFor();
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `the page is ${width} px wide`);
        await page.getByRole('button', { name: 'Mark season watched' }).tap();
        await page.getByRole('button', { name: 'Season 2 Watched' }).waitFor();
      },
      { width: 390, hasTouch: true },
    ));

  it('offers a retry in place for a season that failed to load', () =>
    withShow(async (page) => {
      await rows(page).first().waitFor();
      await page.route('**/episodes?season=3**', (route) => route.fulfill({ status: 500, json: {} }));
      await chips(page).nth(2).click();
      await page.getByRole('alert').getByRole('button', { name: 'Retry' }).waitFor();
      assert.equal(await chips(page).count(), 4);
      await page.unroute('**/episodes?season=3**');
      await page.getByRole('button', { name: 'Retry' }).click();
      await rows(page, 'Season 3').first().waitFor();
    }));

  it('shows a failed mark', () =>
    withShow(async (page) => {
      await page.route('**/mark', (route) => route.fulfill({ status: 500, json: {} }));
      await rows(page)
        .nth(4)
        .getByRole('button', { name: /^Mark watched: S2 E5/ })
        .click();
      await page.getByRole('alert').locator('.notice').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    }));

  it('keeps its files if the server knows no seasons', () =>
    withFake(browser, {}, '/items/196', async (page) => {
      await page.route('**/seasons', (route) =>
        route.fulfill({ status: 404, json: { error: { code: 'not_found', message: 'None.' } } }),
      );
      await page.reload();
      await page.getByRole('heading', { name: 'Episodes' }).waitFor();
      await page.getByRole('button', { name: 'The Engine', exact: true }).waitFor();
    }));

  it('stays fast with hundreds of episodes', () =>
    withShow(
      async (page) => {
        await rows(page, 'Season 3').first().waitFor();
        await until('all episodes', async () => (await rows(page, 'Season 3').count()) === 900);
        const longest = await page.evaluate(async () => {
          let most = 0;
          let last = performance.now();
          for (let frame = 0; frame < 30; frame += 1) {
            scrollBy(0, 900);
            await new Promise((next) => requestAnimationFrame(next));
            const now = performance.now();
            most = Math.max(most, now - last);
            last = now;
          }
          return most;
        });
        assert.ok(longest < 1000, `a frame took ${Math.round(longest)} ms`);
      },
      { world: { show: 900 }, path: `/items/${SHOW}?season=3` },
    ));
});

describe('a series', { concurrency: false }, () => {
  const withSeries = (check, settings) => withFake(browser, {}, '/series/2', check, settings);
  const cards = (page) => page.getByRole('list', { name: 'Items by number' }).getByRole('listitem');

  it('lists its items by number, with a frame for each gap', () =>
    withSeries(async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Dracula' }).waitFor();
      await page.getByText('2 not in your library').waitFor();
      assert.equal(await cards(page).count(), 8);
      assert.match(await textOf(cards(page).nth(2)), /Number 3 Not in your library$/);
      assert.match(await textOf(cards(page).nth(5)), /Number 6 Not in your library$/);
      assert.match(await textOf(cards(page).nth(3)), /volume 3 Number 4/);
      assert.equal(await cards(page).nth(2).getByRole('link').count(), 0);
      assert.equal(await cards(page).first().getAttribute('aria-current'), 'true');
    }));

  it('continues with the started item', () =>
    withSeries(async (page, fake) => {
      await page.getByRole('link', { name: 'Continue Dracula' }).click();
      await page.waitForURL(`${fake.url}/items/2/open/200`);
    }));

  it('starts with the first item, and continues with the one after a finished one', () =>
    withFake(browser, { show: 7 }, '/series/1', async (page) => {
      await page.getByRole('link', { name: 'Next: Emma, volume 2' }).waitFor();
      await page.goto(page.url().replace('/series/1', '/series/3'));
      await page.getByRole('link', { name: /^Continue Moby-Dick/ }).waitFor();
    }));

  it('is not found if nothing of it is visible', () =>
    withFake(browser, {}, '/series/99', (page) =>
      page.getByRole('heading', { name: 'Page not found' }).waitFor(),
    ));
});

describe('the home page', () => {
  it('has a shelf of the next items of series', () =>
    withShow(
      async (page) => {
        const shelf = page.getByRole('region', { name: 'Up next' });
        await shelf.getByRole('link', { name: /Emma, volume 2 Emma/ }).waitFor();
      },
      { path: '/' },
    ));

  it('has no such shelf if there are none', () =>
    withFake(browser, {}, '/', async (page) => {
      await page.getByRole('region', { name: 'Explore' }).waitFor();
      assert.equal(await page.getByRole('region', { name: 'Up next' }).count(), 0);
    }));
});

describe('an archive', { concurrency: false }, () => {
  const taken = async (page, act) => {
    const [download] = await Promise.all([page.waitForEvent('download'), act()]);
    return new URL(download.url()).pathname;
  };

  it('contains all files of an item', () =>
    withShow(async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Download', exact: true }).click();
      const all = page.getByRole('dialog').getByRole('link', { name: /^Download all/ });
      assert.equal(await taken(page, () => all.click()), `/api/v1/items/${SHOW}/archive`);
    }));

  it('contains all files of a playlist', () =>
    withFake(browser, { playlists: 20 }, '/playlists/1', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      const all = page.getByRole('menuitem', { name: 'Download all' });
      assert.equal(await taken(page, () => all.click()), '/api/v1/playlists/1/archive');
    }));

  it('is not offered for an empty playlist', () =>
    withFake(browser, { playlists: 20 }, '/playlists/3', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Download as .m3u8' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Download all' }).count(), 0);
    }));
});

describe('the new pages', { concurrency: false }, () => {
  for (const [path, heading] of [
    [`/items/${SHOW}`, 'S2 E5'],
    [`/items/${SHOW}?season=3`, 'S3 E2'],
    ['/series/2', 'Number 6'],
  ]) {
    for (const width of [1440, 390])
      for (const theme of ['dark', 'light'])
        it(`are accessible: ${path} at ${width} px, ${theme}`, () =>
          withShow(
            async (page) => {
              await page.getByText(heading).first().waitFor();
              await page.waitForLoadState('networkidle');
              assert.deepEqual(await violations(page), []);
              const wide = await page.evaluate(() => document.documentElement.scrollWidth);
              assert.ok(wide <= width, `the page is ${wide} px wide`);
            },
            { path, width, theme },
          ));
  }

  it('are translated to German', () =>
    withShow(
      async (page) => {
        await page.getByRole('group', { name: 'Staffeln' }).getByText('Sonderfolgen').waitFor();
        await page.getByRole('button', { name: 'Staffel als gesehen markieren' }).waitFor();
        await page.getByText('Nicht in deiner Bibliothek').waitFor();
        await page.goto(page.url().replace(`/items/${SHOW}`, '/series/2'));
        await page.getByRole('link', { name: 'Weiter mit Dracula' }).waitFor();
      },
      { locale: 'de-DE' },
    ));
});
