/** The cover of an item: chosen, uploaded, pasted, and automatic again. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser, violations, withFake } from '../harness.mjs';

const ICON = fileURLToPath(new URL('../../../web/public/icon-192.png', import.meta.url));

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withItem = (check, settings = {}, world = {}) =>
  withFake(browser, world, '/items/1', check, { width: 1440, ...settings });
const menu = (page) => page.getByRole('button', { name: 'More actions', exact: true });
const open = async (page) => {
  await menu(page).click();
  await page.getByRole('menuitem', { name: 'Change cover' }).click();
  await pictures(page).first().waitFor();
};
const pictures = (page) => page.getByRole('list', { name: 'Pictures' }).getByRole('button');
const chosen = async (page) => {
  const pressed = await pictures(page).evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-pressed') === 'true'),
  );
  return pressed.indexOf(true);
};

describe('the cover of an item', () => {
  it('is chosen by keyboard, and is automatic again on request', () =>
    withItem(async (page) => {
      await open(page);
      assert.equal(await chosen(page), 0);
      const automatic = page.getByRole('button', { name: 'Choose automatically' });
      assert.equal(await automatic.count(), 0);
      await pictures(page).nth(1).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Cover changed.').waitFor();
      assert.equal(await chosen(page), 1);
      await automatic.click();
      await page.getByText('The cover is chosen automatically.').waitFor();
      assert.equal(await chosen(page), 0);
      assert.equal(await automatic.count(), 0);
    }));

  it('is an uploaded picture', () =>
    withItem(async (page) => {
      await open(page);
      await page.locator('dialog input[type=file]').setInputFiles(ICON);
      await page.getByText('Cover changed.').waitFor();
      await page.getByRole('button', { name: /^Uploaded/ }).waitFor();
      assert.equal(await chosen(page), 2);
    }));

  it('is a pasted picture, but not pasted text or another file', () =>
    withItem(async (page) => {
      await open(page);
      const bytes = [...(await readFile(ICON))];
      const paste = (type) =>
        page.evaluate(
          ([content, mime]) => {
            const data = new DataTransfer();
            if (mime) data.items.add(new File([new Uint8Array(content)], 'x', { type: mime }));
            else data.setData('text/plain', 'words');
            dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
          },
          [bytes, type],
        );
      await paste('');
      await paste('image/gif');
      await page.getByText('This picture cannot be used.').waitFor();
      assert.equal(await pictures(page).count(), 2);
      await paste('image/png');
      await page.getByText('Cover changed.').waitFor();
      assert.equal(await pictures(page).count(), 3);
    }));

  it('is accessible on a desktop and on a phone', async () => {
    for (const width of [1440, 390])
      await withItem(
        async (page) => {
          await open(page);
          assert.deepEqual(await violations(page), []);
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          assert.equal(overflow, 0);
        },
        { width },
      );
  });

  it('is not offered to other users', () =>
    withItem(
      async (page) => {
        await menu(page).click();
        await page.getByRole('menuitem').first().waitFor();
        assert.equal(await page.getByRole('menuitem', { name: 'Change cover' }).count(), 0);
      },
      {},
      { role: 'user' },
    ));
});
