/** The orders of a list: those of the kind, with their usual direction, in the address. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check) => withFake(browser, {}, path, check, { width: 1440 });
const menu = (page) => page.getByRole('combobox', { name: 'Sort by' });
const options = (page) =>
  menu(page)
    .locator('option')
    .evaluateAll((all) => all.map((one) => one.value));
/** Waits until the page shows the films by size in this order, as the server lists them. */
async function shown(page, order) {
  const expected = await page.evaluate(async (order) => {
    const response = await fetch(`/api/v1/items?kind=video&sort=size&order=${order}&limit=100`);
    return (await response.json()).items.map((item) => String(item.id));
  }, order);
  assert.ok(expected.length > 1, `${expected}`);
  await until(`the list in the order ${order}`, async () => {
    const covers = page.locator('[data-cover]');
    const ids = await covers.evaluateAll((all) => all.map((one) => one.dataset.cover));
    return ids.length > 1 && ids.every((id, n) => id === expected[n]);
  });
}

describe('the orders of a list', () => {
  it('include pages of books and the duration of films', async () => {
    await withPage('/library/books', async (page) => {
      await menu(page).waitFor();
      const ids = await options(page);
      assert.ok(ids.includes('pages') && !ids.includes('duration'), `${ids}`);
    });
    await withPage('/library/video', async (page) => {
      await menu(page).waitFor();
      const ids = await options(page);
      assert.ok(ids.includes('duration') && !ids.includes('pages'), `${ids}`);
    });
  });

  it('begin with the largest item, and can be reversed', () =>
    withPage('/library/video', async (page) => {
      await menu(page).selectOption({ label: 'Size' });
      await until('the order in the address', () => new URL(page.url()).searchParams.get('sort') === 'size');
      await page.getByRole('button', { name: 'Descending. Change to ascending' }).waitFor();
      await shown(page, 'desc');
      await page.getByRole('button', { name: 'Descending. Change to ascending' }).click();
      await shown(page, 'asc');
    }));
});
