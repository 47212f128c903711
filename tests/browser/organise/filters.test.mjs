/** The filters of a list, and the rating, genres and tags of an item. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, settings) => withFake(browser, {}, path, check, { width: 1440, ...settings });
const opener = (page) => page.getByRole('button', { name: 'Filters', exact: true });
const open = async (page) => {
  await opener(page).click();
  await page.getByRole('group', { name: 'Genre' }).waitFor();
};
const total = (page, text) => page.locator('header p.num').getByText(text, { exact: true }).waitFor();
const parameter = (page, name) => new URL(page.url()).searchParams.get(name);

describe('the panel of filters', () => {
  it('combines genres, a language and a rating, and keeps them in the address', () =>
    withPage('/library/books', async (page) => {
      await total(page, '180');
      await open(page);
      await page.getByRole('checkbox', { name: /^Sea stories/ }).check();
      await total(page, '46');
      await page.getByRole('checkbox', { name: /^Satire/ }).check();
      assert.deepEqual(parameter(page, 'genre')?.split(',').sort(), ['3', '4']);
      await page
        .getByRole('group', { name: 'Language' })
        .getByRole('checkbox', { name: /^English/ })
        .check();
      await page.getByRole('radio', { name: '5 or more' }).check();
      const address = page.url();
      const shown = await page.locator('header p.num').textContent();
      await page.reload();
      await total(page, shown);
      assert.equal(page.url(), address);
      const chosen = page.getByRole('group', { name: 'Active filters' });
      await chosen.getByRole('button', { name: 'Remove filter: English' }).click();
      await until('the language to leave the address', () => parameter(page, 'language') === null);
      await chosen.getByRole('button', { name: 'Clear filters' }).click();
      await total(page, '180');
      assert.equal(new URL(page.url()).search, '');
    }));

  it('shows the decades as a range with two sliders', () =>
    withPage('/library/books', async (page) => {
      await open(page);
      const first = page.getByRole('slider', { name: 'Decade: from' });
      await first.focus();
      await page.keyboard.press('End');
      await until('the years', () => parameter(page, 'year_from') === '1900');
      assert.equal(parameter(page, 'year_to'), '1909');
      await page.getByRole('button', { name: 'Remove filter: 1900s' }).click();
      await until('no years', () => parameter(page, 'year_from') === null);
    }));

  it('is operated by keyboard and returns the focus', () =>
    withPage('/library/audio', async (page) => {
      await open(page);
      assert.equal(await opener(page).getAttribute('aria-expanded'), 'true');
      const albums = page.getByRole('group', { name: 'Type' }).getByRole('button', { name: /^Albums/ });
      await albums.focus();
      await page.keyboard.press('Space');
      await total(page, '2');
      assert.equal(await albums.getAttribute('aria-pressed'), 'true');
      await page.keyboard.press('Escape');
      await until('the focus', () => opener(page).evaluate((one) => one === document.activeElement));
    }));

  it('ignores unknown values in the address', () =>
    withPage('/library/books?genre=x,,4&subkind=opera&rating_min=99&decade=7', async (page) => {
      await total(page, '46');
      await page.getByRole('button', { name: 'Remove filter: Sea stories' }).click();
      await total(page, '180');
    }));

  it('offers to clear filters that match nothing', () =>
    withPage('/library/books?genre=4000', async (page) => {
      await page.getByText('No matches').waitFor();
      await page.getByRole('button', { name: 'Remove filter: Genre 4000' }).waitFor();
      await page.locator('.list').getByRole('button', { name: 'Clear filters' }).click();
      await total(page, '180');
    }));

  it('offers the rating of the address, too', () =>
    withPage('/library/books?rating_min=3', async (page) => {
      await open(page);
      const ratings = page.getByRole('group', { name: 'My rating' }).getByRole('radio');
      assert.equal(await ratings.and(page.locator(':checked')).getAttribute('value'), '3');
      const values = await ratings.evaluateAll((all) => all.map(({ value }) => value));
      assert.deepEqual(values, ['', '3', '5', '6', '7', '8', '9']);
    }));

  it('replaces the chips and counts above the list while it is next to it', () =>
    withPage('/library/audio', async (page) => {
      await open(page);
      const panel = await opener(page).getAttribute('aria-controls');
      assert.equal(await page.locator(`#${panel}`).count(), 1);
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.locator('main a[href="/library/video"]').evaluate((link) => link.click());
      await page.getByRole('heading', { name: 'Video', level: 1 }).waitFor();
      await page.getByRole('group', { name: 'Genre' }).waitFor();
      await page.getByRole('group', { name: 'Filters', exact: true }).waitFor({ state: 'detached' });
      assert.ok(asked.includes('/api/v1/items/facets'));
      assert.ok(!asked.includes('/api/v1/items/subkinds'));
      await page.setViewportSize({ width: 900, height: 800 });
      await page.getByRole('dialog').waitFor();
      await page.getByRole('group', { name: 'Filters', exact: true, includeHidden: true }).waitFor();
      const button = page.locator('button[aria-expanded]', { hasText: 'Filters' });
      assert.equal(await button.getAttribute('aria-controls'), null);
    }));

  it('says that numbers are estimates, and has targets of 44 pixels', () =>
    withFake(
      browser,
      { many: 2000 },
      '/library/books',
      async (page) => {
        await open(page);
        const estimate = page.getByRole('checkbox', { name: /^Satire about [\d,]+$/ });
        await estimate.waitFor();
        assert.deepEqual(await violations(page), []);
        const low = await page
          .locator('#filters :is(button, label)')
          .evaluateAll((all) =>
            all.map((one) => one.getBoundingClientRect().height).filter((one) => one < 44),
          );
        assert.deepEqual(low, []);
      },
      { width: 1440 },
    ));

  it('asks for facets only while it is open, and once per choice', () =>
    withPage('/library/books', async (page) => {
      const asked = [];
      page.on('request', (request) => {
        if (request.url().includes('/items/facets')) asked.push(request.url());
      });
      await total(page, '180');
      assert.deepEqual(asked, []);
      await open(page);
      assert.equal(asked.length, 1);
      await page.getByRole('checkbox', { name: /^Sea stories/ }).check();
      await page.getByRole('button', { name: 'Remove filter: Sea stories' }).waitFor();
      await total(page, '46');
      assert.equal(asked.length, 2);
    }));

  it('reports facets that do not load, and tries again', () =>
    withPage('/library/books', async (page) => {
      await total(page, '180');
      let fails = true;
      await page.route('**/items/facets*', (route) =>
        fails
          ? route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'x' } } })
          : route.fallback(),
      );
      await opener(page).click();
      const retry = page.locator('#filters').getByRole('button', { name: 'Retry' });
      await retry.waitFor();
      fails = false;
      await retry.click();
      await page.getByRole('group', { name: 'Genre' }).waitFor();
    }));

  for (const theme of ['dark', 'light'])
    for (const width of [1440, 390])
      it(`has no violations, ${theme}, ${width} px`, () =>
        withPage(
          '/library/books?genre=7&year_from=1850&year_to=1899',
          async (page) => {
            await page.getByText('Moby-Dick').first().waitFor();
            await open(page);
            assert.deepEqual(await violations(page), []);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
            if (width === 1440) return;
            await page
              .getByRole('dialog')
              .getByRole('button', { name: /^Show \d+ items$/ })
              .click();
            await page.getByRole('dialog').waitFor({ state: 'detached' });
          },
          { theme, width },
        ));
});

