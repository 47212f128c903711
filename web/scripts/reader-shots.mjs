/** Screenshots against the real server with its demo and additional files: readers, films and games. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ name: string, title: string, at?: string, act: (page: Page) => Promise<unknown> }} ReaderShot */

const root = fileURLToPath(new URL('../../', import.meta.url));
/** @param {string} name @returns {Promise<any>} What the tests read. */
const ofTests = (name) => import(new URL(`../../tests/browser/media/${name}.mjs`, import.meta.url).href);

/** @param {string} media the folder that is scanned */
export async function fill(media) {
  const [books, films, games] = await Promise.all(['books', 'films', 'games'].map(ofTests));
  const harbours = ['Anstruther', 'Brixham', 'Cromarty', 'Dunmore', 'Eyemouth', 'Fowey', 'Gairloch'];
  const files = {
    'Papers/Shots/Harbours in Order.pdf': books.pdf(harbours),
    'Papers/Shots/Torn.pdf': '%PDF-1.4\nno more of it',
    'Comics/Shots/The Backward Tide.cbz': books.comic(),
    'Lamps/NES/Red Lamp.nes': games.nesGame(),
    'Lamps/SNES/Missing Lamp.sfc': Buffer.alloc(0x8000, 1),
    'Lamps/Famicom Disk System/Disk Lamp.fds': Buffer.alloc(65500, 1),
    'Lamps/Intellivision/Old Lamp.int': Buffer.alloc(0x2000, 1),
  };
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(media, path)), { recursive: true });
    await writeFile(join(media, path), bytes);
  }
  await films.putFilms(join(media, 'Films'));
  const cores = join(root, '.cache/cores');
  execFileSync('node', [join(root, 'scripts/unpack-cores.mjs'), cores, 'fceumm'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await mkdir(join(dirname(media), 'cores'), { recursive: true });
  for (const name of ['fceumm.js', 'fceumm.wasm'])
    await cp(join(cores, name), join(dirname(media), 'cores', name));
}

const book = 'Moby-Dick';
/** @param {Page} page */
const opened = (page) =>
  page.getByRole('slider', { name: 'Place in the book' }).waitFor({ state: 'attached' });
/** @param {Page} page @param {string} name */
const press = (page, name) => page.getByRole('button', { name, exact: true }).first().click();
/** @param {Page} page */
const drawn = (page) => page.locator('.sheet canvas').first().waitFor();
/** @param {Page} page */
const leafed = (page) => page.getByRole('slider', { name: 'Page' }).waitFor({ state: 'attached' });
/** @param {Page} page */
const told = (page) =>
  page
    .getByRole('alert')
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor();
/** @param {Page} page */
async function played(page) {
  await page.getByRole('button', { name: 'Pause' }).first().waitFor();
  await page.waitForTimeout(2000);
  // From the black screen it begins with to its first colour.
  await page.keyboard.press('x', { delay: 300 });
}

/** @type {ReaderShot[]} */
export const readers = [
  { name: 'epub', title: book, at: '?at=3', act: opened },
  {
    name: 'epub-contents',
    title: book,
    at: '?at=3',
    act: (page) => opened(page).then(() => press(page, 'Contents and marks')),
  },
  {
    name: 'epub-look',
    title: book,
    at: '?at=3',
    act: (page) => opened(page).then(() => press(page, 'Display settings')),
  },
  {
    name: 'epub-search',
    title: book,
    at: '?at=3',
    act: async (page) => {
      await opened(page);
      await press(page, 'Search in the book');
      await page.getByLabel('Words to look for').fill('sea');
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
  },
  { name: 'pdf', title: 'Harbours in Order', at: '?at=2', act: drawn },
  {
    name: 'pdf-contents',
    title: 'Harbours in Order',
    at: '?at=2',
    act: (page) => drawn(page).then(() => press(page, 'Contents')),
  },
  {
    name: 'pdf-end',
    title: 'Harbours in Order',
    at: '?at=6',
    act: async (page) => {
      await drawn(page);
      const end = page.getByRole('dialog', { name: 'The end' });
      for (let pages = 0; pages < 8 && !(await end.isVisible()); pages += 1) {
        await page.keyboard.press('PageDown');
        await page.waitForTimeout(300);
      }
      await end.waitFor();
    },
  },
  { name: 'pdf-torn', title: 'Torn', act: told },
  { name: 'comic', title: 'The Backward Tide', at: '?at=0', act: leafed },
  { name: 'comic-pair', title: 'The Backward Tide', at: '?at=1', act: leafed },
  {
    name: 'comic-look',
    title: 'The Backward Tide',
    at: '?at=1',
    act: (page) => leafed(page).then(() => page.keyboard.press('s')),
  },
  {
    name: 'comic-strip',
    title: 'The Backward Tide',
    at: '?at=2',
    act: async (page) => {
      await leafed(page);
      await page.keyboard.press('s');
      await page.getByText('Strip', { exact: true }).click();
      await page.keyboard.press('s');
    },
  },
  {
    name: 'film',
    title: 'Deep Zoom',
    act: (page) => page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5),
  },
  { name: 'film-hevc', title: 'Northern Glass', act: told },
  { name: 'film-avi', title: 'Boats of Paper', act: told },
  { name: 'film-ac3', title: 'Harbour Light', act: (page) => page.getByText('AC-3').first().waitFor() },
  { name: 'game', title: 'Red Lamp', at: '?at=0', act: played },
  {
    name: 'game-saves',
    title: 'Red Lamp',
    at: '?at=0',
    act: async (page) => {
      await played(page);
      await page.keyboard.press('F2');
      await page.waitForTimeout(1500);
      await page.keyboard.press('Escape');
      if (!(await page.getByRole('button', { name: 'Controls' }).first().isVisible()))
        await press(page, 'Saves');
    },
  },
  {
    name: 'game-keys',
    title: 'Red Lamp',
    at: '?at=0',
    act: (page) => played(page).then(() => press(page, 'Controls')),
  },
  { name: 'game-core-missing', title: 'Missing Lamp', act: told },
  { name: 'game-bios', title: 'Disk Lamp', act: told },
  {
    name: 'game-no-core',
    title: 'Old Lamp',
    act: (page) => page.getByRole('link', { name: 'Download' }).first().waitFor(),
  },
];
