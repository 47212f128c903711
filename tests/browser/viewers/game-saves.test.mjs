/** Saves of games in the real server with real cores. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { leave, until, violations } from '../harness.mjs';
import {
  api,
  stopGames,
  gamer,
  isBlack,
  isDark,
  isGreen,
  isLight,
  isRed,
  isWhite,
  open,
  startGames,
  press,
  running,
  server,
  shows,
  slots,
  sumOf,
  wakes,
} from './game-server.mjs';

before(startGames);

after(stopGames);

describe('game saves', { concurrency: false }, () => {
  it('are written when the page is left, and restored with the play time', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await shows(page, isBlack, 'black at first');
    await wakes(page, 'x', isRed, 'red after one press');
    await page.keyboard.press('x');
    await shows(page, isGreen, 'green after a tap shorter than a frame');
    await until('the time played', async () => {
      const [place] = (await api(`/items/${item.id}/progress`)).items;
      return place?.position >= 1;
    });
    const before = await sumOf(item, 'auto');
    await leave(page, item);
    await until('the state', async () => (await sumOf(item, 'auto')) !== before);
    await open(page, 'Red Lamp');
    await running(page);
    await shows(page, isGreen, 'green where it was left');
  });

  it('are written when the page is closed during the game', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    assert.equal(new URL(page.url()).search, '', 'opened again, it goes on');
    await wakes(page, 'x', isRed, 'red after one press');
    await press(page, 'x');
    await shows(page, isGreen, 'green after two');
    const before = await sumOf(item, 'auto');
    await page.goto(`${server.url}/healthz`);
    await until('the state', async () => (await sumOf(item, 'auto')) !== before);
    await open(page, 'Red Lamp');
    await running(page);
    await shows(page, isGreen, 'green where it was closed');
  });

  it('restore an earlier version during the game, and the next start uses it', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await shows(page, isBlack, 'black at first');
    const saved = async () => {
      const before = await sumOf(item, '2');
      await page
        .locator('aside')
        .getByRole('button', { name: /Slot 2/ })
        .click();
      await page.locator('aside').getByRole('button', { name: 'Save', exact: true }).click();
      await until('the state', async () => (await sumOf(item, '2')) !== before);
      await page.getByText('Saved', { exact: true }).waitFor();
    };
    await wakes(page, 'x', isRed, 'red after one press');
    await saved();
    const red = await sumOf(item, '2');
    await press(page, 'x');
    await shows(page, isGreen, 'green after two presses');
    await saved();
    await page.locator('aside').getByRole('button', { name: 'Earlier saves' }).click();
    const dialog = page.getByRole('dialog', { name: 'Earlier saves' });
    await dialog.locator('img').nth(1).waitFor();
    assert.deepEqual(await violations(page), []);
    const asked = page.getByRole('dialog', { name: /^Restore the save/ });
    await dialog
      .getByRole('button', { name: /^Restore/ })
      .first()
      .click();
    await asked.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('Slot 2 restored').waitFor();
    assert.equal(await sumOf(item, '2'), red);
    // The game continues with the save of the pause; then an older save replaces it.
    await dialog.getByRole('button', { name: 'Autosave' }).click();
    const green = await sumOf(item, 'auto');
    await dialog
      .getByRole('button', { name: /^Restore/ })
      .first()
      .click();
    await asked.getByText('ends without a save').waitFor();
    await asked.getByRole('button', { name: 'Restore' }).click();
    await until('the other state', async () => (await sumOf(item, 'auto')) !== green);
    const wanted = await sumOf(item, 'auto');
    await page.waitForURL((url) => url.pathname.endsWith(`/open/${item.files[0].id}`) && url.search === '');
    await running(page);
    // Leaving the old state did not save over it.
    assert.equal(await sumOf(item, 'auto'), wanted);
    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 2/ })
      .click();
    await page.locator('aside').getByRole('button', { name: 'Load' }).click();
    await shows(page, isRed, 'red out of the slot');
  });

  it('restore the battery memory, also after a restart without a state', async () => {
    const { page } = gamer;
    const item = await open(page, 'Grey Lamp');
    await running(page);
    await shows(page, isWhite, 'white at first');
    await wakes(page, 'x', isLight, 'light grey after one press');
    await until('the battery, while it is played', async () => (await slots(item)).includes('sram'));
    await open(page, 'Grey Lamp', '?at=0');
    await running(page);
    await shows(page, isLight, 'light grey out of the battery');
    await wakes(page, 'x', isDark, 'dark grey after the next press');
    const before = await sumOf(item, 'sram');
    await leave(page, item);
    await until('the battery as it was left', async () => (await sumOf(item, 'sram')) !== before);
  });

  it('load a state from before a reload, also on the Game Boy', async () => {
    const { page } = gamer;
    await open(page, 'Grey Lamp', '?at=0');
    await running(page);
    await shows(page, isDark, 'dark grey out of the battery');
    await page.keyboard.press('F2');
    await page.getByText('Saved', { exact: true }).waitFor();
    await wakes(page, 'x', isBlack, 'black after one press');
    await page.reload();
    await running(page);
    await shows(page, isBlack, 'black where it was left');
    await page.keyboard.press('F4');
    await shows(page, isDark, 'dark grey out of the slot');
  });

  it('show the picture of the moment of a pause', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await wakes(page, 'x', isRed, 'red after one press');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    const aside = page.locator('aside');
    await aside.getByRole('button', { name: /Slot 2/ }).click();
    await aside.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    assert.ok((await slots(item)).includes('2-png'));
    const shade = await aside
      .getByRole('button', { name: /Slot 2/ })
      .locator('img')
      .evaluate(async (image) => {
        await image.decode();
        const context = new OffscreenCanvas(1, 1).getContext('2d');
        context.drawImage(image, 0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
      });
    assert.ok(isRed(shade), `${shade}`);
  });

  it('are stored on the device while the server does not respond', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await wakes(page, 'x', isRed, 'red after one press');
    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 3/ })
      .click();
    await page.route('**/saves/**', (route) => route.abort());
    await page.keyboard.press('F2');
    await page.getByText('Saved on this device.').waitFor();
    await page.locator('aside').getByText('On this device only').waitFor();
    assert.ok(!(await slots(item)).includes('3'));
    await page.unroute('**/saves/**');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await until('it is on the server', async () => (await slots(item)).includes('3'));
    await page.getByText('On this device only').waitFor({ state: 'detached' });

    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 5/ })
      .click();
    await page.route('**/saves/**', (route) => route.abort());
    await page.keyboard.press('F2');
    await page.locator('aside').getByText('On this device only').waitFor();
    await page.unroute('**/saves/**');
    await page.goto(server.url);
    await until('the next start sends it', async () => (await slots(item)).includes('5'));
  });

  it('do not overwrite a newer save of another device without confirmation', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 4/ })
      .click();
    await page.keyboard.press('F2');
    await page.getByText('Saved', { exact: true }).waitFor();
    const login = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: 'lantern-on-the-ledge' }),
    });
    const { token } = await login.json();
    await fetch(`${server.url}/api/v1/items/${item.id}/saves/4?core=fceumm`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
      body: 'theirs',
    });
    await page.keyboard.press('F2');
    await page.getByText('Another device saved to this slot').waitFor();
    await page.keyboard.press('F2');
    await page.getByText('Saved', { exact: true }).waitFor();
    const versions = await api(`/items/${item.id}/saves/4/versions`);
    assert.equal(versions.items[0].size, 6);
  });

  it('cause no console errors', () => assert.deepEqual(gamer.complaints, []));
});
