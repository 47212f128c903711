import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fb2, hostile, mobi, plain, trap } from '../media/books.mjs';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  leave,
  startServer,
  toldPlaces,
  until,
  violations,
} from '../harness.mjs';
import { frameOf, seen, settled, turn } from './reader-page.mjs';

let server;

let browser;

let api;

let reader;

before(async () => {
  server = await startServer();
  const folder = join(server.media, 'Books', 'Tests');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'The Numbered Tide.epub'), plain());
  await writeFile(join(folder, 'The Trap.epub'), hostile());
  const lines = (chapter) =>
    Array.from({ length: 9 }, (_, n) => `<p>Line ${n + 1} of chapter ${chapter}.</p>`).join('');
  await writeFile(
    join(folder, 'The Pocket Tide.mobi'),
    mobi('The Pocket Tide', [`<h1>Ebb</h1>${lines('one')}`, `<h1>Flood</h1>${lines('two')}${trap('mobi')}`]),
  );
  await writeFile(
    join(folder, 'The Fictional Tide.fb2'),
    fb2('The Fictional Tide', [
      ['Ebb', lines('one')],
      ['Flood', lines('two') + trap('fb2')],
    ]),
  );
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  browser = await launchBrowser();
  reader = await device();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const device = (settings) => enter(browser, server.url, settings);

async function openBook(page, title, query = '') {
  const item = await itemOf(api, title);
  const file = item.files.find((one) => one.viewer === 'epub');
  await page.goto(`${server.url}/items/${item.id}/open/${file.id}${query}`);
  await page.getByRole('slider', { name: 'Place in the book' }).waitFor();
  return item;
}

/** Waits until the server has a matching position. */
const placeOf = (item, fits) =>
  until('a place', async () => (await api(`/items/${item.id}/progress`)).items.find(fits));

const marksOf = async (item) => (await api(`/items/${item.id}/annotations`)).items;

