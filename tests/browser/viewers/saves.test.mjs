/** Earlier saves of a game, against the stand-in server: list, restore, download, and errors. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { GAME } from '../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, settings) => withFake(browser, {}, path, check, settings);
const dialog = (page) => page.getByRole('dialog', { name: 'Earlier saves' });
async function openSaves(page) {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Earlier saves' }).click();
}
/** Content of a slot on the server. */
const held = (page, slot) =>
  page.evaluate(
    ([item, name]) => fetch(`/api/v1/items/${item}/saves/${name}`).then((response) => response.text()),
    [GAME, slot],
  );
const rows = (page, slot) =>
  dialog(page).getByRole('list', { name: slot, exact: true }).getByRole('listitem');

describe('save history of a game', () => {
  for (const [name, settings] of [
    ['in the dark', { theme: 'dark' }],
    ['in the light', { theme: 'light' }],
    ['on a phone', { width: 390 }],
  ])
    it(`has no axe violation ${name}`, () =>
      withPage(
        `/items/${GAME}`,
        async (page) => {
          await openSaves(page);
          await rows(page, 'Slot 1').nth(2).waitFor();
          await dialog(page).locator('img').nth(1).waitFor();
          assert.deepEqual(await violations(page), []);
          await dialog(page)
            .getByRole('button', { name: /^Restore/ })
            .first()
            .click();
          await page.getByRole('dialog', { name: /^Restore the save/ }).waitFor();
          assert.deepEqual(await violations(page), []);
        },
        settings,
      ));

  it('restores a version after a confirmation, and keeps the replaced one', () =>
    withPage(`/items/${GAME}`, async (page) => {
      await openSaves(page);
      await until('three rows', async () => (await rows(page, 'Slot 1').count()) === 3);
      // The two newer ones have their pictures, the first never had one.
      await until('two pictures', async () => (await dialog(page).locator('img').count()) === 2);
      await rows(page, 'Slot 1')
        .nth(2)
        .getByRole('button', { name: /^Restore/ })
        .click();
      const asked = page.getByRole('dialog', { name: /^Restore the save/ });
      await asked.getByRole('button', { name: 'Cancel' }).click();
      assert.equal(await held(page, '1'), 'third');
      await rows(page, 'Slot 1')
        .nth(2)
        .getByRole('button', { name: /^Restore/ })
        .press('Enter');
      await asked.getByRole('button', { name: 'Restore' }).press('Enter');
      await dialog(page).getByText('Slot 1 restored').waitFor();
      assert.equal(await held(page, '1'), 'first');
      await until('four rows', async () => (await rows(page, 'Slot 1').count()) === 4);
      await dialog(page).getByText('The same as now').waitFor();
    }));

  it('restarts the game if a restored battery memory requires it', () =>
    withPage(`/items/${GAME}`, async (page) => {
      await openSaves(page);
      await dialog(page).getByRole('button', { name: 'Cartridge memory' }).click();
      await dialog(page)
        .getByRole('button', { name: /^Restore/ })
        .click();
      await page
        .getByRole('dialog', { name: /^Restore the save/ })
        .getByRole('button', { name: 'Restore' })
        .click();
      await dialog(page).getByRole('button', { name: 'Start the game with it' }).click();
      await page.waitForURL(`**/items/${GAME}/open/${GAME * 100}**`);
    }));

  it('downloads versions unchanged', () =>
    withPage(`/items/${GAME}`, async (page) => {
      await openSaves(page);
      await rows(page, 'Slot 1').nth(2).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        rows(page, 'Slot 1')
          .nth(1)
          .getByRole('button', { name: /^Download/ })
          .click(),
      ]);
      assert.match(download.suggestedFilename(), /^Flappy Bird - 1 - .*\.state$/);
      assert.equal(await readFile(await download.path(), 'utf8'), 'second');
    }));

  it('shows a message for an empty slot and for a game without saves', () =>
    withPage(`/items/${GAME}`, async (page, fake) => {
      await openSaves(page);
      await dialog(page).getByRole('button', { name: 'laptop' }).click();
      await dialog(page).getByText('There are no earlier saves yet.').waitFor();
      assert.equal(await rows(page, 'laptop').count(), 1);
      await page.goto(`${fake.url}/items/${GAME + 1}`);
      await openSaves(page);
      await dialog(page).getByText('This game has not been saved yet.').waitFor();
      await page.goto(`${fake.url}/items/1`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Progress history' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Earlier saves' }).count(), 0);
    }));

  it('shows a message if it does not load, or if another device saved in the meantime', () =>
    withPage(`/items/${GAME}`, async (page) => {
      await page.route('**/saves', (route) => route.abort());
      await openSaves(page);
      await dialog(page).getByText('The server does not answer').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.unroute('**/saves');
      await dialog(page).getByRole('button', { name: 'Retry' }).click();
      await rows(page, 'Slot 1').nth(2).waitFor();
      await page.evaluate(async (item) => {
        const there = await fetch(`/api/v1/items/${item}/saves`).then((response) => response.json());
        const { sha256 } = there.items.find(({ slot }) => slot === '1');
        await fetch(`/api/v1/items/${item}/saves/1`, {
          method: 'PUT',
          body: 'from elsewhere',
          headers: { 'Content-Type': 'application/octet-stream', 'If-Match': `"${sha256}"` },
        });
      }, GAME);
      await rows(page, 'Slot 1')
        .nth(2)
        .getByRole('button', { name: /^Restore/ })
        .click();
      const asked = page.getByRole('dialog', { name: /^Restore the save/ });
      await asked.getByRole('button', { name: 'Restore' }).click();
      await asked.getByText('Another device saved here in the meantime').waitFor();
      assert.equal(await held(page, '1'), 'from elsewhere');
      await asked.getByRole('button', { name: 'Restore' }).click();
      await dialog(page).getByText('Slot 1 restored').waitFor();
      assert.equal(await held(page, '1'), 'first');
    }));
});
