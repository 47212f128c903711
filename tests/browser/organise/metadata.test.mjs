/** Metadata of providers: headers and details of items, absent episodes, and the pages of people. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ACTOR, NARRATOR, RICH_ALBUM, RICH_FILM } from '../../../web/test/fake/titles/metadata.mjs';
import { SHOW } from '../../../web/test/fake/titles/shows.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withMetadata = (check, { path = `/items/${SHOW}`, ...settings } = {}) =>
  withFake(browser, { show: 7, metadata: true }, path, check, { width: 1440, ...settings });
const textOf = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();
const cast = (page) => page.getByRole('region', { name: 'Cast' });
const members = (page) => cast(page).getByRole('link');
const article = (page) => page.getByRole('article');

/** Opens the page of a person through the cast of the show. */
const withPerson = (name, check, settings) =>
  withMetadata(async (page, fake) => {
    await page.goto(`${fake.url}/people/${fake.state.metadata.idOf(name)}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await check(page, fake);
  }, settings);
const shelf = (page, name) => page.getByRole('region', { name, exact: true });

describe('the page of a show', { concurrency: false }, () => {
  it('has the number of known episodes, the age rating of the country and the network', () =>
    withMetadata(
      async (page) => {
        const facts = article(page).getByRole('list').first();
        await facts.getByText('22 von 24 Folgen').waitFor();
        assert.equal(await textOf(facts), '2023 3 Staffeln 22 von 24 Folgen Altersfreigabe: 12 Nordhavn TV');
        await page.getByText('Ausgestrahlt am 27. März 2024').waitFor();
        await page.getByText('Sender', { exact: true }).waitFor();
      },
      { locale: 'de-DE' },
    ));

  it('lists absent episodes with title and date in their place, without controls', () =>
    withMetadata(async (page) => {
      const rows = page.getByRole('list', { name: 'Episodes: Season 2' }).getByRole('listitem');
      await page.getByText('Low Water').waitFor();
      assert.equal(await rows.count(), 9);
      assert.equal(await textOf(rows.nth(3)), 'S2 E4 · Low Water Aired 27 Mar 2024 Not in your library');
      assert.equal(await textOf(rows.nth(8)), 'S2 E9 Aired 1 May 2024 Not in your library');
      for (const at of [3, 8]) assert.equal(await rows.nth(at).getByRole('link').count(), 0);
      assert.equal(
        await page.getByRole('list', { name: 'Episodes: Season 2' }).getByText('S2 E4').count(),
        1,
      );
    }));

  it('describes an episode by its summary of at most two lines, but does not name it so', () =>
    withMetadata(async (page) => {
      const link = page.getByRole('link', { name: /^S2 E6 Night Shift 10 Apr 2024 ?47 min$/ });
      await link.waitFor();
      const summary = link.getByText('Halvard keeps the light');
      const lines = await summary.evaluate(
        (node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight),
      );
      assert.equal(Math.round(lines), 2);
      const described = await link.getAttribute('aria-describedby');
      assert.equal(await summary.getAttribute('id'), described);
    }));

  it('keeps its gaps if the absent episodes do not load', () =>
    withFake(browser, { show: 7, metadata: true }, '/', async (page, fake) => {
      await page.route('**/absent-episodes', (route) => route.fulfill({ status: 500, json: {} }));
      await page.goto(`${fake.url}/items/${SHOW}`);
      await page.getByText('Not in your library').waitFor();
      await article(page).getByText('22 episodes').waitFor();
    }));
});

describe('the cast', { concurrency: false }, () => {
  it('has portraits, otherwise initials, and expands', () =>
    withMetadata(async (page) => {
      await members(page).first().waitFor();
      assert.equal(await members(page).count(), 4);
      assert.equal(await textOf(members(page).first()), 'Ida Brekkan Runa Holm');
      await until('the portrait', () =>
        members(page)
          .first()
          .locator('img')
          .evaluate((image) => image.naturalWidth > 0),
      );
      const all = cast(page).getByRole('button', { name: 'All 24' });
      assert.equal(await all.getAttribute('aria-expanded'), 'false');
      await all.focus();
      await page.keyboard.press('Enter');
      assert.equal(await members(page).count(), 24);
      assert.equal(await all.getAttribute('aria-expanded'), 'true');
      // The picture of the sixth is gone, and the seventh has none.
      const lost = members(page).nth(5);
      await lost.scrollIntoViewIfNeeded();
      await lost.getByText('ET', { exact: true }).waitFor();
      assert.equal(await textOf(members(page).nth(6)), 'B Björk');
      await page.keyboard.press('Enter');
      assert.equal(await members(page).count(), 4);
    }));

  it('leads to people by keyboard', () =>
    withMetadata(async (page, fake) => {
      await members(page).nth(1).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${fake.url}/people/${fake.state.metadata.idOf(NARRATOR)}`);
      await page.getByRole('heading', { level: 1, name: NARRATOR }).waitFor();
    }));

  it('scrolls on a phone, below the episodes', () =>
    withMetadata(
      async (page) => {
        await members(page).first().waitFor();
        const row = cast(page).getByRole('list');
        assert.ok(await row.evaluate((list) => list.scrollWidth > list.clientWidth + 500));
        await members(page).nth(12).focus();
        assert.ok((await row.evaluate((list) => list.scrollLeft)) > 300);
        const [episode, title] = [page.getByText('S2 E9'), cast(page).getByRole('heading', { name: 'Cast' })];
        assert.ok((await title.boundingBox()).y > (await episode.boundingBox()).y);
        await cast(page).getByRole('button', { name: 'All 24' }).tap();
        assert.equal(await members(page).count(), 24);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `the page is ${width} px wide`);
      },
      { width: 390, hasTouch: true },
    ));
});

