/** Lists of items and the page of one, against the stand-in server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;

before(async () => (browser = await launchBrowser()));

after(() => browser?.close());

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

const text = (words) => (page) => page.getByText(words).first().waitFor();

const written = (fake) => fake.state.written;

/** Answers with an item whose files have chapters. */
async function withChapters(route, chapters) {
  const response = await route.fetch();
  const item = await response.json();
  await route.fulfill({
    response,
    json: { ...item, files: item.files.map((file) => ({ ...file, chapters })) },
  });
}

describe('a list of ten thousand items', () => {
  it('scrolls to its end without long pauses', () =>
    withPage({ many: 10_000 }, '/library/books', async (page) => {
      page.setDefaultTimeout(60_000);
      await page.locator('header p.num', { hasText: '10,000' }).waitFor();
      // Long tasks are counted, not the speed of this machine: frames may be late, but each is short.
      const seen = await page.evaluate(async () => {
        const tasks = [];
        const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
        watch.observe({ type: 'longtask' });
        let cells = 0;
        let frames = 0;
        const height = document.documentElement.scrollHeight;
        for (let at = 0; at <= 1; at += 0.01) {
          scrollTo(0, height * at);
          await new Promise((resolve) => requestAnimationFrame(resolve));
          frames += 1;
          cells = Math.max(cells, document.querySelectorAll('li[data-index]').length);
        }
        return { frames, cells, height, long: tasks.filter((task) => task.duration > 200).length };
      });
      assert.ok(seen.height > 100_000, `${seen.height} px high`);
      assert.ok(seen.cells < 100, `${seen.cells} cells`);
      assert.ok(seen.long <= seen.frames / 10, `${seen.long} long tasks in ${seen.frames} frames`);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.locator('li[data-index="9999"] a').waitFor();
    }));
});

