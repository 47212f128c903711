/** The largest text size: no information is cut off. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
