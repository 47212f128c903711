/** A server with games, and the screen of a running game. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gameBoyGame, nesGame } from '../media/games.mjs';
import { addLibrary, apiOf, launchBrowser, logIn, openPage, startServer } from '../harness.mjs';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Unpacked once, then left alone. */
export const cores = join(root, '.cache/cores');

export let server;

export let browser;

export let api;

export let gamer;

export async function startGames() {
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
}

export async function stopGames() {
  await browser?.close();
  await server?.stop();
}

export async function find(title) {
  const { items } = await api('/items?kind=games&limit=500');
  const found = items.find((one) => one.title === title);
  assert.ok(found, `${title} in ${items.map((one) => one.title)}`);
  return api(`/items/${found.id}`);
}

export async function open(page, title, query = '') {
  const item = await find(title);
  await page.goto(`${server.url}/items/${item.id}/open/${item.files[0].id}${query}`);
  return item;
}

export const running = (page) => page.locator('section[data-phase="running"]').waitFor();

/** The colour in the middle of the game's screen. */
export async function colour(page) {
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

export const isRed = ([r, g, b]) => r > 120 && g < 90 && b < 90;

export const isGreen = ([r, g, b]) => g > 120 && r < 120 && b < 120;

export const isBlue = ([r, g, b]) => b > 120 && r < 120 && g < 160;

export const isBlack = ([r, g, b]) => r + g + b < 40;

export const isGrey = (low, high) => (found) => found.every((part) => part >= low && part <= high);

export const isWhite = isGrey(230, 255);

export const isLight = isGrey(130, 200);

export const isDark = isGrey(50, 120);

export async function shows(page, wanted, what) {
  let found;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    found = await colour(page);
    if (wanted(found)) return;
    await pause(100);
  }
  assert.fail(`${what}, not ${found}`);
}

/** Waits until the console has drawn the given number of further frames. */
export const frames = (page, count) =>
  page.locator('iframe').evaluate(
    (frame, wanted) =>
      new Promise((resolve) => {
        const next = () => (wanted-- > 0 ? frame.contentWindow.requestAnimationFrame(next) : resolve());
        next();
      }),
    count,
  );

/** The first press in a game: repeated if the console was still starting. */
export async function wakes(page, key, wanted, what) {
  const before = await colour(page);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await press(page, key);
    await frames(page, 10);
    for (let look = 0; look < 20; look += 1) {
      const now = await colour(page);
      if (wanted(now)) return;
      // The press arrived: another one would be one too many.
      if (String(now) !== String(before)) break;
      await pause(100);
    }
    if (String(await colour(page)) !== String(before)) break;
  }
  await shows(page, wanted, what);
}

/** A press that lasts until the console has read it, however slow it is drawn. */
export async function press(page, key) {
  await page.keyboard.down(key);
  await frames(page, 4);
  await page.keyboard.up(key);
  await frames(page, 4);
}

/** Identity of the state in a slot. */
export async function sumOf(item, slot) {
  return (await api(`/items/${item.id}/saves`)).items.find((save) => save.slot === slot)?.sha256;
}

export async function slots(item) {
  const { items } = await api(`/items/${item.id}/saves`);
  return items.map(({ slot }) => slot).sort();
}
