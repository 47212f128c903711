/** Audio playback in the real server: a book across its files, during navigation, and on another device. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  addLibrary,
  apiOf,
  launchBrowser,
  logIn,
  openPage,
  startServer,
  violations,
} from '../../harness.mjs';
import { tone } from '../../media/sounds.mjs';

let server;
let browser;
let api;
let listener;
let book;
let album;

const chapters = ['The Harbour', 'The Crossing', 'The Far Shore'];
const LENGTH = 20;
/** Seconds of a song: longer than a slow machine takes to check the page meanwhile. */
const SONG = 60;

before(async () => {
  server = await startServer();
  const shelf = join(server.media, 'Audio', 'Audiobooks', 'Ada Tester', 'The Long Way Round');
  await mkdir(shelf, { recursive: true });
  for (const [at, name] of chapters.entries())
    await writeFile(join(shelf, `0${at + 1} - ${name}.wav`), tone(LENGTH, 200 + at * 60));
  const music = join(server.media, 'Audio', 'Music', 'The Testers', 'Two Sides');
  for (const disc of [1, 2]) {
    await mkdir(join(music, `CD ${disc}`), { recursive: true });
    for (const track of [1, 2])
      await writeFile(
        join(music, `CD ${disc}`, `0${track} - Song ${disc}${track}.wav`),
        tone(SONG, 300 * disc + track),
      );
  }
  await writeFile(
    join(music, 'CD 1', '01 - Song 11.lrc'),
    '[00:00.50]First line\n[00:02.00]Second line\n[00:55.00]Third line\n',
  );
  api = await apiOf(server.url);
  await addLibrary(api, server.media);
  const { items } = await api('/items?limit=500&kind=audio');
  const named = async (title) => api(`/items/${items.find((one) => one.title === title).id}`);
  book = await named('The Long Way Round');
  album = await named('Two Sides');
  browser = await launchBrowser();
  listener = await device();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function device(options) {
  const opened = await openPage(browser, options);
  await opened.page.goto(server.url);
  await logIn(opened.page);
  await opened.page.getByText('Recently added').first().waitFor();
  return opened;
}

/** Waits until a playing element matches `test`, and returns it. */
async function sounding(page, test = () => true) {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const now = await page.evaluate(() => {
      const element = [...document.querySelectorAll('audio')].find(
        (one) => !one.paused && !one.seeking && one.readyState >= 2,
      );
      return element
        ? {
            file: Number(/files\/(\d+)/.exec(element.src)?.[1]),
            time: element.currentTime,
            rate: element.playbackRate,
          }
        : null;
    });
    if (now && test(now)) return now;
    await pause(50);
  }
  const there = await page.evaluate(() =>
    [...document.querySelectorAll('audio')].map((one) => ({
      file: one.src.slice(-24),
      time: one.currentTime,
      paused: one.paused,
      seeking: one.seeking,
      ended: one.ended,
      readyState: one.readyState,
      error: one.error?.message,
    })),
  );
  throw new Error(`nothing of that kind sounds, but ${JSON.stringify(there)}`);
}

async function silent(page) {
  await page.waitForFunction(() => [...document.querySelectorAll('audio')].every((one) => one.paused));
}

const seek = (page) => page.getByRole('region', { name: 'Player' }).getByRole('slider', { name: 'Seek' });
const dock = (page) => page.getByRole('region', { name: 'Player' });

/** Sets the slider to a second of the whole timeline. */
async function seekTo(page, seconds) {
  await seek(page).evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, seconds);
}

async function placeIn(file, test) {
  const item = [book, album].find((one) => one.files.some(({ id }) => id === file));
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const { items } = await api(`/items/${item.id}/progress`);
    const place = items.find((one) => one.file_id === file);
    if (place && test(place)) return place;
    await pause(50);
  }
  throw new Error(`no such place in file ${file}`);
}