describe('filters', () => {
  it('are in the address, combine, and are cleared together', () =>
    withPage({}, '/library/books', async (page) => {
      const total = page.locator('header p.num');
      await page.getByRole('button', { name: 'In progress' }).click();
      await total.getByText('3', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('state'), 'started');
      await page.getByRole('button', { name: 'Favourites' }).click();
      await page.getByText('No matches').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await total.getByText('180').waitFor();
      assert.equal(new URL(page.url()).search, '');
      await page.goto(page.url() + '?favourite=true');
      await total.getByText('1', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Plays here' }).count(), 0);
    }));

  it('include playability in this browser', () =>
    withPage({}, '/library/video', async (page) => {
      await page.getByText('Sintel').first().waitFor();
      const asked = page.waitForRequest((request) => request.url().includes('engines=html5'));
      await page.getByRole('button', { name: 'Plays here' }).click();
      await asked;
      await page.getByText('No matches').waitFor();
    }));
});

describe('an item', () => {
  it('continues at its position, shows it, and is marked as finished at its end', () =>
    withPage({}, '/items/182', async (page, fake) => {
      await page.getByText('The Spouter-Inn, 0:27').waitFor();
      await page.getByRole('button', { name: 'Continue chapter 3' }).click();
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 27.5);
      await until('it to come so far', () =>
        written(fake).some((write) => write.file_id === 18202 && write.position >= 27),
      );
      assert.equal(fake.state.views, 1);
      assert.match(written(fake)[0].recorded_at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/);
      await page.evaluate(() => (document.querySelector('audio').currentTime = 59.7));
      await page.getByText('The Counterpane').last().waitFor();
      await until('it to come so far', () =>
        written(fake).some((write) => write.file_id === 18202 && write.finished),
      );
      // The other element plays now.
      await page.waitForFunction(() =>
        [...document.querySelectorAll('audio')].some((one) => !one.paused && one.src.includes('18203')),
      );
      assert.equal(fake.state.views, 1);
      await page.getByRole('button', { name: 'Close player' }).click();
    }));

  it('stores a position over a reload while the server is unavailable, and sends it later', () =>
    withPage({}, '/items/181', async (page, fake) => {
      fake.options.offline = true;
      await page.getByRole('button', { name: 'Listen' }).click();
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 1.2);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.waitForFunction(() => (localStorage.getItem('ledge.outbox.1') ?? '[]') !== '[]');
      const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('ledge.outbox.1') ?? '[]'));
      fake.options.offline = false;
      await page.reload();
      await until('it to come so far', () => written(fake).length > 0);
      assert.equal(written(fake)[0].recorded_at, kept[0].recorded_at);
      await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
      await page.getByRole('button', { name: 'Continue chapter 1' }).waitFor();
    }));

  it('shows the same position before and after a reload that interrupts its delivery', () =>
    withPage({ offline: true }, `/items/${FILM}`, async (page) => {
      const film = { item_id: FILM, file_id: FILM * 100, position: 4, finished: false };
      const recorded_at = new Date().toISOString().replace('Z', '000Z');
      await page.evaluate((write) => localStorage.setItem('ledge.outbox.1', JSON.stringify([write])), {
        ...{ ...film, recorded_at },
      });
      await page.reload();
      await page.getByText(/^33.% · 0:04$/).waitFor();
      assert.equal(await page.getByText('4 s played').count(), 0);
    }));

  it('shows the chapters of a book without times', async () => {
    const chapters = ['One', 'Two', 'Three'].map((title, start) => ({ title, start }));
    for (const [id, times] of [
      [7, 0],
      [FILM, 3],
    ])
      await withPage({}, '/', async (page, fake) => {
        await page.route(`**/api/v1/items/${id}?*`, (route) => withChapters(route, chapters));
        await page.route(`**/api/v1/items/${id}`, (route) => withChapters(route, chapters));
        await page.goto(`${fake.url}/items/${id}`);
        const list = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'Three' }).last();
        await list.getByRole('button', { name: 'Three' }).waitFor();
        assert.equal(await list.getByText(/^\d+:\d\d$/).count(), times);
      });
  });

  it('saves the position when the page is closed', () =>
    withPage({}, '/items/181', async (page, fake) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      await until('it to come so far', () => written(fake).length > 0);
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 3.2);
      await page.goto(`${fake.url}/api/v1/version`);
      await until('it to come so far', () => written(fake).some((write) => write.position >= 3));
    }));

  it('is marked as finished and unfinished, reset, and restored from its history', () =>
    withPage({}, '/items/182', async (page) => {
      const act = async (name) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await act('Mark as finished');
      await page.getByRole('button', { name: 'Listen again' }).waitFor();
      await act('Mark as unfinished');
      await page.getByRole('button', { name: 'Continue chapter 6' }).waitFor();
      await act('Progress history');
      await page.getByRole('button', { name: 'Go to this position: Loomings, 0:41' }).click();
      await page.getByText('Loomings, 0:41').waitFor();
      await page.getByRole('button', { name: 'Continue chapter 1' }).waitFor();
      await act('Reset progress');
      await page.getByRole('button', { name: 'Listen', exact: true }).waitFor();
    }));

  it('becomes a favourite by a click, and is reverted if the server refuses', () =>
    withPage({}, '/items/1', async (page) => {
      const heart = page.getByRole('button', { name: 'Favourite', exact: true });
      await heart.click();
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
      await page.getByRole('link', { name: 'Favourites' }).click();
      await page.getByRole('list', { name: 'Favourites' }).getByText('Emma').first().waitFor();
      await page.goBack();
      const refusal = { error: { code: 'internal', message: 'Something went wrong.' } };
      await page.route('**/favourite', (route) => route.fulfill({ status: 500, json: refusal }));
      await heart.click();
      await page.getByRole('alert').first().waitFor();
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
    }));

  it('is edited by an administrator, with locked fields and errors shown', () =>
    withPage({}, '/items/182', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Year').fill('soon');
      await dialog.getByText('A year is a whole number').waitFor();
      await dialog.getByLabel('Year').fill('12000');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('A year is at most 9999').waitFor();
      await dialog.getByLabel('Year').fill('1852');
      await dialog.getByLabel('Authors').fill('Herman Melville\nA. Reader');
      await dialog.getByRole('button', { name: 'Unlock: Title' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'A. Reader' }).waitFor();
      await page.getByText('1852').first().waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      assert.equal(await dialog.getByRole('button', { name: 'Unlock: Title' }).count(), 0);
      await dialog.getByRole('button', { name: 'Unlock: Year' }).waitFor();
    }));

  it('is matched to another entry by an administrator, and the match can be undone', () =>
    withPage({}, '/items/182', async (page) => {
      await page.getByText('1851').first().waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Metadata' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('searchbox').fill('Moby');
      await dialog.getByRole('button', { name: 'Search' }).click();
      await dialog.getByText('Herman Melville · 1998').waitFor();
      await dialog.getByText('98 % similar').waitFor();
      await dialog.getByText('No answer: the request timed out.').waitFor();
      await dialog.getByRole('button', { name: 'Apply Moby-Dick' }).nth(1).click();
      await dialog.getByRole('status').filter({ hasText: 'Applied.' }).waitFor();
      await dialog.getByText('chosen manually').waitFor();
      await page.locator('main').getByText('1998').first().waitFor({ state: 'attached' });
      await dialog.getByRole('button', { name: /^Undo the match of/ }).click();
      await dialog.getByRole('status').filter({ hasText: 'Undone.' }).waitFor();
      await dialog.getByRole('button', { name: /^Undo the match of/ }).waitFor({ state: 'detached' });
    }));

  it('shows the changes of a refresh and of a candidate before they are written', () =>
    withPage({}, '/items/182', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Metadata' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Preview changes', exact: true }).click();
      await dialog.getByText('A captain hunts a whale.').waitFor();
      const genres = dialog.locator('dl > div').filter({ hasText: 'Genres' });
      assert.equal((await genres.innerText()).replace(/\s+/g, ' '), 'Genres Removed: Sea Added: Adventure');
      await dialog.getByText('With pictures: cover.').waitFor();
      await dialog.getByRole('status').getByText('The preview is shown.').waitFor();
      const shown = dialog.getByRole('button', { name: 'Preview changes', exact: true });
      assert.ok(await shown.evaluate((node) => node === document.activeElement));
      await dialog.getByRole('searchbox').fill('Moby');
      await dialog.getByRole('button', { name: 'Search' }).click();
      const preview = dialog.getByRole('button', { name: 'Preview changes of Moby-Dick' }).first();
      await preview.click();
      assert.equal(await preview.getAttribute('aria-expanded'), 'true');
      await dialog.getByText('A captain hunts a whale.').nth(1).waitFor();
      assert.deepEqual(await violations(page), []);
      await preview.click();
      assert.equal(await dialog.getByText('A captain hunts a whale.').count(), 1);
    }));

  it('is not editable by other users', () =>
    withPage({ role: 'user' }, '/items/182', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Mark as finished' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Edit details' }).count(), 0);
    }));
});

