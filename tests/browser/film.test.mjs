/** Watching against the stand-in server: fingers and mice, the next episode, and what breaks off. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM, SERIAL } from '../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from './harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const film = `/items/${FILM}/open/${FILM * 100}`;
const episode = (n) => `/items/${SERIAL}/open/${SERIAL * 100 + n - 1}`;
const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

/** What the film does. */
const state = (page) =>
  page.evaluate(() => {
    const video = document.querySelector('video');
    return {
      paused: video?.paused,
      time: video?.currentTime ?? 0,
      speed: video?.playbackRate,
      volume: video?.volume,
      full: document.fullscreenElement !== null,
    };
  });
/** The address names the place to begin at only until the film is there, which may be at once. */
const stands = (page, path) => page.waitForURL((url) => url.pathname === path);
const running = (page, past = 0.2) =>
  page.waitForFunction((time) => {
    const video = document.querySelector('video');
    return video !== null && !video.paused && video.currentTime > time;
  }, past);
const bars = (page) =>
  page.evaluate(() => getComputedStyle(document.querySelector('.stage header')).opacity === '1');
/** The bars go by themselves three seconds after the last move. */
const asleep = (page) => until('it to come so far', async () => !(await bars(page)));
/** Lets a film of some seconds run on while the test looks at it. */
const endless = (page) => page.evaluate(() => (document.querySelector('video').loop = true));

describe('a finger on a film', () => {
  const phone = { width: 390, hasTouch: true };

  it('shows and hides the bars, and never stops it', () =>
    withPage(
      {},
      film,
      async (page) => {
        await running(page);
        await endless(page);
        await asleep(page);
        await page.touchscreen.tap(195, 400);
        await until('it to come so far', () => bars(page));
        assert.equal((await state(page)).paused, false);
        await page.touchscreen.tap(195, 400);
        await asleep(page);
        assert.equal((await state(page)).paused, false);
      },
      phone,
    ));

  it('presses nothing that is hidden', () =>
    withPage(
      {},
      film,
      async (page) => {
        await running(page);
        await endless(page);
        const play = await page.getByRole('button', { name: 'Pause', exact: true }).boundingBox();
        const back = await page.getByRole('button', { name: 'Back', exact: true }).boundingBox();
        for (const box of [play, back]) {
          await asleep(page);
          await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
          await until('it to come so far', () => bars(page));
        }
        assert.equal((await state(page)).paused, false);
        assert.ok(page.url().endsWith(film));
        await page.touchscreen.tap(play.x + play.width / 2, play.y + play.height / 2);
        await page.waitForFunction(() => document.querySelector('video').paused);
      },
      phone,
    ));
});

describe('the bars of a film on a phone', () => {
  it('have room for all that they offer, with subtitles and a next episode', () =>
    withPage(
      {},
      episode(1),
      async (page) => {
        await running(page);
        await page.getByRole('combobox', { name: 'Subtitles' }).waitFor();
        await page.evaluate(() => document.querySelector('video').pause());
        for (const name of ['Play', 'Next', 'Full screen']) {
          const box = await page.getByRole('button', { name, exact: true }).boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= 390, `${name} reaches from ${box.x} on ${box.width}`);
        }
        assert.deepEqual(await violations(page), []);
        await page.getByRole('combobox', { name: 'Subtitles' }).selectOption({ label: 'Deutsch' });
        await page.waitForFunction(() =>
          [...document.querySelector('video').textTracks].some((track) => track.mode === 'showing'),
        );
      },
      { width: 390, hasTouch: true },
    ));
});

describe('a mouse on a film', () => {
  it('plays and pauses with a click, and fills the screen with two, without a stop', () =>
    withPage({}, film, async (page) => {
      await running(page);
      await endless(page);
      await page.evaluate(() => {
        window.stops = 0;
        document.querySelector('video').addEventListener('pause', () => (window.stops += 1));
      });
      await page.mouse.dblclick(640, 400);
      await until('it to come so far', async () => (await state(page)).full);
      assert.equal(await page.evaluate(() => window.stops), 0);
      await page.mouse.click(640, 400);
      await page.waitForFunction(() => document.querySelector('video').paused);
    }));
});

describe('the next episode', () => {
  it('comes by itself, in full screen, at the same volume and speed, with the same subtitles', () =>
    withPage({}, episode(1), async (page) => {
      await running(page);
      await page.keyboard.press('f');
      await until('it to come so far', async () => (await state(page)).full);
      await page.keyboard.press('ArrowDown');
      const { volume } = await state(page);
      assert.ok(volume < 1);
      await page.getByRole('combobox', { name: 'Subtitles' }).selectOption({ label: 'Deutsch' });
      await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1.5×' });
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('End');
      await page.getByText(/Next in \d+ s: The Bridge/).waitFor();
      await stands(page, episode(2));
      await running(page);
      const { speed, volume: now, full } = await state(page);
      assert.deepEqual({ speed, volume: now, full }, { speed: 1.5, volume, full: true });
      await page.waitForFunction(() =>
        [...document.querySelector('video').textTracks].some(
          (track) => track.mode === 'showing' && track.activeCues?.[0]?.text === 'Der Mond ist aufgegangen.',
        ),
      );
    }));

  it('waits where one stops it, and where one wants none', () =>
    withPage({}, episode(1), async (page) => {
      await running(page);
      await page.keyboard.press('End');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Next: The Bridge').waitFor();
      assert.deepEqual(await violations(page), []);
      assert.ok(page.url().endsWith(episode(1)));
      await page.goto(`${new URL(page.url()).origin}/settings/device`);
      await page.getByRole('checkbox', { name: /Play the next episode by itself/ }).uncheck();
      await page.goto(new URL(`${episode(2)}?at=0`, page.url()).href);
      await running(page);
      await page.keyboard.press('End');
      await page.getByText('Next: The River', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Play now' }).click();
      await stands(page, episode(3));
    }));
});

describe('a film that breaks off', () => {
  const notice = (page) => page.getByRole('alert').filter({ hasText: 'The server does not answer' });

  it('says that the server is away, and offers to ask again', () =>
    withPage({ away: true }, film, async (page, fake) => {
      await notice(page).waitFor();
      assert.deepEqual(await violations(page), []);
      fake.options.away = false;
      await notice(page).getByRole('button', { name: 'Retry' }).click();
      await running(page);
      assert.equal(await notice(page).count(), 0);
    }));

  it('is taken up when the network is back', () =>
    withPage({ away: true }, film, async (page, fake) => {
      await notice(page).waitFor();
      fake.options.away = false;
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await running(page);
    }));
});

describe('the system’s keys', () => {
  it('are told of the film, and of what was heard before when it is left', () =>
    withPage({}, '/items/181', async (page) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      await page.waitForFunction(() => navigator.mediaSession.metadata?.album === 'Goldberg Variations');
      await page.evaluate((path) => {
        const link = document.createElement('a');
        link.href = path;
        document.querySelector('main').append(link);
        link.click();
      }, film);
      await running(page);
      await page.waitForFunction(() => navigator.mediaSession.metadata?.title === 'A Trip to the Moon');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => navigator.mediaSession.metadata?.album === 'Goldberg Variations');
      await page.getByRole('button', { name: 'Close player' }).click();
    }));
});
