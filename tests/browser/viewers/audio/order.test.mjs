/** Order, loudness and lyrics of the audio player, against the stand-in server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ALBUM, SECOND_ALBUM } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const TRACKS = [
  'Loomings',
  'The Carpet-Bag',
  'The Spouter-Inn',
  'The Counterpane',
  'Breakfast',
  'The Street',
];
const dock = (page) => page.getByRole('region', { name: 'Player' });
const sheet = (page) => page.getByRole('dialog', { name: 'Player' });
const key = (place, name) => place.getByRole('button', { name, exact: true });
const isPressed = (button) => button.getAttribute('aria-pressed');
const fold = (page) => key(sheet(page), 'Close the player view').click();

/** Opens a page whose random numbers do not vary between runs. */
const withPage = (path, check, settings) =>
  withFake(
    browser,
    {},
    path,
    async (page, fake) => {
      await page.addInitScript(() => (Math.random = () => 0.3));
      await page.reload();
      await check(page, fake);
    },
    settings,
  );

/** Returns number, position and volume of the playing file, once there is one. */
const sounding = (page) =>
  until('a sound', () =>
    page.evaluate(() => {
      const one = [...document.querySelectorAll('audio')].find(
        (element) => !element.paused && !element.seeking && element.readyState >= 2,
      );
      const file = Number(/files\/(\d+)/.exec(one?.src ?? '')?.[1] ?? 0);
      return one && file > 0 ? { file, time: one.currentTime, volume: one.volume } : null;
    }),
  );
const sounds = (page, file) =>
  until(`file ${file} to sound`, async () => (await sounding(page)).file === file);
const seekTo = (page, seconds) =>
  page.evaluate((to) => {
    const one = [...document.querySelectorAll('audio')].find((element) => !element.paused);
    one.currentTime = to;
  }, seconds);
const announced = (page) => page.evaluate(() => navigator.mediaSession.metadata?.title);

/** Returns the tracks in the order of the open sheet. */
async function listed(page) {
  await dock(page).getByRole('button', { name: 'Open the player' }).click();
  const titles = await sheet(page).getByRole('list', { name: 'Tracks' }).locator('b').allTextContents();
  await fold(page);
  return titles;
}
async function begin(page, track) {
  await key(page, track).first().click();
  await sounds(page, ALBUM * 100 + TRACKS.indexOf(track));
}

describe('a shuffled album', () => {
  it('keeps the running track, is followed by next and by the media keys, and gets its order back', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      await begin(page, 'The Spouter-Inn');
      await seekTo(page, 20);
      const shuffle = key(dock(page), 'Shuffle');
      assert.equal(await isPressed(shuffle), 'false');
      await shuffle.click();
      assert.equal(await isPressed(shuffle), 'true');
      await dock(page).getByRole('status').getByText('Shuffle is on').waitFor({ state: 'attached' });
      const now = await sounding(page);
      assert.equal(now.file, ALBUM * 100 + 2);
      assert.ok(now.time >= 20);

      const order = await listed(page);
      assert.equal(order[0], 'The Spouter-Inn');
      assert.notDeepEqual(order, ['The Spouter-Inn', ...TRACKS.filter((one) => one !== 'The Spouter-Inn')]);
      assert.deepEqual(order.toSorted(), TRACKS.toSorted());
      await key(dock(page), 'Next').click();
      await sounds(page, ALBUM * 100 + TRACKS.indexOf(order[1]));
      await until('the media session', async () => (await announced(page)) === order[1]);
      // The next track is ready before the end of this one.
      await seekTo(page, 40);
      const next = ALBUM * 100 + TRACKS.indexOf(order[2]);
      await page.waitForFunction(
        (id) =>
          [...document.querySelectorAll('audio')].some(
            (one) => one.paused && one.src.includes(`/files/${id}/`) && one.readyState >= 1,
          ),
        next,
      );
      await seekTo(page, 59.7);
      await sounds(page, next);

      await shuffle.focus();
      await page.keyboard.press('s');
      assert.equal(await isPressed(shuffle), 'false');
      assert.deepEqual(await listed(page), TRACKS);
      assert.equal((await sounding(page)).file, next);
    }));

  it('has its order after a reload', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      await begin(page, 'Breakfast');
      await key(dock(page), 'Shuffle').click();
      const order = await listed(page);
      await key(dock(page), 'Next').click();
      await sounds(page, ALBUM * 100 + TRACKS.indexOf(order[1]));
      await page.reload();
      assert.equal(await isPressed(key(dock(page), 'Shuffle')), 'true');
      assert.deepEqual(await listed(page), order);
      await key(dock(page), 'Play').click();
      await sounds(page, ALBUM * 100 + TRACKS.indexOf(order[1]));
    }));
});

