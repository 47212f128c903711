/** Games in the real server with real cores: play, controls, and the cores in the settings. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { logIn, openPage, until, violations } from '../harness.mjs';
import {
  api,
  browser,
  stopGames,
  colour,
  cores,
  frames,
  gamer,
  isBlack,
  isBlue,
  isGreen,
  isRed,
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

describe('a game', { concurrency: false }, () => {
  it('runs, receives keys, saves with a picture, and loads after a reload', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp');
    await running(page);
    await shows(page, isBlack, 'black at first');
    await wakes(page, 'x', isRed, 'red after one press');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('F2');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.deepEqual(await slots(item), ['1', '1-png']);
    await press(page, 'x');
    await shows(page, isGreen, 'green after two presses');
    await page.keyboard.press('F4');
    await shows(page, isRed, 'red again once the state is loaded');

    await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}?at=0`);
    await running(page);
    await shows(page, isBlack, 'black when begun anew');
    await page.locator('aside img').first().waitFor();
    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 1/ })
      .click();
    await page.locator('aside').getByRole('button', { name: 'Load' }).click();
    await shows(page, isRed, 'red out of the slot');
    const { items } = await api(`/items/${item.id}/saves`);
    assert.equal(items.find(({ slot }) => slot === '1').core, 'fceumm');
  });

  it('pauses, and leaves keys to the page meanwhile', async () => {
    const { page } = gamer;
    await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await shows(page, isBlack, 'black at first');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await press(page, 'x');
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await running(page);
    await frames(page, 20);
    assert.ok(isBlack(await colour(page)));
    await wakes(page, 'x', isRed, 'red after the first press that counts');
  });

  it('releases a key that is released during a pause', async () => {
    const { page } = gamer;
    await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await wakes(page, 'x', isRed, 'red after one press');
    await page.keyboard.down('x');
    await shows(page, isGreen, 'green while the key is down');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await page.keyboard.up('x');
    await page.keyboard.press('Escape');
    await running(page);
    await press(page, 'x');
    await shows(page, isBlue, 'blue: a press after the pause is another one');

    // A window without the focus receives no key release.
    await page.keyboard.down('x');
    await shows(page, isBlack, 'black again after the fourth press');
    await page.evaluate(() => {
      Object.defineProperty(document, 'hasFocus', { value: () => false, configurable: true });
      dispatchEvent(new FocusEvent('blur'));
      delete document.hasFocus;
    });
    await frames(page, 6);
    await page.evaluate(() =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyX', key: 'x', bubbles: true })),
    );
    await shows(page, isRed, 'red: a press after that is another one');
    await page.keyboard.up('x');
  });

  it('pauses and saves when its page is hidden', async () => {
    const { page } = gamer;
    const item = await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await wakes(page, 'x', isRed, 'red after one press');
    const before = await sumOf(item, 'auto');
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    await until('the state', async () => (await sumOf(item, 'auto')) !== before);
    await page.evaluate(() => delete document.hidden);
  });

  it('uses remapped keys', async () => {
    const { page } = gamer;
    await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await page.getByRole('button', { name: 'Controls' }).click();
    const panel = page.getByRole('dialog', { name: 'Controls' });
    await panel.getByRole('button', { name: /^A / }).click();
    await page.keyboard.press('j');
    await panel.getByRole('button', { name: 'A J' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await panel.getByRole('button', { name: 'Close' }).click();
    await wakes(page, 'j', isRed, 'red after the new key');
    await press(page, 'x');
    await frames(page, 20);
    assert.ok(isRed(await colour(page)));
    await press(page, 'j');
    await shows(page, isGreen, 'green after the new key again');
    await page.evaluate(() => localStorage.removeItem('ledge.game.keys'));
  });

  it('maps a gamepad button by a press, and uses it', async () => {
    const { page } = gamer;
    await page.addInitScript(() => {
      const buttons = Array.from({ length: 16 }, () => ({ pressed: false, touched: false, value: 0 }));
      const pad = {
        id: 'Test Pad (Vendor: 1209)',
        index: 0,
        connected: true,
        mapping: '',
        axes: [0, 0],
        buttons,
      };
      window.pad = null;
      navigator.getGamepads = () => [window.pad];
      window.pressPad = (index, pressed) => {
        window.pad = pad;
        buttons[index].pressed = pressed;
      };
    });
    await open(page, 'Red Lamp', '?at=0');
    await running(page);
    const pressPad = async (index) => {
      await page.evaluate((n) => window.pressPad(n, true), index);
      await frames(page, 4);
      await page.evaluate((n) => window.pressPad(n, false), index);
      await frames(page, 4);
    };
    await page.getByRole('button', { name: 'Controls' }).click();
    const panel = page.getByRole('dialog', { name: 'Controls' });
    await panel.getByRole('button', { name: 'Gamepad' }).click();
    await panel.getByText('Connect a gamepad and press any of its buttons').waitFor();
    await pressPad(0);
    await panel.getByText('Test Pad (Vendor: 1209)').waitFor();
    await panel.getByRole('button', { name: 'A Button 2' }).click();
    await panel.getByRole('button', { name: 'A Press it' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await pressPad(5);
    await panel.getByRole('button', { name: 'A Button 6' }).waitFor();
    await panel.getByRole('button', { name: 'B Button 1', exact: true }).click();
    await page.keyboard.press('x');
    await panel.getByRole('button', { name: 'B Button 1', exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    // Keys that were pressed in the panel did not reach the game.
    await shows(page, isBlack, 'black still');
    await pressPad(5);
    await shows(page, isRed, 'red after the new button');
    await pressPad(1);
    await frames(page, 20);
    assert.ok(isRed(await colour(page)));
    await page.reload();
    await running(page);
    await page.evaluate(() => window.pressPad(9, false));
    await page.getByRole('button', { name: 'Controls' }).click();
    await panel.getByRole('button', { name: 'Gamepad' }).click();
    await panel.getByRole('button', { name: 'A Button 6' }).waitFor();
    await panel.getByRole('button', { name: 'Reset buttons' }).click();
    await panel.getByRole('button', { name: 'A Button 2' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
  });

  it('is playable by touch on a phone', async () => {
    const phone = await openPage(browser, { width: 390 });
    await phone.page.goto(server.url);
    await logIn(phone.page);
    await phone.page.getByText('Recently added').first().waitFor();
    await open(phone.page, 'Red Lamp', '?at=0');
    await running(phone.page);
    await shows(phone.page, isBlack, 'black at first');
    const a = phone.page.getByRole('button', { name: 'A', exact: true });
    const box = await a.boundingBox();
    await phone.page.mouse.move(box.x + 20, box.y + 20);
    await phone.page.mouse.down();
    await frames(phone.page, 4);
    await phone.page.mouse.up();
    await shows(phone.page, isRed, 'red after a touch');
    assert.deepEqual(await violations(phone.page), []);
    await phone.page.getByRole('button', { name: 'Saves' }).click();
    await phone.page.getByRole('dialog', { name: 'Saves' }).waitFor();
    assert.deepEqual(await violations(phone.page), []);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  it('shows a message for a missing core or BIOS file, with a download link', async () => {
    const { page } = gamer;
    for (const [title, words] of [
      ['Missing Lamp', 'The core for SNES is not on this server'],
      ['Disk Lamp', 'Famicom Disk System needs a BIOS file'],
    ]) {
      await open(page, title);
      await page.getByRole('heading', { name: words }).waitFor();
      await page.getByRole('link', { name: 'Download' }).waitFor();
      await page.getByRole('link', { name: 'Cores and BIOS files' }).waitFor();
      assert.deepEqual(await violations(page), []);
    }
    await open(page, 'Old Lamp');
    await page.getByRole('link', { name: 'Download' }).waitFor();
  });

  it('shows a message if the browser lacks WebGL', async () => {
    const other = await openPage(browser);
    await other.page.addInitScript(() => {
      const usual = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return kind === 'webgl2' ? null : usual.call(this, kind, ...rest);
      };
    });
    await other.page.goto(server.url);
    await logIn(other.page);
    await other.page.getByText('Recently added').first().waitFor();
    await open(other.page, 'Red Lamp');
    await other.page.getByRole('heading', { name: 'This browser cannot draw games' }).waitFor();
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  it('shows a message for a damaged file and for an invalid core', async () => {
    const { page } = gamer;
    await page.route('**/kinds/games/cores/fceumm.js*', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'var nothing;' }),
    );
    await open(page, 'Red Lamp');
    await page.getByRole('heading', { name: 'This game does not start' }).waitFor();
    await page.unroute('**/kinds/games/cores/fceumm.js*');
  });
});

