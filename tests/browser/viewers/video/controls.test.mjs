/** The controls of a film, against the stand-in server: chapters, subtitles, repetition, keys, gestures, gamepads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM, SERIAL } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, toldPlaces, until, violations, withFake } from '../../harness.mjs';
import { chooseSubtitles, openTracks, running, state, withChapters } from './film-page.mjs';

let browser;

before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const film = `/items/${FILM}/open/${FILM * 100}?at=0`;
const episode = `/items/${SERIAL}/open/${SERIAL * 100}?at=0`;
const phone = { width: 390, hasTouch: true };
const CHAPTERS = [
  { title: 'Cold open', start: 0 },
  { title: 'Intro', start: 2 },
  { title: 'The dining car', start: 5 },
  { title: 'End credits', start: 10 },
];

/** Opens a film that is paused at a second, with chapters. */
const withFilm = (check, { path = film, settings = {}, at = 0, prepare = async () => {} } = {}) =>
  withFake(
    browser,
    {},
    '/settings/device',
    async (page) => {
      for (const id of [FILM, SERIAL]) await withChapters(page, CHAPTERS, id);
      await prepare(page);
      await page.goto(new URL(path, page.url()).href);
      await running(page);
      await page.evaluate((time) => {
        const video = document.querySelector('video');
        video.pause();
        video.currentTime = time;
      }, at);
      await stands(page, at);
      await check(page);
      // A page can ask again while it closes.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
    settings,
  );

/** Waits until the film is at a second. */
const stands = (page, time, tolerance = 0.3) =>
  page.waitForFunction(
    ([to, by]) => Math.abs(document.querySelector('video').currentTime - to) <= by,
    [time, tolerance],
  );

const words = (page, role = 'main') => page.locator(`.captions[data-role=${role}] p`);
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).waitFor();

describe('the chapters of a film', () => {
  it('are marked on the scrubber, named under the pointer, and listed', () =>
    withFilm(async (page) => {
      assert.equal(await page.locator('.marks i').count(), 3);
      const bar = await page.getByRole('slider', { name: 'Seek' }).boundingBox();
      await page.mouse.move(bar.x + bar.width * 0.6, bar.y + bar.height / 2);
      await page.locator('[data-scrubber] .tip').filter({ hasText: 'The dining car' }).waitFor();
      await page.getByRole('button', { name: 'Chapters' }).click();
      const panel = page.getByRole('dialog', { name: 'Chapters' });
      assert.match(await panel.locator('[aria-current]').textContent(), /^Cold open/);
      assert.deepEqual(await violations(page), []);
      await panel.getByRole('button', { name: 'End credits' }).click();
      await stands(page, 10);
      await panel
        .locator('[aria-current]')
        .filter({ hasText: /^End credits/ })
        .waitFor();
      await panel.getByRole('button', { name: 'Previous chapter' }).click();
      await stands(page, 5);
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const focused = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
      assert.equal(focused, 'Chapters', 'the focus returns to the button');
    }));

  it('are reached by keys, and the name of an intro offers to skip it', () =>
    withFilm(async (page) => {
      const skip = page.getByRole('button', { name: 'Skip intro' });
      assert.equal(await skip.count(), 0);
      await page.keyboard.press('PageDown');
      await stands(page, 2);
      await skip.click();
      await stands(page, 5);
      await skip.waitFor({ state: 'detached' });
      await page.keyboard.press('PageUp');
      await stands(page, 2);
      await page.keyboard.press('s');
      await stands(page, 5);
    }));
});

describe('the credits of an episode', () => {
  it('are skipped to the next one, and the episode is finished', () =>
    withFilm(
      async (page) => {
        const told = toldPlaces(page);
        await page.getByRole('button', { name: 'Skip credits' }).click();
        await page.waitForURL((url) => url.pathname === `/items/${SERIAL}/open/${SERIAL * 100 + 1}`);
        await running(page);
        await until('the end of the first', () => told.some(({ finished }) => finished));
        const first = told.filter(({ file_id: id }) => id === SERIAL * 100);
        assert.equal(first.at(-1).finished, true, JSON.stringify(told));
      },
      { path: episode, at: 10.5 },
    ));
});

