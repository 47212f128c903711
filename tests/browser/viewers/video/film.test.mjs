import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM, SERIAL } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../../harness.mjs';
import { chooseSubtitles, running, state } from './film-page.mjs';

let browser;

before(async () => (browser = await launchBrowser()));

after(() => browser?.close());

const film = `/items/${FILM}/open/${FILM * 100}`;

const episode = (n) => `/items/${SERIAL}/open/${SERIAL * 100 + n - 1}`;

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

/** The address contains the start position only until the film is loaded, which may be at once. */
const stands = (page, path) => page.waitForURL((url) => url.pathname === path);

const bars = (page) =>
  page.evaluate(() => getComputedStyle(document.querySelector('.stage header')).opacity === '1');

/** The bars disappear three seconds after the last move. */
const asleep = (page) => until('it to come so far', async () => !(await bars(page)));

/** Lets a short film play while the test checks it. */
const endless = (page) => page.evaluate(() => (document.querySelector('video').loop = true));

describe('touch on a film', () => {
  const phone = { width: 390, hasTouch: true };

  it('shows and hides the controls, and never pauses the film', () =>
    withPage(
      {},
      film,
      async (page) => {
        await running(page);
        await endless(page);
        await asleep(page);
        await page.touchscreen.tap(195, 250);
        await until('it to come so far', () => bars(page));
        assert.equal((await state(page)).paused, false);
        await page.touchscreen.tap(195, 250);
        await asleep(page);
        assert.equal((await state(page)).paused, false);
      },
      phone,
    ));

  it('does not activate hidden controls', () =>
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

describe('film controls on a phone', () => {
  it('fit the screen with subtitles and a next episode', () =>
    withPage(
      {},
      episode(1),
      async (page) => {
        await running(page);
        await page.evaluate(() => document.querySelector('video').pause());
        for (const name of [
          'Play',
          'Next episode',
          'Subtitles and sound',
          'Playback settings',
          'Full screen',
        ]) {
          const box = await page.getByRole('button', { name, exact: true }).boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= 390, `${name} reaches from ${box.x} on ${box.width}`);
        }
        assert.deepEqual(await violations(page), []);
        await page.getByRole('button', { name: 'Subtitles and sound' }).click();
        await page.getByRole('radio', { name: 'Deutsch' }).check();
        await page.getByText('Der Mond ist aufgegangen.').waitFor();
      },
      { width: 390, hasTouch: true },
    ));
});

describe('mouse on a film', () => {
  it('toggles playback with a click and full screen with a double click, without a pause', () =>
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
  it('starts by itself in full screen with the same volume, speed and subtitles', () =>
    withPage({}, episode(1), async (page) => {
      await running(page);
      await page.keyboard.press('f');
      await until('it to come so far', async () => (await state(page)).full);
      await page.keyboard.press('ArrowDown');
      const { volume } = await state(page);
      assert.ok(volume < 1);
      await chooseSubtitles(page, 'Deutsch');
      await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1.5×' });
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('End');
      await page.getByText(/Up next in \d+ s/).waitFor();
      await page.getByText('S1 E2 · The Bridge', { exact: true }).waitFor();
      await stands(page, episode(2));
      await running(page);
      const { speed, volume: now, full } = await state(page);
      assert.deepEqual({ speed, volume: now, full }, { speed: 1.5, volume, full: true });
      await page.getByText('Der Mond ist aufgegangen.').waitFor();
    }));

  it('does not start after it was cancelled or disabled', () =>
    withPage({}, episode(1), async (page) => {
      await running(page);
      await page.keyboard.press('End');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Up next', { exact: true }).waitFor();
      assert.deepEqual(await violations(page), []);
      assert.ok(page.url().endsWith(episode(1)));
      await page.goto(`${new URL(page.url()).origin}/settings/device`);
      await page.getByRole('checkbox', { name: /Play the next episode automatically/ }).uncheck();
      await page.goto(new URL(`${episode(2)}?at=0`, page.url()).href);
      await running(page);
      await page.keyboard.press('End');
      await page.getByText('S1 E3 · The River', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Play now' }).click();
      await stands(page, episode(3));
    }));
});

describe('a film whose transfer fails', () => {
  const notice = (page) => page.getByRole('alert').filter({ hasText: 'The server does not answer' });

  it('shows that the server is unavailable, with a retry button', () =>
    withPage({ away: true }, film, async (page, fake) => {
      await notice(page).waitFor();
      assert.deepEqual(await violations(page), []);
      fake.options.away = false;
      await notice(page).getByRole('button', { name: 'Retry' }).click();
      await running(page);
      assert.equal(await notice(page).count(), 0);
    }));

  it('resumes after the network returns', () =>
    withPage({ away: true }, film, async (page, fake) => {
      await notice(page).waitFor();
      fake.options.away = false;
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await running(page);
    }));
});

describe('media keys', () => {
  it('show the film, and the earlier audio after it is closed', () =>
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

/** Returns the box of an element once it exists. */
const boxOf = (locator) => locator.boundingBox();

describe('film menu on a phone', () => {
  it('contains subtitles, speed, volume and picture in picture', () =>
    withPage(
      {},
      `/items/${FILM}`,
      async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
        // A browser without a screen has no picture-in-picture window.
        await page.evaluate(() => {
          Object.defineProperty(Document.prototype, 'pictureInPictureEnabled', { get: () => true });
          HTMLVideoElement.prototype.requestPictureInPicture = async () => (globalThis.asked = true);
        });
        await page.evaluate((path) => {
          const link = document.createElement('a');
          link.href = path;
          document.querySelector('main').append(link);
          link.click();
        }, film);
        await running(page);
        await endless(page);
        await chooseSubtitles(page, 'English');
        await page.locator('.captions p').first().waitFor();
        await page.getByRole('button', { name: 'Playback settings' }).click();
        const sheet = page.getByRole('dialog', { name: 'Playback settings' });
        await sheet.getByRole('radio', { name: '1.5×', exact: true }).check();
        assert.equal((await state(page)).speed, 1.5);
        await sheet.getByRole('slider', { name: 'Volume' }).press('ArrowLeft');
        await page.waitForFunction(() => document.querySelector('video').volume < 1);
        await sheet.getByRole('button', { name: 'Mute' }).click();
        await page.waitForFunction(() => document.querySelector('video').muted);
        assert.deepEqual(await violations(page), []);
        // The film and its subtitles are visible above the sheet.
        const top = (await boxOf(sheet)).y;
        const words = await boxOf(page.locator('.captions p').first());
        assert.ok(words.y + words.height <= top, `${words.y + words.height} below ${top}`);
        await sheet.getByRole('button', { name: 'Picture in picture' }).click();
        await page.waitForFunction(() => globalThis.asked === true);
        await sheet.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Playback settings' }).click();
        await page.keyboard.press('Escape');
        await sheet.waitFor({ state: 'detached' });
        assert.ok(page.url().endsWith(film), page.url());
      },
      { width: 390, hasTouch: true },
    ));
});

describe('plain subtitles', () => {
  const words = (page) => page.locator('.captions p').first();
  const measure = (page) =>
    page.evaluate(() => {
      const box = (one) => document.querySelector(one)?.getBoundingClientRect().toJSON();
      const video = document.querySelector('video');
      const scale = Math.min(innerWidth / video.videoWidth, innerHeight / video.videoHeight);
      const height = video.videoHeight * scale;
      return {
        words: box('.captions p'),
        foot: box('.stage footer'),
        letters: Number.parseFloat(getComputedStyle(document.querySelector('.captions')).fontSize),
        picture: { height, bottom: (innerHeight + height) / 2 },
      };
    });

  for (const width of [1280, 390])
    it(`are above the visible controls, and otherwise at the bottom of the picture, ${width} wide`, () =>
      withPage(
        {},
        episode(1),
        async (page) => {
          await running(page);
          await endless(page);
          await chooseSubtitles(page, 'Deutsch');
          await page.reload();
          await running(page);
          await endless(page);
          await words(page).waitFor();
          await page.mouse.move(200, 300);
          await page.evaluate(() => document.querySelector('video').pause());
          await until('the words above the bar', async () => {
            const { words: line, foot } = await measure(page);
            return line && line.bottom <= foot.top && foot.height > 60;
          });
          await page.evaluate(() => document.querySelector('video').play());
          await asleep(page);
          await until('the words at the foot of the picture', async () => {
            const { words: line, picture } = await measure(page);
            return (
              line && line.bottom <= picture.bottom && line.bottom > picture.bottom - picture.height * 0.2
            );
          });
        },
        { width },
      ));

  it('scale with the picture', () =>
    withPage({}, film, async (page) => {
      await running(page);
      await endless(page);
      await chooseSubtitles(page, 'English');
      await words(page).waitFor();
      const sizes = [];
      for (const viewport of [
        { width: 900, height: 506 },
        { width: 1800, height: 1012 },
      ]) {
        await page.setViewportSize(viewport);
        await until('a share of the picture', async () => {
          const { letters, picture } = await measure(page);
          return Math.abs(letters / picture.height - 0.045) < 0.002;
        });
        sizes.push((await measure(page)).letters);
      }
      assert.ok(sizes[1] > sizes[0] * 1.8, `${sizes}`);
    }));
});
