/** A user's way through the real server: log in, add a folder, view, play, download; and the limits of other users. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { apiOf, launchBrowser, logIn, openPage, password, startServer, violations } from '../harness.mjs';

let server;
let browser;
let admin;
let api;

before(async () => {
  server = await startServer();
  // An unregistered name that only this browser resolves. It makes the page an insecure context, as on a home network.
  browser = await launchBrowser(['--host-resolver-rules=MAP ledge.home.example 127.0.0.1']);
  admin = await openPage(browser);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const rail = (page) => page.getByRole('navigation', { name: 'Main' }).first();

describe('an administrator', { concurrency: false }, () => {
  it('is rejected with a wrong password and signed in with the right one', async () => {
    const { page } = admin;
    await page.goto(`${server.url}/settings/libraries`);
    await logIn(page, 'admin', 'not this one');
    await page.getByText('Wrong username or password').waitFor();
    await logIn(page);
    await page.getByRole('heading', { level: 1, name: 'Libraries' }).waitFor();
  });

  it('adds a library by selecting its folder, and follows the scan to its end', async () => {
    const { page } = admin;
    await page.getByRole('button', { name: 'Add a library' }).click();
    const dialog = page.getByRole('dialog');
    const parts = server.media.split('/').filter((part) => part !== '');
    // The first listing is loaded: before that the parent folder is unknown, too.
    await dialog.locator('.here').filter({ hasText: '/' }).waitFor();
    while (await dialog.getByRole('button', { name: 'One folder up' }).isVisible()) {
      const here = await dialog.getByRole('textbox', { name: 'Folder' }).inputValue();
      await dialog.getByRole('button', { name: 'One folder up' }).click();
      await page.waitForFunction(
        (old) => document.querySelector('dialog .here')?.textContent?.trim() !== old,
        here,
      );
    }
    for (const part of parts) {
      await dialog
        .getByRole('list', { name: 'Folders' })
        .getByRole('button', { name: part, exact: true })
        .click();
      await page.waitForFunction(
        (name) => document.querySelector('dialog .here')?.textContent?.trim().endsWith(`/${name}`),
        part,
      );
    }
    assert.equal(await dialog.getByRole('textbox', { name: 'Folder' }).inputValue(), server.media);
    await dialog.getByLabel('Name').fill('Everything');
    await dialog.getByRole('button', { name: 'Add and scan' }).click();
    await page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor();
    await page.getByText(/^Scanned /).waitFor({ timeout: 60_000 });
    await page.getByText(/\d+ files added/).waitFor();
    api = await apiOf(server.url);
  });

  it('sees every kind in the rail with its count, and every shelf with items', async () => {
    const { page } = admin;
    const { items: kinds } = await api('/media-types');
    assert.ok(kinds.length >= 4);
    for (const kind of kinds) {
      const { total } = await api(`/items?kind=${kind.id}&limit=1`);
      assert.ok(total > 0, kind.id);
      await rail(page)
        .getByRole('link', { name: new RegExp(`^${kind.label_plural}\\s*${total}$`) })
        .click();
      await page.getByRole('heading', { level: 1, name: kind.label_plural }).waitFor();
      const { items } = await api(`/items?kind=${kind.id}&limit=1`);
      await page.getByRole('link', { name: items[0].display_title }).first().waitFor();
      assert.deepEqual(await violations(page), []);
    }
  });

  it('plays a track that continues during navigation', async () => {
    const { page } = admin;
    const { file, item } = await fileWith('audio');
    await page.goto(`${server.url}/items/${item.id}`);
    await page.getByRole('button', { name: title(file), exact: true }).click();
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.3);
    const before = await page.evaluate(() => document.querySelector('audio')?.currentTime ?? 0);
    await rail(page).getByRole('link', { name: 'Home' }).click();
    await page.getByText('Recently added').first().waitFor();
    await page.waitForFunction((past) => (document.querySelector('audio')?.currentTime ?? 0) > past, before);
    await page.getByRole('button', { name: 'Close player' }).click();
  });

  it('plays a film with a picture', async () => {
    const { page } = admin;
    const { file, item } = await fileWith(
      'video',
      (one) => one.vcodec === 'h264' || one.name.endsWith('.webm'),
    );
    await page.goto(`${server.url}/items/${item.id}/open/${file.id}`);
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      return video !== null && video.videoWidth > 0 && video.currentTime > 0.2;
    });
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    await page.keyboard.press('Escape');
    await page.waitForURL(`${server.url}/items/${item.id}`);
    await page.locator('video').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: item.title }).waitFor();
  });

  it('downloads a book byte for byte', async () => {
    const { page } = admin;
    const { file, item } = await fileWith('epub');
    await page.goto(`${server.url}/items/${item.id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: `Download ${title(file)}`, exact: true }).click(),
    ]);
    assert.equal(download.suggestedFilename(), file.name);
    const given = await readFile(await download.path());
    assert.deepEqual(given, await readFile(join(server.media, file.path)));
  });

  it('distinguishes the formats of a book on a phone', async () => {
    const { page } = admin;
    const { item } = await fileWith('pdf', (one) => one.name.includes('Grey Skerry'));
    await page.setViewportSize({ width: 390, height: 860 });
    await page.goto(`${server.url}/items/${item.id}`);
    for (const format of ['EPUB', 'PDF', 'TXT']) {
      await page.getByRole('button', { name: `${item.title} ${format}`, exact: true }).waitFor();
      await page.getByRole('link', { name: `Download ${item.title}, ${format}`, exact: true }).waitFor();
      assert.equal(await page.locator('button small', { hasText: format }).isVisible(), true);
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('sees no console errors', () => assert.deepEqual(admin.complaints, []));
});

describe('a user without grants', () => {
  it('sees who grants access, and no server settings', async () => {
    await api('/users', {
      method: 'POST',
      body: JSON.stringify({ username: 'guest', password: 'guest-of-the-house' }),
    });
    const { page, context, complaints } = await openPage(browser, { theme: 'light' });
    await page.goto(server.url);
    await logIn(page, 'guest', 'guest-of-the-house');
    await page.getByText('Ask the person who runs this server').waitFor();
    assert.deepEqual(await violations(page), []);
    const { items: kinds } = await api('/media-types');
    await page.goto(`${server.url}/library/${kinds[0].id}`);
    await page.getByText('Nothing is shared with you yet').waitFor();
    for (const section of ['libraries', 'users', 'jobs', 'missing', 'about']) {
      await page.goto(`${server.url}/settings/${section}`);
      await page.getByText('Page not found').waitFor();
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

describe('plain HTTP with a host name', () => {
  it('needs no secure context', async () => {
    const { page, context, complaints } = await openPage(browser);
    await page.goto(`http://ledge.home.example:${server.port}/`);
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await logIn(page, 'admin', password);
    await page.getByText('Recently added').first().waitFor();
    const { file, item } = await fileWith('audio');
    await page.goto(`http://ledge.home.example:${server.port}/items/${item.id}`);
    await page.getByRole('button', { name: title(file), exact: true }).click();
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.2);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

/** The first present file that the named viewer opens, with its item. */
async function fileWith(viewer, accept = () => true) {
  const { items } = await api('/items?limit=500');
  for (const card of items) {
    const item = await api(`/items/${card.id}`);
    const file = item.files.find((one) => one.viewer === viewer && !one.missing && accept(one));
    if (file) return { item, file };
  }
  throw new Error(`the demo library holds nothing for the viewer ${viewer}`);
}

const title = (file) => file.title ?? file.name.replace(/\.[^.]+$/, '');