describe('the details of an item', { concurrency: false }, () => {
  it('contain those of the provider, safe links and its name', () =>
    withMetadata(
      async (page) => {
        await page.getByText('Metadata: TMDB').waitFor();
        for (const text of ['Le Voyage dans la Lune', '1 September 1902', 'Early voyages', 'France'])
          await page.getByText(text, { exact: true }).waitFor();
        await page.getByText('The moon has a face').waitFor();
        const links = page.getByRole('list', { name: 'Links' }).getByRole('link');
        const found = await links.evaluateAll((all) =>
          all.map((one) => [one.textContent, one.href, one.rel]),
        );
        assert.deepEqual(found, [
          ['Trailer', 'https://www.youtube.com/watch?v=_FrdVdKlxUk', 'noopener noreferrer'],
          ['IMDb', 'https://www.imdb.com/title/tt0000417', 'noopener noreferrer'],
          ['TMDB', 'https://www.themoviedb.org/movie/775', 'noopener noreferrer'],
        ]);
        // The cast is not repeated among the people.
        assert.equal(await page.getByText('Insp. Dahl').count(), 1);
        assert.equal(await page.getByText('Director', { exact: true }).count(), 1);
      },
      { path: `/items/${RICH_FILM}` },
    ));

  it('contain the attribution that a provider requires', () =>
    withMetadata(async (page) => {
      const credit = page.getByRole('link', { name: 'Data from TVmaze, CC BY-SA 4.0' });
      assert.equal(await credit.getAttribute('href'), 'https://www.tvmaze.com/');
    }));

  it('draw a white logo in the colour of text on a light page only', async () => {
    for (const [theme, filter] of [
      ['light', /brightness\(0\)/],
      ['dark', /^none$/],
    ])
      await withMetadata(
        async (page) => {
          const logo = page.getByRole('img', { name: 'A Trip to the Moon' });
          await logo.waitFor();
          await until('the shade', () => logo.evaluate((image) => image.className.includes('light')));
          assert.match(await logo.evaluate((image) => getComputedStyle(image).filter), filter);
        },
        { path: `/items/${RICH_FILM}`, theme },
      );
  });

  it('keep the title as text if the logo does not load', () =>
    withFake(browser, { metadata: true }, '/', async (page, fake) => {
      await page.route('**/pictures/logo*', (route) => route.abort());
      await page.goto(`${fake.url}/items/${RICH_FILM}`);
      await page.getByText('Metadata: TMDB').waitFor();
      await page.getByRole('heading', { level: 1, name: 'A Trip to the Moon' }).waitFor();
      await until('the text', async () => (await page.locator('h1 img').count()) === 0);
    }));
});

