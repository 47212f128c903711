/** The scrubber of the players, against the stand-in server: keys, times and chapters. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../../web/test/fake/world.mjs';
import { launchBrowser, until, withFake } from '../../harness.mjs';
import { running, state } from './film-page.mjs';

let browser;

before(async () => (browser = await launchBrowser()));

after(() => browser?.close());

const film = `/items/${FILM}/open/${FILM * 100}`;

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

/** Lets a short film play while the test checks it. */
const endless = (page) => page.evaluate(() => (document.querySelector('video').loop = true));

/** Returns the box of an element once it exists. */
const boxOf = (locator) => locator.boundingBox();

const seekBar = (page) => page.getByRole('slider', { name: 'Seek' });

/** The time that the scrubber shows next to the pointer. */
const tip = (page) => page.locator('[data-scrubber] .tip');

describe('film scrubber', () => {
  it('leaves all shortcuts to the player after a click', () =>
    withPage({}, film, async (page) => {
      await running(page);
      await endless(page);
      const box = await boxOf(seekBar(page));
      await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
      await page.waitForFunction(() => Math.abs(document.querySelector('video').currentTime - 6) < 2);
      assert.equal(await seekBar(page).evaluate((one) => one === document.activeElement), true);
      await page.keyboard.press('k');
      await page.waitForFunction(() => document.querySelector('video').paused);
      const { time } = await state(page);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(
        (from) => document.querySelector('video').currentTime >= Math.min(11.9, from + 9),
        time,
      );
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(() => document.querySelector('video').currentTime < 3);
      await page.keyboard.press('Space');
      await page.waitForFunction(() => !document.querySelector('video').paused);
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction(() => document.querySelector('video').volume < 1);
      await page.keyboard.press('m');
      await page.waitForFunction(() => document.querySelector('video').muted);
      await page.keyboard.press('f');
      await until('the full screen', async () => (await state(page)).full);
    }));

  it('leaves the keys of the volume slider to it, and no others', () =>
    withPage({}, film, async (page) => {
      await running(page);
      await endless(page);
      await page.getByRole('slider', { name: 'Volume' }).focus();
      await page.keyboard.press('k');
      await page.waitForFunction(() => document.querySelector('video').paused);
      const before = await state(page);
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction(() => document.querySelector('video').volume < 1);
      const now = await state(page);
      assert.equal(now.time, before.time);
      assert.ok(Math.abs(now.volume - 0.95) < 0.01, `${now.volume}`);
    }));

  it('shows the time under the pointer and at the keyboard position', () =>
    withPage({}, film, async (page) => {
      await running(page);
      await page.evaluate(() => document.querySelector('video').pause());
      const box = await boxOf(seekBar(page));
      for (const [share, shown] of [
        [0, '0:00'],
        [0.3, '0:03'],
        [0.8, '0:09'],
        [1, '0:12'],
      ]) {
        const x = box.x + Math.min(box.width - 1, Math.max(1, box.width * share));
        await page.mouse.move(x, box.y + box.height / 2);
        await tip(page).filter({ hasText: shown }).waitFor();
        const { x: left, width } = await boxOf(tip(page));
        assert.ok(left >= 0 && left + width <= 1280, `from ${left} on ${width}`);
      }
      const x = box.x + box.width * 0.8;
      await page.mouse.move(x, box.y + box.height / 2);
      await tip(page).filter({ hasText: '0:09' }).waitFor();
      const place = await boxOf(tip(page));
      assert.ok(Math.abs(place.x + place.width / 2 - x) < 3, `${JSON.stringify(place)} for ${x}`);
      await page.mouse.click(x, box.y + box.height / 2);
      await page.waitForFunction(() => Math.abs(document.querySelector('video').currentTime - 9.6) < 0.6);
      await page.mouse.move(640, 300);
      await tip(page).waitFor({ state: 'detached' });
      await page.keyboard.press('Home');
      await tip(page).filter({ hasText: '0:00' }).waitFor();
      await tip(page).waitFor({ state: 'detached' });
    }));

  it('shows the time under a moving finger', () =>
    withPage(
      {},
      film,
      async (page) => {
        await running(page);
        await page.evaluate(() => document.querySelector('video').pause());
        const box = await boxOf(seekBar(page));
        const y = box.y + box.height / 2;
        const session = await page.context().newCDPSession(page);
        const touch = (type, share) =>
          session.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: share === null ? [] : [{ x: box.x + box.width * share, y }],
          });
        await touch('touchStart', 0.1);
        for (let share = 0.1; share < 0.51; share += 0.05) await touch('touchMove', share);
        await tip(page).filter({ hasText: '0:06' }).waitFor();
        await touch('touchEnd', null);
        await tip(page).waitFor({ state: 'detached' });
        assert.ok(Math.abs((await state(page)).time - 6) < 1, `${(await state(page)).time}`);
      },
      { width: 390, hasTouch: true },
    ));
});

describe('audio scrubber', () => {
  it('leaves shortcuts to the player after a click, and shows the chapter under the pointer', () =>
    withPage(
      {},
      '/items/182',
      async (page) => {
        await page.getByRole('button', { name: 'Continue chapter 3' }).click();
        const dock = page.getByRole('region', { name: 'Player' });
        await dock.getByRole('button', { name: 'Pause' }).waitFor();
        const bar = dock.getByRole('slider', { name: 'Seek' });
        const box = await boxOf(bar);
        const [x, y] = [box.x + box.width * 0.3, box.y + box.height / 2];
        await page.mouse.move(x, y);
        await tip(page).filter({ hasText: 'The Carpet-Bag' }).waitFor();
        await page.mouse.click(x, y);
        await page.keyboard.press('Space');
        await dock.getByRole('button', { name: 'Play', exact: true }).waitFor();
        const at = () => bar.evaluate((one) => one.valueAsNumber);
        const from = await at();
        await page.keyboard.press('ArrowRight');
        await until('a skip forward', async () => (await at()) >= from + 25);
        await page.keyboard.press('ArrowLeft');
        await until('a skip back', async () => (await at()) < from + 25);
        await page.keyboard.press('m');
        await dock.getByRole('button', { name: 'Sound on' }).waitFor();
        // Keys of the page are not the slider's, either.
        await page.keyboard.press('f');
        await page.waitForFunction(
          () => document.querySelector('[data-key="f"]')?.getAttribute('aria-pressed') === 'true',
        );
      },
      { width: 1440 },
    ));
});