describe('subtitles', () => {
  it('have a style that the next visit keeps', () =>
    withFilm(async (page) => {
      await chooseSubtitles(page, 'English');
      const look = () =>
        page.evaluate(() => {
          const span = document.querySelector('.captions span');
          const { color, backgroundColor, fontSize } = getComputedStyle(span);
          return { color, backgroundColor, letters: Number.parseFloat(fontSize) };
        });
      await words(page).waitFor();
      const plain = await look();
      const panel = await openTracks(page);
      const choose = (group, name) =>
        panel.getByRole('group', { name: group }).getByRole('radio', { name }).check();
      await choose('Size', 'Large');
      await choose('Colour', 'Yellow');
      await choose('Background', 'Solid');
      await choose('Position', 'Top');
      assert.deepEqual(await violations(page), []);
      const chosen = await look();
      assert.equal(chosen.color, 'rgb(255, 224, 122)');
      assert.equal(chosen.backgroundColor, 'rgb(5, 8, 10)');
      assert.ok(Math.abs(chosen.letters / plain.letters - 1.35) < 0.01);
      await page.reload();
      await words(page).waitFor();
      assert.deepEqual(await look(), chosen);
      const box = await words(page).boundingBox();
      assert.ok(box.y < 430, `at the top: ${box.y}`);
    }));

  it('are shifted by keys, and back', () =>
    withFilm(
      async (page) => {
        await chooseSubtitles(page, 'English');
        await words(page).waitFor();
        // The words begin with the film. A second later, they have not begun at 0.5 s.
        for (let press = 0; press < 10; press += 1) await page.keyboard.press('h');
        await said(page, 'Subtitle delay +1.0 s');
        await words(page).waitFor({ state: 'detached' });
        for (let press = 0; press < 8; press += 1) await page.keyboard.press('g');
        await said(page, 'Subtitle delay +0.2 s');
        await words(page).waitFor();
      },
      { at: 0.5 },
    ));

  it('can be shown in two languages, the second at the top', () =>
    withFilm(async (page) => {
      await chooseSubtitles(page, 'English');
      await openTracks(page);
      await page.getByRole('combobox', { name: 'Second subtitles' }).selectOption({ label: 'Deutsch' });
      await words(page, 'second').filter({ hasText: 'Der Mond ist aufgegangen.' }).waitFor();
      await words(page).filter({ hasText: 'The moon has risen.' }).waitFor();
      const [first, second] = [await words(page).boundingBox(), await words(page, 'second').boundingBox()];
      assert.ok(second.y + second.height < first.y, `${second.y} above ${first.y}`);
    }));

  it('are searched, and a result leads to its scene', () =>
    withFilm(
      async (page) => {
        await page.keyboard.press('/');
        const panel = page.getByRole('dialog', { name: 'Search in subtitles' });
        await panel.getByRole('searchbox').fill('MOON risen');
        await panel.getByText('1 result').waitFor();
        assert.deepEqual(await violations(page), []);
        await panel.getByRole('button', { name: /The moon has risen/ }).click();
        await stands(page, 0);
        await panel.getByRole('searchbox').fill('sun');
        await panel.getByText('No subtitle contains these words.').waitFor();
      },
      { at: 6 },
    ));

  it('chosen for one show are not those of another', () =>
    withFilm(async (page) => {
      await chooseSubtitles(page, 'Deutsch');
      await page.goto(new URL(episode, page.url()).href);
      await running(page);
      await chooseSubtitles(page, 'Off');
      await page.goto(new URL(film, page.url()).href);
      await words(page).filter({ hasText: 'Der Mond ist aufgegangen.' }).waitFor();
    }));
});