describe('the page of a person', { concurrency: false }, () => {
  it('has roles, counts, safe links, and a shelf for each form with its roles', () =>
    withPerson(ACTOR, async (page) => {
      await page.getByText('Actor, translator, composer').waitFor();
      await page.getByText('3 videos, 1 book, 1 album').waitFor();
      await page.getByText('Born 3 May 1974').waitFor();
      const links = page.getByRole('list', { name: 'Links' }).getByRole('link');
      assert.deepEqual(await links.allInnerTexts(), ['Wikipedia (en)', 'IMDb', 'TMDB']);
      await shelf(page, 'Videos').getByText('Actor', { exact: true }).waitFor();
      await shelf(page, 'Books').getByText('Translator', { exact: true }).waitFor();
      await shelf(page, 'Videos')
        .getByRole('link', { name: /The Salt Line/ })
        .waitFor();
      assert.equal(await shelf(page, 'Videos').getByRole('link', { name: /^All/ }).count(), 0);
    }));

  it('shows the biography once the server has it: as plain text, cut after six lines', () =>
    withPerson(ACTOR, async (page) => {
      const text = page.getByText('Ida Brekkan is an actor');
      await text.waitFor();
      assert.match(await text.innerText(), /<b>She<\/b> joined/);
      await page.getByText('Birthplace: Port Aven', { exact: true }).waitFor();
      await page.getByRole('link', { name: /^This product uses the TMDB API/ }).waitFor();
      await page.getByText('Metadata: Wikidata').waitFor();
      const lines = () =>
        text.evaluate((node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight));
      const more = page.getByRole('button', { name: 'Show more' });
      // The label states the state. A second statement would contradict it.
      assert.equal(await more.getAttribute('aria-expanded'), null);
      assert.equal(Math.round(await lines()), 6);
      await more.focus();
      await page.keyboard.press('Enter');
      const less = page.getByRole('button', { name: 'Show less' });
      await less.waitFor();
      assert.ok((await lines()) > 8);
      await page.keyboard.press('Enter');
      await more.waitFor();
      assert.equal(Math.round(await lines()), 6);
      // A focused button stays where all lines fit.
      await text.evaluate((node) => (node.firstChild.data = 'Ida Brekkan is an actor.'));
      await page.setViewportSize({ width: 1200, height: 900 });
      await until('the short text', async () => (await lines()) < 2);
      await more
        .evaluate((button) => button.isConnected && button === document.activeElement)
        .then(assert.ok);
      await more.blur();
      await more.waitFor({ state: 'detached' });
    }));

  it('states that a request runs, and that no provider has answered', () =>
    withMetadata(async (page, fake) => {
      const path = `/people/${fake.state.metadata.idOf(ACTOR)}`;
      let requests = 0;
      await page.route(`**/api/v1${path}`, async (route) => {
        requests += 1;
        const response = await route.fetch();
        const json = { ...(await response.json()), biography: null, is_pending: true };
        await route.fulfill({ response, json });
      });
      await page.clock.install();
      await page.goto(`${fake.url}${path}`);
      const notice = (text) => page.getByRole('status').filter({ hasText: text });
      await notice('Requesting details from the providers').waitFor();
      for (const [at, wait] of [1_000, 2_000, 4_000, 8_000, 15_000].entries()) {
        const before = requests;
        await page.clock.runFor(wait);
        await until(`repetition ${at + 1}`, () => requests > before);
        await page.waitForLoadState('networkidle');
      }
      await notice('No provider has answered yet').waitFor();
      const last = requests;
      await page.clock.runFor(120_000);
      assert.equal(requests, last);
    }));

  it('is marked as a favourite', () =>
    withPerson(ACTOR, async (page, fake) => {
      const heart = page.getByRole('button', { name: 'Favourite' });
      await heart.click();
      await until('the mark', () => fake.state.metadata.favourites.size === 1);
      assert.equal(await heart.getAttribute('aria-pressed'), 'true');
      await page.route('**/favourite', (route) => route.fulfill({ status: 500, json: {} }));
      await heart.click();
      await page.getByRole('alert').waitFor();
      assert.equal(await heart.getAttribute('aria-pressed'), 'true');
    }));

  it('leads from a long shelf to the list of its form, and back to all', () =>
    withPerson(NARRATOR, async (page) => {
      const all = shelf(page, 'Books').getByRole('link', { name: 'All 29: Books' });
      await all.click();
      await page.waitForURL((url) => url.searchParams.get('kind') === 'books');
      const chip = (name) => page.getByRole('button', { name, exact: true });
      await chip('Books').waitFor();
      assert.equal(await chip('Books').getAttribute('aria-pressed'), 'true');
      await page.getByText('29', { exact: true }).waitFor();
      await chip('Videos').click();
      await page.getByText('2', { exact: true }).waitFor();
      await chip('All').click();
      await shelf(page, 'Books').waitFor();
    }));

  it('shows a list at once for one form, and is not found without items', () =>
    withFake(browser, {}, '/people/6', async (page, fake) => {
      await page.getByRole('heading', { level: 1, name: 'Herman Melville' }).waitFor();
      await page.goto(`${fake.url}/people/1`);
      await page.getByRole('heading', { level: 1, name: 'Jane Austen' }).waitFor();
      await page.locator('li[data-index="0"] a').waitFor();
      await page.goto(`${fake.url}/people/9999`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }));
});

describe('the pages with metadata', { concurrency: false }, () => {
  const pages = {
    show: [`/items/${SHOW}`, 'S2 E9'],
    film: [`/items/${RICH_FILM}`, 'Metadata: TMDB'],
    album: [`/items/${RICH_ALBUM}`, 'Metadata: MusicBrainz'],
  };
  const check = (width) => async (page) => {
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await violations(page), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} px wide`);
  };
  for (const width of [1440, 390])
    for (const theme of ['dark', 'light']) {
      for (const [name, [path, text]] of Object.entries(pages))
        it(`are accessible: ${name} at ${width} px, ${theme}`, () =>
          withMetadata(
            async (page) => {
              await page.getByText(text).first().waitFor();
              await check(width)(page);
            },
            { path, width, theme },
          ));
      it(`are accessible: person at ${width} px, ${theme}`, () =>
        withPerson(
          ACTOR,
          async (page) => {
            await shelf(page, 'Books').waitFor();
            await page.getByRole('button', { name: 'Show more' }).waitFor();
            await check(width)(page);
          },
          { width, theme },
        ));
    }
});
