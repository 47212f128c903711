/** The largest text size: no information is cut off. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { faultsAt } from './layout.mjs';
import { launchBrowser, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

describe('the rail with the largest text size', () => {
  it('shows complete names and counts', () =>
    withFake(
      browser,
      {},
      '/settings/device',
      async (page) => {
        const rail = page.getByRole('navigation', { name: 'Main' });
        await rail.getByRole('link', { name: /Herbarium/ }).waitFor();
        await page.getByRole('slider', { name: 'Text size' }).press('End');
        const cut = await rail.evaluate((nav) => {
          const edge = nav.getBoundingClientRect().right;
          const entries = [...nav.querySelectorAll('a')];
          for (const count of nav.querySelectorAll('small')) count.textContent = '10,000';
          return {
            counted: nav.querySelectorAll('small').length,
            wide: entries
              .filter((entry) => entry.scrollWidth > entry.clientWidth)
              .map((one) => one.innerText),
            beyond: [...nav.querySelectorAll('small')].filter(
              (count) => count.getBoundingClientRect().right > edge,
            ).length,
          };
        });
        assert.equal(
          await page.evaluate(() =>
            getComputedStyle(document.documentElement).getPropertyValue('--text-scale'),
          ),
          '1.5',
        );
        assert.deepEqual(cut, { counted: 5, wide: [], beyond: 0 });
      },
      { width: 1440 },
    ));
});

describe('a phone with the largest text size', () => {
  const GENRE = 'Historischer-Gesellschaftsroman-ueber-Schifffahrt-und-Walfang-im-Atlantik';
  const largest = (path, check, world = {}) =>
    withFake(
      browser,
      world,
      '/blank',
      async (page, fake) => {
        await page.evaluate(() => localStorage.setItem('ledge.text', '1.5'));
        await page.route('**/api/v1/items/7*', async (route) => {
          const response = await route.fetch();
          const item = await response.json();
          await route.fulfill({ response, json: { ...item, genres: [GENRE], genre_ids: [1] } });
        });
        await page.goto(fake.url + path);
        await check(page);
        assert.deepEqual(await faultsAt(page, [390], 844), []);
      },
      { width: 390, locale: 'de-DE' },
    );

  it('wraps a long genre on the page of an item', () =>
    largest('/items/7', (page) => page.getByRole('link', { name: GENRE }).waitFor()));

  it('shows the choice above the conditions of a rule without overlaps', () =>
    largest('/collections/new', (page) => page.getByText('dieser Bedingungen').waitFor(), {
      collections: 1,
    }));

  it('shows the state of a finished item inside its row', () =>
    largest('/history', async (page) => {
      const state = page.locator('.place', { hasText: 'Beendet' }).first();
      await state.waitFor();
      const [text, row] = await state.evaluate((place) => {
        const range = document.createRange();
        range.selectNodeContents(place);
        return [range, place.closest('a')].map((one) => one.getBoundingClientRect().right);
      });
      assert.ok(text <= row, `${text} is beyond ${row}`);
    }));
});