describe('the audio tracks of a film', () => {
  /** Audio tracks as Safari offers them. */
  const offer = (page) =>
    page.addInitScript(() => {
      const track = (id, language, label, enabled) => ({ id, language, label, enabled });
      const tracks = [
        track('1', 'nb', '', true),
        track('2', 'de', '', false),
        track('3', 'de', 'Commentary', false),
      ];
      const list = Object.assign(new EventTarget(), tracks, { length: tracks.length });
      Object.defineProperty(HTMLMediaElement.prototype, 'audioTracks', { get: () => list });
    });
  const audible = (page) =>
    page.evaluate(() =>
      Array.from(document.querySelector('video').audioTracks).flatMap((one) => (one.enabled ? one.id : [])),
    );

  it('are offered by language and title, and the choice is kept for the show', () =>
    withFilm(
      async (page) => {
        assert.deepEqual(await audible(page), ['1'], 'no track is in a language of the user');
        const panel = await openTracks(page);
        const sound = panel.getByRole('group', { name: 'Sound' });
        assert.equal(await sound.getByRole('radio').count(), 3);
        assert.equal(await sound.getByRole('radio', { name: 'Norwegian' }).isChecked(), true);
        await sound.getByRole('radio', { name: 'German Commentary' }).check();
        assert.deepEqual(await audible(page), ['3']);
        assert.deepEqual(await violations(page), []);
        await page.reload();
        await page.waitForFunction(() => document.querySelector('video')?.audioTracks[2].enabled);
        assert.deepEqual(await audible(page), ['3']);
      },
      { prepare: offer },
    ));
});

describe('the keys of a film', () => {
  it('are all listed by the help', () =>
    withFilm(async (page) => {
      await page.keyboard.press('?');
      const panel = page.getByRole('dialog', { name: 'Keys of the player' });
      for (const name of ['Play or pause', 'Next chapter', 'Subtitles 0.1 seconds later', 'Full screen'])
        await panel.getByText(name, { exact: true }).waitFor();
      assert.deepEqual(await violations(page), []);
    }));

  it('step through frames while it is paused, and seek to tenths', () =>
    withFilm(async (page) => {
      await page.keyboard.press('5');
      await stands(page, 6);
      const { time } = await state(page);
      await page.keyboard.press('.');
      await page.waitForFunction((from) => document.querySelector('video').currentTime > from, time);
      const next = (await state(page)).time;
      assert.ok(next - time <= 0.1, `${next - time} s`);
      await page.keyboard.press(',');
      await stands(page, time, 0.001);
    }));

  it('repeat a section', () =>
    withFilm(
      async (page) => {
        await page.keyboard.press('b');
        await page.evaluate(() => (document.querySelector('video').currentTime = 4));
        await stands(page, 4);
        await page.keyboard.press('b');
        await said(page, 'Repeats 0:03 to 0:04');
        await page.evaluate(() => (document.querySelector('video').currentTime = 3.9));
        await page.keyboard.press('k');
        await page.waitForFunction(() => document.querySelector('video').currentTime < 3.5);
        await running(page, 3);
        await page.keyboard.press('b');
        await said(page, 'No section repeats');
      },
      { at: 3 },
    ));
});

describe('the sleep timer of a film', () => {
  it('pauses at the end of the chapter', () =>
    withFilm(
      async (page) => {
        await page.keyboard.press('o');
        await page.getByRole('combobox', { name: 'Sleep' }).selectOption('At the end of the chapter');
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('k');
        await page.waitForFunction(() => {
          const video = document.querySelector('video');
          return video.paused && video.currentTime >= 4.9;
        });
        await stands(page, 5.2, 0.5);
      },
      { at: 4 },
    ));

  it('at the end of the episode starts no other one', () =>
    withFilm(
      async (page) => {
        await page.keyboard.press('o');
        await page.getByRole('combobox', { name: 'Sleep' }).selectOption('At the end of the episode');
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('k');
        await running(page);
        await page.keyboard.press('End');
        await page.getByText('Up next', { exact: true }).waitFor();
        assert.equal(await page.getByText(/Up next in/).count(), 0);
      },
      { path: episode },
    ));
});

