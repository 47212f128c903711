/** The page of jobs with keyboard and screen reader. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const focused = (page) =>
  page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ').trim() ?? '');

describe('a failed job', () => {
  const again = (page) => page.getByRole('button', { name: 'Retry job 7: Metadata: Shared house' });

  it('is retried by its labelled button, and the focus stays in its row', () =>
    withFake(browser, {}, '/settings/jobs', async (page) => {
      await again(page).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Metadata: Shared house is queued again.').waitFor();
      await again(page).waitFor({ state: 'detached' });
      await until('the keyboard', async () => /^Metadata: Shared house Queued/.test(await focused(page)));
      assert.deepEqual(await violations(page), []);
    }));

  it('is retried once by two presses, and the focus waits for the updated list', () =>
    withFake(browser, {}, '/settings/jobs', async (page) => {
      let presses = 0;
      const looks = [];
      await page.route('**/jobs/7/retry', (route) => {
        presses += 1;
        return route.continue();
      });
      await again(page).focus();
      await page.route(/\/api\/v1\/jobs\?/, (route) => looks.push(route));
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await until('a look', () => looks.length > 0);
      await page.evaluate(() => document.querySelector('button[aria-label="Refresh"]').click());
      await until('another look', () => looks.length > 1);
      for (const look of looks) await look.continue().catch(() => {}); // the first was aborted
      await again(page).waitFor({ state: 'detached' });
      await until('the keyboard', async () => /^Metadata: Shared house Queued/.test(await focused(page)));
      assert.equal(presses, 1);
    }));

  it('returns the focus to the page if only failed jobs are shown', () =>
    withFake(browser, {}, '/settings/jobs', async (page) => {
      await page.getByRole('button', { name: 'Failed' }).click();
      await again(page).focus();
      await page.keyboard.press('Enter');
      await page.getByText('No jobs').waitFor();
      await until('the keyboard', async () => (await focused(page)) === 'Jobs');
    }));
});
