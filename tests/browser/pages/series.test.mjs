/** Series, the continue shelf, subkinds, downloads of several files, and unsaved input. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  addLibrary,
  apiOf,
  enter,
  itemOf,
  launchBrowser,
  startServer,
  until,
  violations,
} from '../harness.mjs';

const EPISODES = [
  'Test Pattern/Specials/Test Pattern S00E01 Pilot.mp4',
  'Test Pattern/Season 1/Test Pattern S01E01 Bars.mp4',
  'Test Pattern/Season 1/Test Pattern S01E02 Tone.mp4',
  'Test Pattern/Season 2/Test Pattern S02E01 Snow.mp4',
];

let server;
let browser;
let api;
let show;

/** A file of the demo with this ending. */
async function sample(folder, ending) {
  const names = await readdir(folder, { recursive: true });
  const name = names.sort().find((one) => one.endsWith(ending));
  if (!name) throw new Error(`no ${ending} below ${folder}`);
  return join(folder, name);
}

before(async () => {
  server = await startServer();
  const film = await sample(server.media, '.mp4');
  for (const episode of EPISODES) {
    const path = join(server.media, 'Video', episode);
    await mkdir(dirname(path), { recursive: true });
    await copyFile(film, path);
  }
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  show = await itemOf(api, 'Test Pattern');
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const put = (item, file, body) =>
  api(`/items/${item.id}/progress`, {
    method: 'PUT',
    body: JSON.stringify({ file_id: file.id, position: 0, ...body }),
  });

describe('a series', { concurrency: false }, () => {
  it('lists its episodes by season with the specials last, and starts with the first regular episode', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    await page.goto(`${server.url}/items/${show.id}`);
    await page.getByText('2 seasons').waitFor();
    await page.getByText('3 episodes').waitFor();
    const seasons = page.getByRole('group', { name: 'Seasons' }).getByRole('button');
    await seasons.first().waitFor();
    const names = (await seasons.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    assert.deepEqual(names, ['Season 1 0 of 2', 'Season 2 0 of 1', 'Specials 1']);
    assert.equal(await seasons.first().getAttribute('aria-pressed'), 'true');
    const titles = async (season) => {
      const rows = page.getByRole('list', { name: `Episodes: ${season}` }).getByRole('listitem');
      await rows.first().waitFor();
      const texts = await rows.locator('b').allInnerTexts();
      return texts.map((text) => text.replace(/\s*·\s*/, '·'));
    };
    // The copies contain the title of the film in their tags, which precedes that in the file name.
    assert.deepEqual(await titles('Season 1'), ['S1 E1·Harbour Light', 'S1 E2·Harbour Light']);
    await seasons.nth(2).click();
    assert.deepEqual(await titles('Specials'), ['Special 1·Harbour Light']);
    assert.deepEqual(await violations(page), []);
    assert.equal(show.files[0].episode, 1);
    assert.equal(show.files[0].season, 1);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('marks the next and the watched episodes, and counts them', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    await page.goto(`${server.url}/items/${show.id}`);
    await page.getByRole('button', { name: 'Mark watched: S1 E1, Harbour Light' }).click();
    await page.getByRole('button', { name: 'Continue S1 E2' }).waitFor();
    await page.getByRole('button', { name: 'Season 1 1 of 2' }).waitFor();
    await put(show, show.files[1], { position: 1 });
    await page.goto(server.url);
    const line = page.locator('.now .pos');
    await line.getByText(/^S1 E2 · \d+ (s|min) left$/).waitFor();
    await put(show, show.files[1], { position: 1, finished: true });
    await page.reload();
    await line.getByText('Up next: S2 E1').waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('is translated to German', async () => {
    const { page, context } = await enter(browser, server.url);
    await page.evaluate(() => localStorage.setItem('ledge.language', 'de'));
    await page.goto(`${server.url}/items/${show.id}`);
    await page.getByRole('group', { name: 'Staffeln' }).getByText('Sonderfolgen').waitFor();
    await page.getByText('2 Staffeln').waitFor();
    await page.getByRole('button', { name: 'Weiter: S2 E1' }).waitFor();
    await page.goto(`${server.url}/library/video`);
    await page.getByRole('button', { name: /^Serien \d+$/ }).waitFor();
    await context.close();
  });
});

describe('an item list', { concurrency: false }, () => {
  it('is filtered by subkind with mouse and keyboard, and keeps it in the address', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    await page.goto(`${server.url}/library/video`);
    const sorts = page.getByRole('group', { name: 'Subtypes' });
    const series = sorts.getByRole('button', { name: /^Series \d+$/ });
    await series.click();
    await page.waitForURL((url) => url.searchParams.get('subkind') === 'series');
    assert.equal(await series.getAttribute('aria-pressed'), 'true');
    const { items } = await api('/items/subkinds?kind=video');
    const count = items.find((entry) => entry.subkind === 'series').items;
    const total = page.locator('header p').getByText(String(count), { exact: true });
    await total.waitFor();
    await page.reload();
    await total.waitFor();
    await series.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('subkind'));
    assert.equal(await series.getAttribute('aria-pressed'), 'false');
    await sorts.getByRole('button', { name: /^Films \d+$/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    // On a phone the chips wrap and none is wider than the page.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.url}/library/games`);
    await sorts.getByRole('button').first().waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `the page is ${width} px wide`);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

describe('a download of several files', () => {
  it('offers single files, and all of them in an archive', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    await page.goto(`${server.url}/items/${show.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Download', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Download' });
    const links = dialog.getByRole('link');
    await dialog.getByText('Test Pattern S00E01 Pilot.mp4').waitFor();
    assert.equal(await links.count(), EPISODES.length + 1);
    const taken = [];
    page.on('download', (download) => taken.push(download));
    await links.first().click();
    await until('one download', () => taken.length === 1);
    const names = EPISODES.map((path) => path.split('/').at(-1));
    assert.ok(names.includes(taken[0].suggestedFilename()));
    await dialog.getByRole('link', { name: 'Download all' }).click();
    await until('the archive', () => taken.length === 2);
    assert.equal(taken[1].suggestedFilename(), 'Test Pattern.zip');
    assert.equal(await taken[1].failure(), null);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

describe('unsaved input', { concurrency: false }, () => {
  it('requires a confirmation before Escape, close or back discards it', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    await page.goto(`${server.url}/library/video`);
    await page
      .getByRole('link', { name: /Test Pattern/ })
      .first()
      .click();
    const edit = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
    };
    const dialog = page.getByRole('dialog', { name: 'Edit details' });
    const title = dialog.getByLabel('Title');
    const question = page.getByRole('alertdialog', {
      name: 'Discard your changes?',
    });

    await edit();
    await title.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' }); // nothing was changed

    await edit();
    await title.fill('Another title');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    assert.equal(await title.inputValue(), 'Another title');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    const address = page.url();
    await page.evaluate(() => history.back());
    await question.waitFor();
    assert.equal(page.url(), address);
    assert.equal(await title.inputValue(), 'Another title');
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await api(`/items/${show.id}`)).title, 'Test Pattern');
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('requires a confirmation in the dialogs of libraries and users', async () => {
    const { page, context, complaints } = await enter(browser, server.url);
    const question = page.getByRole('alertdialog', {
      name: 'Discard your changes?',
    });
    for (const [path, button, field] of [
      ['users', 'Add a user', 'Username'],
      ['libraries', 'Add a library', 'Name'],
    ]) {
      await page.goto(`${server.url}/settings/${path}`);
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(field, { exact: true }).fill('half');
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