describe('a finger on a film', () => {
  /** Sends touches with the positions of one finger. */
  async function touches(page) {
    const session = await page.context().newCDPSession(page);
    return (type, x, y) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y }] });
  }

  it('skips by a double tap at the side', () =>
    withFilm(
      async (page) => {
        await page.touchscreen.tap(350, 250);
        await page.touchscreen.tap(350, 250);
        await stands(page, 11, 0.5);
        await said(page, '10 seconds forward');
        await page.touchscreen.tap(40, 250);
        await page.touchscreen.tap(40, 250);
        await stands(page, 1, 0.5);
      },
      { settings: phone, at: 1 },
    ));

  it('seeks by a swipe, which shows the time first', () =>
    withFilm(
      async (page) => {
        const touch = await touches(page);
        await touch('touchStart', 100, 250);
        for (let x = 120; x <= 295; x += 25) await touch('touchMove', x, 252);
        await page.locator('.preview').filter({ hasText: 'The dining car' }).waitFor();
        assert.ok((await state(page)).time < 1);
        await touch('touchEnd');
        await stands(page, 6, 0.6);
        await page.locator('.preview').waitFor({ state: 'detached' });
      },
      { settings: phone },
    ));

  it('changes the volume at the right, and nothing at the left', () =>
    withFilm(
      async (page) => {
        const touch = await touches(page);
        const swipe = async (x) => {
          await touch('touchStart', x, 200);
          for (let y = 220; y <= 320; y += 20) await touch('touchMove', x, y);
          await touch('touchEnd');
        };
        await swipe(60);
        assert.equal((await state(page)).volume, 1);
        await swipe(330);
        await page.waitForFunction(() => document.querySelector('video').volume < 0.9);
      },
      { settings: phone },
    ));
});

describe('a gamepad on a film', () => {
  it('plays, skips, changes the chapter, and switches the subtitles', () =>
    withFilm(
      async (page) => {
        const press = (index) =>
          page.evaluate(async (button) => {
            const frames = (count) =>
              new Promise((done) => {
                const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
                next();
              });
            globalThis.down = button;
            await frames(3);
            globalThis.down = null;
            await frames(3);
          }, index);
        await press(3);
        await words(page).waitFor();
        await press(5);
        await stands(page, 2);
        await press(15);
        await stands(page, 12, 0.2);
        await press(14);
        await stands(page, 2, 0.3);
        await press(0);
        await running(page, 2);
        await press(2);
        await page.getByRole('dialog', { name: 'Playback settings' }).waitFor();
      },
      {
        prepare: (page) =>
          page.addInitScript(() => {
            const button = (index) => ({
              get pressed() {
                return globalThis.down === index;
              },
            });
            const pad = { index: 0, id: 'Test', mapping: 'standard', axes: [0, 0, 0, 0] };
            pad.buttons = Array.from({ length: 17 }, (_, index) => button(index));
            navigator.getGamepads = () => [pad];
          }),
      },
    ));
});

describe('a film on plain HTTP', () => {
  it('plays without a wake lock, and holds one where there is one', () =>
    withFilm(
      async (page) => {
        await page.evaluate(() => document.querySelector('video').play());
        await page.waitForFunction(() => globalThis.locks === 1);
        await page.evaluate(() => document.querySelector('video').pause());
        await page.waitForFunction(() => globalThis.locks === 0);
        await page.evaluate(() => Object.defineProperty(navigator, 'wakeLock', { value: undefined }));
        await page.goto(new URL(film, page.url()).href);
        await running(page);
      },
      {
        prepare: (page) =>
          page.addInitScript(() => {
            globalThis.locks = 0;
            const request = async () => {
              globalThis.locks += 1;
              return { released: false, release: async () => void (globalThis.locks -= 1) };
            };
            Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } });
          }),
      },
    ));
});