describe('a book', { concurrency: false }, () => {
  it('crosses the borders of its chapters in both directions', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=0');
    let now = await settled(page);
    assert.ok(now.includes('Line 1 of chapter one'));
    const lines = new Set(now);
    while (!now.some((line) => line.endsWith('chapter two'))) {
      now = await turn(page);
      for (const line of now) lines.add(line);
    }
    for (let line = 1; line <= 24; line += 1)
      assert.ok(lines.has(`Line ${line} of chapter one`), `line ${line}`);
    assert.ok((await turn(page, 'PageUp')).includes('Line 24 of chapter one'));
  });

  it('continues at the same line on another device', async () => {
    const { page } = reader;
    const told = toldPlaces(page);
    const item = await openBook(page, 'The Numbered Tide', '?at=1');
    assert.equal(new URL(page.url()).search, '', 'opened again, it goes on');
    for (let pages = 0; pages < 3; pages += 1) await turn(page);
    const [line] = await settled(page);
    assert.match(line, /of chapter two$/);
    await leave(page, item);
    const place = await placeOf(
      item,
      (row) => row.position === 1 && row.locator === told.at(-1).locator && row.locator !== null,
    );
    assert.match(place.locator, /^epubcfi\(/);

    const phone = await device({ width: 390 });
    const toldThere = toldPlaces(phone.page);
    await openBook(phone.page, 'The Numbered Tide');
    const there = await settled(phone.page);
    assert.ok(there.includes(line), `${line} is among ${there}`);
    // The pages of another screen have other starts; opening a book changes no position.
    await leave(phone.page, item);
    assert.deepEqual(toldThere, []);
    assert.equal((await api(`/items/${item.id}/progress`)).items[0].locator, place.locator);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });

  it('saves a highlight and its note, and shows it on another device', async () => {
    const { page } = reader;
    const item = await openBook(page, 'The Numbered Tide', '?at=1');
    await frameOf(page).evaluate(() => {
      const paragraph = document.querySelector('#l2');
      getSelection().selectAllChildren(paragraph);
    });
    await page.getByRole('dialog', { name: 'Highlight' }).getByRole('button', { name: 'Note' }).click();
    const field = page.getByLabel('Your note');
    await field.fill('Which hour?');
    await page.route('**/annotations', (route) => route.abort());
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    assert.equal(await field.inputValue(), 'Which hour?');
    await page.unroute('**/annotations');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByRole('dialog', { name: 'Highlight' }).waitFor({ state: 'detached' });
    await until('the note', async () => (await marksOf(item))[0]?.note === 'Which hour?');
    const marks = await marksOf(item);
    assert.equal(marks.length, 1);
    assert.equal(marks[0].type, 'highlight');
    assert.match(marks[0].text, /^Line 2 of chapter two/);

    const other = await device({ theme: 'light' });
    await openBook(other.page, 'The Numbered Tide', '?at=1');
    await settled(other.page);
    const box = await frameOf(other.page).evaluate(() => {
      const offset = window.frameElement.getBoundingClientRect();
      const { left, top } = document.querySelector('#l2').getClientRects()[0];
      return { x: left + offset.left + 40, y: top + offset.top + 8 };
    });
    await other.page.mouse.click(box.x, box.y);
    const dialog = other.page.getByRole('dialog', { name: 'Highlight' });
    await dialog.getByText('Which hour?').waitFor();
    assert.deepEqual(await violations(other.page), []);
    await dialog.getByRole('button', { name: 'Remove the highlight' }).click();
    await until('no mark', async () => (await marksOf(item)).length === 0);
    assert.deepEqual(other.complaints, []);
    await other.context.close();
  });

  it('saves bookmarks and opens them', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=1');
    for (let pages = 0; pages < 2; pages += 1) await turn(page);
    const marked = await settled(page);
    const ribbon = page.getByRole('button', { name: 'Bookmark this page' });
    await ribbon.click();
    await page.locator('[aria-pressed=true][aria-label="Bookmark this page"]').waitFor();
    await turn(page);
    assert.equal(await ribbon.getAttribute('aria-pressed'), 'false');
    await page.keyboard.press('c');
    await page.getByRole('tab', { name: 'Bookmarks' }).click();
    await page.getByRole('tabpanel').getByRole('listitem').getByRole('button').first().click();
    await page.locator('[aria-pressed=true][aria-label="Bookmark this page"]').waitFor();
    assert.deepEqual(await settled(page), marked);
  });

  it('finds words in another chapter and returns to the former position', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=0');
    await page.keyboard.press('/');
    await page.getByLabel('Words to look for').fill('PERIHELION');
    await page.getByText('1 place', { exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByText('1 place', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.type('perihelion');
    await page.getByRole('button', { name: /stands the word perihelion/ }).click();
    await page.locator('footer').getByText('Flood').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to where I was' }).click();
    await page.locator('footer').getByText('Ebb').waitFor();
  });

  it('shows a footnote next to its reference', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=1');
    await frameOf(page).locator('#r').click();
    const note = page.getByRole('dialog', { name: 'Footnote' });
    await note.getByText('The note about slack water.').waitFor();
    assert.equal(await note.locator('em').innerText(), 'slack');
    assert.equal(await note.getByText('↩').count(), 0);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    // The book has the focus again.
    assert.equal(await page.evaluate(() => document.activeElement.localName), 'foliate-view');
    await turn(page);
  });

  it('shows an error if a search fails, and repeats it', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=0');
    await page.keyboard.press('/');
    await page.getByLabel('Words to look for').waitFor();
    await page.route('**/entries/**', (route) => route.abort());
    await page.getByLabel('Words to look for').fill('perihelion');
    const panel = page.getByRole('dialog', { name: 'Search in the book' });
    await panel.getByText('The server does not answer').waitFor();
    await page.unroute('**/entries/**');
    await page.keyboard.press('Enter');
    await panel.getByText('1 place', { exact: true }).waitFor();
  });

  it('is inert under a panel, and active again after it is closed', async () => {
    const phone = await device({ width: 390 });
    await openBook(phone.page, 'The Numbered Tide', '?at=0');
    await settled(phone.page);
    const button = phone.page.getByRole('button', { name: 'Contents and marks' });
    await button.click();
    const panel = phone.page.getByRole('dialog', { name: 'Contents and marks' });
    await panel.waitFor();
    const covered = () => phone.page.locator('.book').evaluate((book) => book.closest('[inert]') !== null);
    assert.equal(await covered(), true);
    assert.deepEqual(await violations(phone.page), []);
    await phone.page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.equal(await covered(), false);
    assert.ok(await button.evaluate((one) => one === document.activeElement));
    await phone.context.close();
  });

  it('applies every reading setting on every paper without an axe violation', async () => {
    const { page } = reader;
    await openBook(page, 'The Numbered Tide', '?at=0');
    await page.getByRole('button', { name: 'Display settings' }).click();
    const inBook = (property) =>
      frameOf(page).evaluate(
        (name) => getComputedStyle(document.querySelector('p')).getPropertyValue(name),
        property,
      );
    const backgrounds = new Set();
    for (const paper of ['White', 'Cream', 'Dusk', 'Night']) {
      await page.getByRole('radio', { name: paper }).click();
      backgrounds.add(await inBook('color'));
      assert.deepEqual(await violations(page), [], paper);
    }
    assert.equal(backgrounds.size, 4);
    const size = Number.parseFloat(await inBook('font-size'));
    await page.getByRole('button', { name: 'Larger' }).click();
    await page.waitForFunction(() => document.querySelector('output')?.textContent === '110%');
    assert.ok(Math.abs(Number.parseFloat(await inBook('font-size')) - size * 1.1) < 0.1);
    await page.getByRole('radio', { name: 'Ragged' }).click();
    assert.equal(await inBook('text-align'), 'start');
    await page.getByRole('radio', { name: 'Sans' }).click();
    assert.match(await inBook('font-family'), /Reader Sans/);
    await page.getByRole('radio', { name: 'Scroll' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Next chapter' }).click();
    await page.locator('footer').getByText('Slack').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.reload();
    await page.getByRole('slider', { name: 'Place in the book' }).waitFor();
    assert.match(await inBook('font-family'), /Reader Sans/);
    await page.evaluate(() => localStorage.removeItem('ledge.reading'));
  });

  it('is marked as finished after its last page', async () => {
    const { page } = reader;
    const item = await openBook(page, 'The Numbered Tide', '?at=2');
    const end = page.getByRole('dialog', { name: 'The end' });
    for (let pages = 0; pages < 12 && !(await end.isVisible()); pages += 1) {
      await settled(page);
      await page.keyboard.press('PageDown');
    }
    await end.waitFor();
    assert.deepEqual(await violations(page), []);
    await placeOf(item, (row) => row.finished);
    const close = end.getByRole('button', { name: 'Close the book' });
    // Covered elements are out of the keyboard's reach.
    for (let n = 0; n < 4; n += 1) {
      await page.keyboard.press('Tab');
      assert.ok(await page.evaluate(() => document.activeElement.matches('body, [role=dialog] *')));
    }
    await leave(page, item, close);
  });

  it('waits for a chapter while the server does not respond, and keeps the position', async () => {
    const { page } = reader;
    const told = toldPlaces(page);
    await openBook(page, 'The Numbered Tide', '?at=0');
    await page.route('**/entries/**/c2.xhtml', (route) => route.abort());
    const notice = page.getByRole('alert').getByText('The server does not answer');
    for (let pages = 0; pages < 12 && !(await notice.isVisible()); pages += 1) {
      await page.keyboard.press('PageDown');
      await notice.waitFor({ timeout: 1500 }).catch(() => {});
    }
    await notice.waitFor();
    await page.unroute('**/entries/**/c2.xhtml');
    await until('the second chapter', async () =>
      (await seen(page))?.some((line) => line.endsWith('chapter two')),
    );
    await notice.waitFor({ state: 'detached' });
    assert.ok(told.every(({ position, finished }) => Number.isInteger(position) && !finished));
  });

  it('shows an error for a missing chapter, continues after it, and repeats the request on demand', async () => {
    const { page } = reader;
    const item = await openBook(page, 'The Numbered Tide', '?at=0');
    await page.route('**/entries/**/c2.xhtml', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.keyboard.press(']');
    const notice = page.getByRole('alert').filter({ hasText: 'This part of the book cannot be shown.' });
    await notice.waitFor();
    await page.locator('footer').getByText('Slack').waitFor();
    const place = await placeOf(item, (row) => row.position === 1 && row.locator === null);
    assert.equal(place.finished, false);
    await page.keyboard.press(']');
    await page.locator('footer').getByText('Flood').waitFor();
    await notice.waitFor({ state: 'detached' });
    await page.keyboard.press('[');
    await notice.waitFor();
    await page.unroute('**/entries/**/c2.xhtml');
    await notice.getByRole('button', { name: 'Retry' }).click();
    await until('the second chapter', async () => (await seen(page))?.includes('Line 1 of chapter two'));
    await notice.waitFor({ state: 'detached' });
  });

  it('keeps hidden bars out of the way of touch input', async () => {
    const phone = await device({ width: 390 });
    await openBook(phone.page, 'The Numbered Tide', '?at=0');
    await settled(phone.page);
    await phone.page.locator('section.reader').evaluate((section) => section.classList.add('away'));
    const back = await phone.page.getByRole('button', { name: 'Back' }).boundingBox();
    const hit = await phone.page.evaluate(
      ({ x, y, width, height }) =>
        document.elementFromPoint(x + width / 2, y + height / 2)?.closest('header') !== null,
      back,
    );
    assert.equal(hit, false);
    await phone.context.close();
  });

  it('causes no console errors', () => assert.deepEqual(reader.complaints, []));
});

/** Chromium 156 reports every handler that the policy blocks, even if it is only read. */
const isNews = (complaint) => !complaint.includes('Executing inline event handler violates');

describe('a hostile book', () => {
  it('is displayed like any other book and runs no script', async () => {
    const { page, context, complaints } = await device();
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await openBook(page, 'The Trap', '?at=0');
    const frame = frameOf(page);
    await frame.getByText('Read me, I am harmless.').waitFor();
    await frame.getByText('Press me').click();
    await frame.evaluate(() => document.querySelector('#send')?.click());
    await page.keyboard.press('Escape');
    await openBook(page, 'The Trap', '?at=0');
    assert.equal(await page.evaluate(() => window.ranInBook), undefined);
    assert.equal(new URL(page.url()).origin, server.url);
    const left = await frameOf(page).evaluate(() => ({
      scripts: document.querySelectorAll('script, iframe, object, embed, form').length,
      handlers: [...document.querySelectorAll('*')].filter((one) =>
        [...one.attributes].some(({ name }) => name.startsWith('on')),
      ).length,
      bait: document.querySelector('#bait')?.getAttribute('href') ?? null,
    }));
    assert.deepEqual(left, { scripts: 0, handlers: 0, bait: null });
    // No other host learns that the book is read.
    assert.deepEqual(
      asked.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(server.url)),
      [],
    );
    assert.ok(await page.evaluate(async () => (await fetch('/api/v1/auth/me')).ok), 'still logged in');
    assert.deepEqual(complaints.filter(isNews), []);
    await context.close();
  });
});

describe('a book of another format', { concurrency: false }, () => {
  for (const [make, title] of [
    ['MOBI', 'The Pocket Tide'],
    ['FictionBook', 'The Fictional Tide'],
  ]) {
    it(`is displayed as ${make}, keeps the position, and runs no script`, async () => {
      const { page, context, complaints } = await device();
      const asked = [];
      page.on('request', (request) => asked.push(request.url()));
      const item = await openBook(page, title, '?at=0');
      await frameOf(page).getByText('Line 1 of chapter one.').waitFor();
      await page.keyboard.press(']');
      await until('the second chapter', async () =>
        frameOf(page)
          .getByText('Line 1 of chapter two.')
          .isVisible()
          .catch(() => false),
      );
      await frameOf(page).getByText('Read me, I am harmless.').waitFor();
      await frameOf(page).getByText('Press me').click();
      await placeOf(item, (row) => row.position > 0);
      assert.equal(await page.evaluate(() => window.ranInBook), undefined);
      assert.equal(new URL(page.url()).origin, server.url);
      const left = await frameOf(page).evaluate(() => [
        document.querySelectorAll('script, iframe, object, embed, form').length,
        [...document.querySelectorAll('*')].filter((one) =>
          [...one.attributes].some(
            ({ name, value }) => /^on|^javascript:/i.test(name) || /^javascript:/i.test(value),
          ),
        ).length,
      ]);
      assert.deepEqual(left, [0, 0]);
      const away = asked.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(server.url));
      assert.deepEqual(away, []);
      assert.deepEqual(complaints.filter(isNews), []);
      await context.close();
    });
  }
});
