/** Playing games in the real server with real cores: saving, coming back, and everything that can be missing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gameBoyGame, nesGame } from './games.mjs';
import {
  addLibrary,
  apiOf,
  launchBrowser,
  leave,
  logIn,
  openPage,
  startServer,
  until,
  violations,
} from './harness.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Unpacked once, then left alone. */
const cores = join(root, '.cache/cores');

let server;
let browser;
let api;
let gamer;

before(async () => {
  const script = join(root, 'scripts/unpack-cores.mjs');
  execFileSync('node', [script, cores, 'fceumm', 'mgba'], { stdio: ['ignore', 'ignore', 'inherit'] });
  server = await startServer();
  const data = dirname(server.media);
  await mkdir(join(data, 'cores'), { recursive: true });
  for (const name of ['fceumm.js', 'fceumm.wasm', 'mgba.js', 'mgba.wasm']) {
    await cp(join(cores, name), join(data, 'cores', name));
  }
  const games = join(server.media, 'Lamps');
  for (const [name, bytes] of [
    ['NES/Red Lamp.nes', nesGame()],
    ['Game Boy/Grey Lamp.gb', gameBoyGame()],
    ['SNES/Missing Lamp.sfc', Buffer.alloc(0x8000, 1)],
    ['Famicom Disk System/Disk Lamp.fds', Buffer.alloc(65500, 1)],
    ['Intellivision/Old Lamp.int', Buffer.alloc(0x2000, 1)],
  ]) {
    await mkdir(dirname(join(games, name)), { recursive: true });
    await writeFile(join(games, name), bytes);
  }
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  browser = await launchBrowser(['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']);
  gamer = await openPage(browser);
  await gamer.page.goto(server.url);
  await logIn(gamer.page);
  await gamer.page.getByText('Recently added').first().waitFor();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function find(title) {
  const { items } = await api('/items?kind=games&limit=500');
  const found = items.find((one) => one.title === title);
  assert.ok(found, `${title} in ${items.map((one) => one.title)}`);
  return api(`/items/${found.id}`);
}

async function open(page, title, query = '') {
  const item = await find(title);
  await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${query}`);
  return item;
}

const running = (page) => page.locator('section[data-phase="running"]').waitFor();

/** The colour in the middle of the game's screen. */
async function colour(page) {
  const box = await page.locator('iframe').boundingBox();
  const clip = { x: box.x + box.width / 2, y: box.y + box.height / 2, width: 4, height: 4 };
  const png = await page.screenshot({ clip });
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(4, 4).getContext('2d');
    context.drawImage(image, 0, 0);
    return [...context.getImageData(1, 1, 1, 1).data].slice(0, 3);
  }, png.toString('base64'));
}

const isRed = ([r, g, b]) => r > 120 && g < 90 && b < 90;
const isGreen = ([r, g, b]) => g > 120 && r < 120 && b < 120;
const isBlue = ([r, g, b]) => b > 120 && r < 120 && g < 160;
const isBlack = ([r, g, b]) => r + g + b < 40;
const isGrey = (low, high) => (found) => found.every((part) => part >= low && part <= high);
const isWhite = isGrey(230, 255);
const isLight = isGrey(130, 200);
const isDark = isGrey(50, 120);

async function shows(page, wanted, what) {
  let found;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    found = await colour(page);
    if (wanted(found)) return;
    await pause(100);
  }
  assert.fail(`${what}, not ${found}`);
}

/** Waits until the console has drawn so many pictures more. */
const frames = (page, count) =>
  page.locator('iframe').evaluate(
    (frame, wanted) =>
      new Promise((resolve) => {
        const next = () => (wanted-- > 0 ? frame.contentWindow.requestAnimationFrame(next) : resolve());
        next();
      }),
    count,
  );

/** The first press of a game: again where the console was still starting, which shows nothing. */
async function wakes(page, key, wanted, what) {
  const before = await colour(page);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await press(page, key);
    await frames(page, 10);
    for (let look = 0; look < 20; look += 1) {
      const now = await colour(page);
      if (wanted(now)) return;
      // It has heard the press: another one would go too far.
      if (String(now) !== String(before)) break;
      await pause(100);
    }
    if (String(await colour(page)) !== String(before)) break;
  }
  await shows(page, wanted, what);
}

/** A press that lasts as long as the console needs to see it, however slow it is drawn. */
async function press(page, key) {
  await page.keyboard.down(key);
  await frames(page, 4);
  await page.keyboard.up(key);
  await frames(page, 4);
}

/** What tells one state of a slot from another. */
async function sumOf(item, slot) {
  return (await api(`/items/${item.id}/saves`)).items.find((save) => save.slot === slot)?.sha256;
}

async function slots(item) {
  const { items } = await api(`/items/${item.id}/saves`);
  return items.map(({ slot }) => slot).sort();
}

describe('a game', { concurrency: false }, () => {
  it('runs, takes the keys, is saved with its picture, and loaded after a reload', async () => {
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

  it('is kept when one leaves, goes on there, and counts the time played', async () => {
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

  it('stands still while it is paused, and its keys are those of the page', async () => {
    const { page } = gamer;
    await open(page, 'Red Lamp', '?at=0');
    await running(page);
    await shows(page, isBlack, 'black at first');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Paused' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await press(page, 'x');
    await page.getByRole('button', { name: 'Go on' }).first().click();
    await running(page);
    await frames(page, 20);
    assert.ok(isBlack(await colour(page)));
    await wakes(page, 'x', isRed, 'red after the first press that counts');
  });

  it('lets go of a key that is let go while it stands still', async () => {
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

    // A window that loses the keyboard hears no key let go.
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

  it('is kept where its page is closed in the middle of it', async () => {
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

  it('stands still and is kept when its page is hidden', async () => {
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

  it('listens to other keys where one gives it some', async () => {
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

  it('puts an earlier save back while it is on, and begins with what it would go on with', async () => {
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
    const asked = page.getByRole('dialog', { name: /^Put back the save/ });
    await dialog
      .getByRole('button', { name: /^Put back/ })
      .first()
      .click();
    await asked.getByRole('button', { name: 'Put back' }).click();
    await dialog.getByText('Slot 2 is as it was').waitFor();
    assert.equal(await sumOf(item, '2'), red);
    // What was saved when the game came to stand still is gone on with; an older one is put in its place.
    await dialog.getByRole('button', { name: 'When you left' }).click();
    const green = await sumOf(item, 'auto');
    await dialog
      .getByRole('button', { name: /^Put back/ })
      .first()
      .click();
    await asked.getByText('ends without being saved').waitFor();
    await asked.getByRole('button', { name: 'Put back' }).click();
    await until('the other state', async () => (await sumOf(item, 'auto')) !== green);
    const wanted = await sumOf(item, 'auto');
    await page.waitForURL((url) => url.pathname.endsWith(`/open/${item.files[0].id}`) && url.search === '');
    await running(page);
    // Leaving the old one saved nothing over it.
    assert.equal(await sumOf(item, 'auto'), wanted);
    await page
      .locator('aside')
      .getByRole('button', { name: /Slot 2/ })
      .click();
    await page.locator('aside').getByRole('button', { name: 'Load' }).click();
    await shows(page, isRed, 'red out of the slot');
  });

  it('gives a button of a gamepad by pressing it, and hears it there', async () => {
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
    // Nothing that was pressed in the panel was a move of the game.
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
    await panel.getByRole('button', { name: 'The usual buttons' }).click();
    await panel.getByRole('button', { name: 'A Button 2' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
  });

  it('has its battery’s memory back, also begun anew', async () => {
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

  it('loads a state that was saved before the page was reloaded, on the Game Boy too', async () => {
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

  it('is saved with the picture it stands at while it is paused', async () => {
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

  it('is kept on the device while the server does not answer', async () => {
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

  it('does not save over what another device saved meanwhile, until told to', async () => {
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

  it('is played with fingers on a phone', async () => {
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

  it('says what is missing, and offers the file', async () => {
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

  it('says so where the browser cannot draw it', async () => {
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

  it('fails with a word where its file is damaged or its core is none', async () => {
    const { page } = gamer;
    await page.route('**/kinds/games/cores/fceumm.js*', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'var nothing;' }),
    );
    await open(page, 'Red Lamp');
    await page.getByRole('heading', { name: 'This game does not start' }).waitFor();
    await page.unroute('**/kinds/games/cores/fceumm.js*');
  });
});

describe('the cores', { concurrency: false }, () => {
  it('are listed with their terms, added and taken away by an administrator', async () => {
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
    await page.getByText('Another version than the usual one').waitFor();
    assert.deepEqual(await violations(page), []);
    await rm(join(dirname(server.media), 'bios'), { recursive: true });
  });

  it('has heard no complaint from the browser', () => assert.deepEqual(gamer.complaints, []));
});
