/** Comics that cannot be shown: their file is gone, or they contain no page. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

/** Opens a comic whose list of pages and file are answered by these. */
const open = (pages, content, check) =>
  withFake(browser, {}, '/', async (page, fake) => {
    await page.route('**/api/v1/items/7*', async (route) => {
      const response = await route.fetch();
      const item = await response.json();
      const files = item.files.map((file) => ({ ...file, viewer: 'comic', unit: 'page' }));
      await route.fulfill({ response, json: { ...item, files } });
    });
    await page.route('**/files/700/pages', (route) => route.fulfill(pages));
    await page.route('**/files/700/content', (route) => route.fulfill(content));
    await page.goto(`${fake.url}/items/7/open/700`);
    await page.getByRole('alert').waitFor();
    await check(page);
  });
const buttons = (page) =>
  page
    .getByRole('alert')
    .locator('a, button')
    .evaluateAll((all) => all.map((one) => one.textContent.trim()));
const gone = { status: 404, json: { error: { code: 'not_found', message: 'The file does not exist.' } } };

describe('a comic', () => {
  it('whose file is deleted is not offered for download', () =>
    open(gone, gone, async (page) => {
      await page.getByText('The file is not where the last scan found it.').waitFor();
      assert.deepEqual(await buttons(page), ['Back']);
    }));

  it('without pages says so, and has no position', () =>
    open({ json: { items: [] } }, { status: 200, body: 'x' }, async (page) => {
      await page.getByText('It contains no pages.').waitFor();
      assert.deepEqual(await buttons(page), ['Download', 'Retry', 'Back']);
      assert.equal(await page.getByRole('slider').count(), 0);
      assert.equal(await page.getByText('Page 1 of 0').count(), 0);
    }));
});