describe('repetition', () => {
  it('plays the album again, or one track, and is changed by a key', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      await begin(page, 'The Street');
      assert.equal(await key(dock(page), 'Next').isDisabled(), true);
      await key(dock(page), 'Repeat').click();
      assert.equal(await isPressed(key(dock(page), 'Repeat')), 'true');
      await dock(page).getByRole('status').getByText('Repeats everything').waitFor({ state: 'attached' });
      assert.equal(await key(dock(page), 'Next').isDisabled(), false);
      await seekTo(page, 59.7);
      await sounds(page, ALBUM * 100);
      await key(dock(page), 'Repeat').focus();
      await page.keyboard.press('r');
      assert.equal(await isPressed(key(dock(page), 'Repeat one track')), 'true');
      await seekTo(page, 59.7);
      await until('the start of the same track', async () => {
        const { file, time } = await sounding(page);
        return file === ALBUM * 100 && time < 5;
      });
      await page.keyboard.press('r');
      assert.equal(await isPressed(key(dock(page), 'Repeat')), 'false');
    }));
});

describe('the loudness', () => {
  it('follows the gain in the tags, and not the volume of the user', () =>
    withPage(`/items/${SECOND_ALBUM}`, async (page, fake) => {
      await key(page, 'Loomings').first().click();
      await sounds(page, SECOND_ALBUM * 100);
      const volume = async () => (await sounding(page)).volume;
      assert.ok(Math.abs((await volume()) - 10 ** (-6 / 20)) < 0.001, `${await volume()}`);
      await dock(page).getByRole('button', { name: 'Open the player' }).click();
      await key(sheet(page), 'Playback').click();
      assert.equal(
        await sheet(page).getByRole('slider', { name: 'Volume' }).getAttribute('aria-valuetext'),
        '100 %',
      );
      assert.deepEqual(await violations(page), []);
      await sheet(page).getByLabel('Even volume').selectOption('off');
      await until('the full volume', async () => (await volume()) === 1);
      await fold(page);
      await page.goto(`${fake.url}/settings/device`);
      assert.equal(await page.getByLabel('Even volume').inputValue(), 'off');
      assert.deepEqual(await violations(page), []);
      await page.getByLabel('Even volume').selectOption('album');
      await key(dock(page), 'Play').click();
      const isNear = async (wanted) => Math.abs((await volume()) - wanted) < 0.001;
      await until('the gain', () => isNear(0.5012));
      await page.getByLabel('Even volume').selectOption('track');
      await until('the gain of the track', () => isNear(0.2512));
      await page.getByLabel('Even volume').selectOption('auto');
      await until('the gain of the album', () => isNear(0.5012));
      await key(dock(page), 'Shuffle').click();
      await until('the gain of the track', () => isNear(0.2512));
    }));
});