describe('game cores', { concurrency: false }, () => {
  it('are listed with their licences, and added and removed by an administrator', async () => {
    const { page } = gamer;
    await page.goto(`${server.url}/settings/games`);
    const nes = page.getByRole('listitem').filter({ hasText: 'fceumm ·' });
    await nes.getByText('Added').waitFor();
    await nes.getByText('GPL-2.0-or-later').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'snes9x' }).getByText('Missing').waitFor();
    assert.deepEqual(await violations(page), []);

    await page.getByRole('button', { name: 'Remove fceumm.wasm' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await nes.getByText('One file is missing').waitFor();
    await page.getByLabel('Choose files').setInputFiles([
      {
        name: 'fceumm.wasm',
        mimeType: 'application/wasm',
        buffer: await readFile(join(cores, 'fceumm.wasm')),
      },
      { name: 'disksys.rom', mimeType: 'application/octet-stream', buffer: Buffer.from('another') },
      { name: 'notes.doc', mimeType: 'application/msword', buffer: Buffer.from('x') },
    ]);
    await page.getByText('2 files added').waitFor();
    await page.getByText('notes.doc is neither').waitFor();
    await nes.getByText('Added').waitFor();
    await page.getByText('Not the usual version').waitFor();
    assert.deepEqual(await violations(page), []);
    await rm(join(dirname(server.media), 'bios'), { recursive: true });
  });

  it('cause no console errors', () => assert.deepEqual(gamer.complaints, []));
});