describe('an item', () => {
  it('is rated, and the rating is cleared', () =>
    withPage('/items/7', async (page) => {
      const eight = page.getByRole('button', { name: 'Rate 8 of 10' });
      await eight.click();
      assert.equal(await eight.getAttribute('aria-pressed'), 'true');
      await page.getByRole('button', { name: 'Clear rating' }).waitFor();
      await page.reload();
      await page.locator('[aria-pressed=true]').getByText('8', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Clear rating' }).click();
      await page.getByRole('button', { name: 'Clear rating' }).waitFor({ state: 'detached' });
    }));

  it('links its genres to the filtered list', () =>
    withPage('/items/6', async (page) => {
      await page
        .getByRole('region', { name: 'Rating, genres and tags' })
        .getByRole('link', { name: 'Travel' })
        .click();
      await page.getByRole('button', { name: 'Remove filter: Travel' }).waitFor();
      await total(page, '45');
    }));

  it('is tagged with suggestions, for oneself and for all, and untagged', () =>
    withPage('/items/7', async (page) => {
      await page.getByRole('button', { name: 'Add tags' }).click();
      const field = page.getByRole('combobox', { name: 'New tag' });
      await page.locator('datalist option[value="Winter evenings"]').waitFor({ state: 'attached' });
      await field.fill('Long walks');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove tag: Long walks' }).waitFor();
      await page.getByRole('checkbox', { name: 'For all users' }).check();
      await field.fill('Winter evenings');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove tag: Winter evenings' }).waitFor();
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(await page.locator('.tags li:not(:has(*))').count(), 0);
      await page.getByRole('button', { name: 'Remove tag: Long walks' }).click();
      await page.getByRole('button', { name: 'Remove tag: Long walks' }).waitFor({ state: 'detached' });
      const next = page.getByRole('button', { name: 'Remove tag: Winter evenings' });
      await until('the focus', () => next.evaluate((one) => one === document.activeElement));
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('link', { name: 'Shared: Winter evenings' }).click();
      await total(page, '1');
    }));

  it('gets genres and a language from an administrator', () =>
    withPage('/items/7', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      await page.getByRole('dialog').getByLabel('Genres').fill('Sea stories\nSatire');
      await page.getByRole('dialog').getByLabel('Language').fill('fr');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'French' }).waitFor();
      await page.getByRole('link', { name: 'Sea stories' }).waitFor();
    }));
});