describe('browse', () => {
  it('renders only the visible rows', () =>
    withPage({}, '/library/books', async (page) => {
      await text('Anna Karenina')(page);
      assert.ok((await page.locator('li[data-index]').count()) < 60);
      await page.mouse.wheel(0, 100_000);
      await page.getByText('Wuthering Heights, volume 6', { exact: true }).waitFor();
      assert.ok((await page.locator('li[data-index]').count()) < 60);
    }));

  it('jumps to a letter and moves with the arrow keys', () =>
    withPage({}, '/library/books', async (page) => {
      const rail = page.getByRole('slider', { name: 'Jump to letter' });
      await rail.focus();
      await page.keyboard.press('End');
      await page.getByText('Wuthering Heights', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Wuthering Heights Emily/ }).focus();
      await page.keyboard.press('ArrowRight');
      assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /volume 2/);
    }));

  it('keeps the focus during long keyboard movement, also over rows that are loading', () =>
    withPage({}, '/library/books', async (page, fake) => {
      await text('Anna Karenina')(page);
      const here = () =>
        page.evaluate(() => Number(document.activeElement?.closest('li')?.dataset.index ?? -1));
      const release = fake.hold((url) => Number(url.searchParams.get('offset') ?? 0) >= 60);
      await page.locator('li[data-index="0"] a').focus();
      await page.keyboard.press('ArrowDown');
      const columns = await here();
      assert.ok(columns > 2);
      const rows = Math.floor(150 / columns);
      for (let row = 1; row < rows; row += 1) await page.keyboard.press('ArrowDown');
      release();
      await until('it to come so far', async () => (await here()) === rows * columns);
      for (let row = 0; row < rows; row += 1) await page.keyboard.press('ArrowUp');
      await until('it to come so far', async () => (await here()) === 0);
    }));

  it('restores the scroll position', () =>
    withPage({}, '/library/books', async (page) => {
      await text('Anna Karenina')(page);
      await page.mouse.wheel(0, 3000);
      await page.waitForFunction(() => scrollY > 2000);
      const links = page.locator('li[data-index] a');
      // A completely visible card: no scrolling before the click.
      const shown = await links.evaluateAll((all) =>
        all.findIndex((one) => {
          const box = one.getBoundingClientRect();
          return box.top > 0 && box.bottom < innerHeight;
        }),
      );
      const link = links.nth(shown);
      const title = await link.locator('b').textContent();
      const before = await page.evaluate(() => scrollY);
      await link.click();
      await page.getByRole('heading', { level: 1, name: title ?? '' }).waitFor();
      await page.goBack();
      await page.waitForFunction((y) => Math.abs(scrollY - y) < 400, before);
      await page
        .getByText(title ?? '')
        .first()
        .waitFor();
    }));

  it('keeps the scroll position over a reload', () =>
    withPage({}, '/library/books', async (page, fake) => {
      await text('Anna Karenina')(page);
      const loaded = () =>
        page.waitForFunction(() =>
          performance.getEntriesByType('resource').some(({ name }) => name.includes('after-first-page')),
        );
      await loaded();
      await page.evaluate(() => scrollTo(0, 2500));
      await page.reload();
      await page.waitForFunction(() => scrollY === 2500);
      const release = fake.hold((url) => url.pathname === '/api/v1/items');
      await page.reload();
      await loaded();
      release();
      await page.waitForFunction(() => scrollY === 2500);
      await page.goto(page.url());
      await text('Anna Karenina')(page);
      await loaded();
      assert.equal(await page.evaluate(() => scrollY), 0);
    }));
});