describe('an audiobook', { concurrency: false }, () => {
  it('lists its chapters on its page, and starts at the selected one', async () => {
    const { page } = listener;
    assert.equal(book.facts.form, 'audiobook');
    await page.goto(`${server.url}/items/${book.id}`);
    await page.getByRole('heading', { name: 'Chapters' }).waitFor();
    await page.getByRole('button', { name: chapters[1], exact: true }).click();
    const now = await sounding(page, ({ time }) => time > 0.3);
    assert.equal(now.file, book.files[1].id);
    await dock(page).getByText(chapters[1], { exact: true }).waitFor();
  });

  it('has one timeline: a seek crosses the borders of files', async () => {
    const { page } = listener;
    assert.equal(await seek(page).getAttribute('max'), String(3 * LENGTH));
    await seekTo(page, 2 * LENGTH + 5);
    const now = await sounding(page, ({ file }) => file === book.files[2].id);
    assert.ok(now.time >= 4.9);
    await dock(page).getByRole('button', { name: 'Previous chapter' }).click();
    await dock(page).getByRole('button', { name: 'Previous chapter' }).click();
    await sounding(page, ({ file, time }) => file === book.files[1].id && time < 5);
    await dock(page).getByRole('button', { name: 'Forward 30 seconds' }).click();
    await sounding(page, ({ file, time }) => file === book.files[2].id && time > 9);
  });

  it('continues with the preloaded next file at the same speed', async () => {
    const { page } = listener;
    await dock(page).getByRole('combobox', { name: 'Speed' }).selectOption({ label: '2×' });
    await seekTo(page, LENGTH - 14);
    await sounding(page, ({ file }) => file === book.files[0].id);
    await page.waitForFunction(
      (next) => [...document.querySelectorAll('audio')].some((one) => one.paused && one.src.includes(next)),
      `/files/${book.files[1].id}/`,
    );
    const next = await sounding(page, ({ file, time }) => file === book.files[1].id && time > 0.5);
    assert.equal(next.rate, 2);
    assert.equal((await placeIn(book.files[0].id, (place) => place.finished)).position, LENGTH);
    await dock(page).getByText(chapters[1], { exact: true }).waitFor();
    await dock(page).getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1×' });
  });

  it('continues while other pages and a book are open', async () => {
    const { page } = listener;
    const { time } = await sounding(page);
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByText('Recently added').first().waitFor();
    await sounding(page, (now) => now.time > time + 0.3);
    const { items } = await api('/items?limit=500');
    const text = await api(`/items/${items.find((one) => one.kind === 'books').id}`);
    await page.evaluate((path) => {
      const link = document.createElement('a');
      link.href = path;
      document.querySelector('main').append(link);
      link.click();
    }, `/items/${text.id}`);
    await page.getByRole('heading', { level: 1, name: text.title }).waitFor();
    await sounding(page, (now) => now.time > time + 0.6);
  });

  it('pauses at the end of the chapter, positioned at the start of the next one', async () => {
    const { page } = listener;
    // The clock stops until the timer is set, regardless of the time that takes.
    await dock(page).getByRole('button', { name: 'Pause', exact: true }).click();
    await silent(page);
    await seekTo(page, 2 * LENGTH - 3);
    await dock(page)
      .getByRole('combobox', { name: 'Sleep' })
      .selectOption({ label: 'At the end of the chapter' });
    await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
    await dock(page).getByText(chapters[2], { exact: true }).waitFor();
    await dock(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
    await silent(page);
    assert.equal(await dock(page).getByRole('combobox', { name: 'Sleep' }).inputValue(), '');
    assert.equal((await placeIn(book.files[1].id, (place) => place.finished)).position, LENGTH);
  });

  it('shows the remaining minutes of the sleep timer', async () => {
    const { page } = listener;
    const sleep = dock(page).getByRole('combobox', { name: 'Sleep' });
    await dock(page).getByRole('button', { name: 'Play', exact: true }).click();
    await sounding(page);
    await sleep.selectOption({ label: 'In 5 minutes' });
    await page.waitForFunction(
      () =>
        document.querySelector('select[aria-label=Sleep]')?.selectedOptions[0]?.textContent === '5 min left',
    );
    await sleep.selectOption({ label: 'Off' });
    assert.equal(await sleep.inputValue(), '');
  });

  it('responds to the keyboard and reports to the media session', async () => {
    const { page } = listener;
    await seekTo(page, 2 * LENGTH + 2);
    await sounding(page, ({ file }) => file === book.files[2].id);
    await dock(page)
      .getByRole('button', { name: 'Next chapter' })
      .evaluate((button) => button.parentElement.querySelector('.play').focus());
    await page.keyboard.press('k');
    await silent(page);
    await page.keyboard.press('k');
    await sounding(page);
    await page.waitForFunction(
      ([title, album]) => {
        const { metadata, playbackState } = navigator.mediaSession;
        return metadata?.title === title && metadata.album === album && playbackState === 'playing';
      },
      [chapters[2], book.title],
    );
  });

  it('saves the position when the page closes, and continues on another device', async () => {
    const { page } = listener;
    await seekTo(page, 2 * LENGTH + 9);
    await sounding(page, ({ file, time }) => file === book.files[2].id && time > 9.2);
    await page.goto(`${server.url}/api/v1/version`);
    await placeIn(book.files[2].id, (place) => place.position >= 9);

    const phone = await device({ width: 390, theme: 'light' });
    await phone.page.goto(`${server.url}/items/${book.id}`);
    await phone.page.getByRole('button', { name: 'Continue chapter 3' }).click();
    const now = await sounding(phone.page, ({ file }) => file === book.files[2].id);
    assert.ok(now.time >= 9, `goes on at ${now.time}`);
    await phone.page.getByRole('button', { name: 'Open the player' }).click();
    const sheet = phone.page.getByRole('dialog', { name: 'Player' });
    await sheet.getByRole('heading', { name: chapters[2] }).waitFor();
    assert.deepEqual(await violations(phone.page), []);
    await sheet.getByRole('button', { name: chapters[0] }).click();
    await sounding(phone.page, ({ file }) => file === book.files[0].id);
    await sheet.getByRole('button', { name: 'Playback' }).click();
    await sheet.getByRole('combobox', { name: 'Skip back by' }).selectOption({ label: '5 s' });
    await sheet.getByRole('button', { name: 'Back 5 seconds' }).waitFor();
    assert.deepEqual(await violations(phone.page), []);
    await phone.page.keyboard.press('Escape');
    await phone.page.getByRole('button', { name: 'Close player' }).click();
    await silent(phone.page);
    assert.deepEqual(phone.complaints, []);
    await phone.context.close();
  });
});

describe('an album', { concurrency: false }, () => {
  it('lists its tracks by disc, and highlights the lyrics in time', async () => {
    const { page } = listener;
    await page.goto(`${server.url}/items/${album.id}`);
    await page.getByRole('heading', { name: 'Disc 2' }).waitFor();
    await page.getByRole('button', { name: 'Song 11', exact: true }).click();
    await sounding(page);
    await dock(page).getByRole('button', { name: 'Open the player' }).click();
    const sheet = page.getByRole('dialog', { name: 'Player' });
    await sheet.getByRole('button', { name: 'Lyrics' }).click();
    await sheet.locator('[aria-current=true]', { hasText: 'Second line' }).waitFor();
    await sheet.getByRole('button', { name: 'Third line' }).click();
    await sounding(page, ({ time }) => time >= 54.9);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
  });

  it('continues with the next track, also on the next disc', async () => {
    const { page } = listener;
    await sounding(page, ({ file, time }) => file === album.files[1].id && time > 0.2);
    assert.equal(await seek(page).getAttribute('max'), String(SONG));
    await dock(page).getByRole('button', { name: 'Next', exact: true }).click();
    await sounding(page, ({ file }) => file === album.files[2].id);
  });

  it('shows the error of a track, and skips it', async () => {
    const { page } = listener;
    const broken = `**/api/v1/files/${album.files[3].id}/content`;
    await page.route(broken, (route) =>
      route.fulfill({ status: 200, contentType: 'audio/wav', body: 'no sound at all' }),
    );
    await page.goto(`${server.url}/items/${album.id}`);
    await page.getByRole('button', { name: 'Song 22', exact: true }).click();
    await page.getByRole('alert').getByText('This browser cannot play WAV, PCM').waitFor();
    await page.unroute(broken);

    const away = `**/api/v1/files/${album.files[0].id}/content`;
    await page.route(away, (route) => route.abort());
    await page.getByRole('button', { name: 'Song 11', exact: true }).click();
    const alert = page.getByRole('alert').getByText('The server does not answer');
    await alert.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.unroute(away);
    // The page retries automatically.
    await sounding(page, ({ file }) => file === album.files[0].id);
    await alert.waitFor({ state: 'detached' });
  });

  it('requests a login after the session ended, and continues afterwards', async () => {
    const { page, context } = listener;
    await context.clearCookies();
    await page.getByRole('button', { name: 'Song 21', exact: true }).click();
    await page.getByText('Your session has ended').waitFor();
    await logIn(page);
    await sounding(page, ({ file }) => file === album.files[2].id);
    await dock(page).getByRole('button', { name: 'Close player' }).click();
    await silent(page);
  });

  it('has no axe violation in the light theme', async () => {
    const { page, context, complaints } = await device({ theme: 'light' });
    await page.goto(`${server.url}/items/${album.id}`);
    await page.getByRole('button', { name: 'Song 11', exact: true }).click();
    await sounding(page);
    assert.deepEqual(await violations(page), []);
    await dock(page).getByRole('button', { name: 'Chapters and more' }).click();
    await page.getByRole('dialog', { name: 'Player' }).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('causes no console errors', () => assert.deepEqual(listener.complaints, []));
});