describe('an audiobook', () => {
  const BOOK = 182;
  it('keeps its own speed and order, and shows the time left in the chapter and in the book', () =>
    withPage(`/items/${BOOK}`, async (page) => {
      await key(page, 'The Carpet-Bag').first().click();
      await sounds(page, BOOK * 100 + 1);
      assert.equal(await key(dock(page), 'Shuffle').count(), 0);
      assert.equal(await key(dock(page), 'Repeat').count(), 0);
      await dock(page).getByLabel('Speed').selectOption('0.75');
      await key(dock(page), 'Pause').click();
      await dock(page).getByRole('button', { name: 'Open the player' }).click();
      await key(sheet(page), 'Next chapter').click();
      // 60 s of the chapter and 240 s of the book at this speed.
      await sheet(page).getByText('1 min left in the chapter · 5 min left in the book').waitFor();
      await fold(page);
      await page.reload();
      await dock(page).getByText('The Spouter-Inn', { exact: true }).waitFor();
      assert.equal(await dock(page).getByLabel('Speed').inputValue(), '0.75');
    }));
});

describe('the equalizer', () => {
  it('is off at first, and leaves the playing track as it is', () =>
    withPage(`/items/${ALBUM}`, async (page) => {
      await page.addInitScript(() => {
        globalThis.contexts = [];
        globalThis.AudioContext = class extends AudioContext {
          constructor(options) {
            super(options);
            globalThis.contexts.push(this);
          }
        };
      });
      await page.reload();
      const states = () => page.evaluate(() => globalThis.contexts.map(({ state }) => state).join());
      await begin(page, 'Loomings');
      assert.equal(await states(), '');
      await dock(page).getByRole('button', { name: 'Open the player' }).click();
      await key(sheet(page), 'Playback').click();
      await sheet(page).getByLabel('Equalizer').selectOption('Voice');
      await until('a running context', async () => (await states()) === 'running');
      const before = await sounding(page);
      await until('further sound', async () => (await sounding(page)).time > before.time + 0.5);
      // Both elements are routed, and the change of tracks has no interruption.
      await seekTo(page, 59.5);
      await sounds(page, ALBUM * 100 + 1);
      await until('the next track', async () => (await sounding(page)).time > 0.5);
      await fold(page);
      await key(dock(page), 'Close player').click();
      await until('the end of the context', async () => (await states()) === 'closed');
    }));
});

describe('timed lyrics', () => {
  const lines = Array.from({ length: 30 }, (_, at) => ({ start: at * 2, text: `Line ${at}` }));
  const withLyrics = (check, settings) =>
    withPage(
      `/items/${ALBUM}`,
      async (page, fake) => {
        const json = { items: [{ source: 'sidecar', synced: true, lines }] };
        await page.route('**/lyrics', (route) => route.fulfill({ json }));
        await begin(page, 'Loomings');
        await dock(page).getByRole('button', { name: 'Open the player' }).click();
        await key(sheet(page), 'Lyrics').click();
        await check(page, fake);
      },
      settings,
    );
  const current = (page) => sheet(page).locator('li[aria-current]');
  const isInView = (page) =>
    current(page).evaluate((line) => {
      const { top, bottom } = line.getBoundingClientRect();
      const view = line.closest('[role="region"]').getBoundingClientRect();
      return top >= view.top && bottom <= view.bottom;
    });

  it('follow the song until the user scrolls, and again on request', () =>
    withLyrics(async (page) => {
      await seekTo(page, 40.1);
      await until('the current line', async () => (await current(page).textContent()) === 'Line 20');
      await until('the line in view', () => isInView(page));
      const follow = key(sheet(page), 'Follow the song');
      assert.equal(await follow.count(), 0);
      await current(page).hover();
      await page.mouse.wheel(0, -2000);
      await follow.waitFor();
      await until('the next line', async () => (await current(page).textContent()) !== 'Line 20');
      assert.equal(await isInView(page), false);
      assert.deepEqual(await violations(page), []);
      await follow.click();
      await until('the line in view', () => isInView(page));
      assert.equal(await follow.count(), 0);
    }));

  it('seek by a click on a line', () =>
    withLyrics(async (page) => {
      await key(sheet(page), 'Line 3').click();
      await until('the line', async () => {
        const { time } = await sounding(page);
        return time >= 6 && time < 10;
      });
      await until('its mark', async () => /Line [34]/.test(await current(page).textContent()));
    }));
});
