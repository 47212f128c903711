/** Rules for every page: gamepads as remotes, focus, no unrequested motion, phones. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);
const focused = (page) =>
  page.evaluate(() => ({
    name: document.activeElement?.localName,
    text: (document.activeElement?.querySelector('b') ?? document.activeElement)?.textContent?.trim() ?? '',
    href: document.activeElement?.getAttribute('href') ?? null,
  }));
const stands = (page, fits, what) => until(what, async () => fits(await focused(page)));
const heading = (page, name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** The key hints are outside the page: once they exist, gamepads are read. Other live regions are inside the page. */
const listens = (page) => page.locator('.app ~ p[role="status"]').first().waitFor({ state: 'attached' });

/** A gamepad of the standard layout that the page knows from now on; the buttons `held` are down as it comes. */
async function plugIn(page, held = []) {
  await listens(page);
  await page.evaluate((down) => {
    const buttons = Array.from({ length: 17 }, (_, at) => {
      const pressed = down.includes(at);
      return { pressed, touched: pressed, value: Number(pressed) };
    });
    globalThis.pad = {
      id: 'Pad',
      index: 0,
      connected: true,
      mapping: 'standard',
      axes: [0, 0, 0, 0],
      buttons,
    };
    navigator.getGamepads = () => [globalThis.pad];
    dispatchEvent(new Event('gamepadconnected'));
  }, held);
}
const frames = (page, count) =>
  page.evaluate(async (left) => {
    for (let at = 0; at < left; at += 1) await new Promise((go) => requestAnimationFrame(go));
  }, count);
async function push(page, button) {
  await page.evaluate((at) => (globalThis.pad.buttons[at].pressed = true), button);
  await frames(page, 3);
  await page.evaluate((at) => (globalThis.pad.buttons[at].pressed = false), button);
  await frames(page, 3);
}
const [A, B, Y, DOWN, LEFT, RIGHT] = [0, 1, 3, 13, 14, 15];
/** Opens a page with the focus on the first book, and connects a gamepad. */
const atFirstBook = (check, held) =>
  withPage({}, '/library/books', async (page) => {
    const card = page.locator('li[data-index="0"] a');
    await card.waitFor();
    await listens(page);
    await card.focus();
    await plugIn(page, held);
    await check(page);
  });

describe('a gamepad', () => {
  it('moves over the page, opens the focused element, and returns', () =>
    atFirstBook(async (page) => {
      await push(page, RIGHT);
      await stands(page, ({ text }) => text === 'Anna Karenina, volume 2', 'the second card');
      await push(page, LEFT);
      await stands(page, ({ text }) => text === 'Anna Karenina', 'the first card');
      await push(page, Y);
      await page.getByText('Added to favourites: Anna Karenina').waitFor();
      await push(page, A);
      await heading(page, 'Anna Karenina');
      await push(page, B);
      await heading(page, 'Books');
    }));

  it('repeats while a direction is held, also by its stick', () =>
    atFirstBook(async (page) => {
      // A release that is sent from outside the page can arrive one card too late.
      await page.evaluate(() => {
        addEventListener('focusin', ({ target }) => {
          if (target.querySelector('b')?.textContent.trim() === 'Anna Karenina, volume 4')
            globalThis.pad.axes[0] = 0;
        });
        globalThis.pad.axes[0] = 1;
      });
      await stands(page, ({ text }) => text === 'Anna Karenina, volume 4', 'the fourth card');
    }));

  it('moves sliders and lists, leaves them, and closes dialogs', () =>
    withPage({}, '/settings/device', async (page) => {
      const size = page.getByRole('slider', { name: 'Text size' });
      await size.waitFor();
      await plugIn(page);
      await size.focus();
      const before = Number(await size.inputValue());
      await push(page, RIGHT);
      await until('larger letters', async () => Number(await size.inputValue()) > before);
      assert.ok(await page.evaluate(() => Number(localStorage.getItem('ledge.text')) > 1));
      const language = page.getByRole('combobox', { name: 'Language' });
      await language.focus();
      await push(page, DOWN);
      await stands(page, ({ name }) => name === 'input', 'the slider below');
      await page.goto(new URL('/settings/libraries', page.url()).href);
      await page.getByRole('button', { name: 'Add a library' }).focus();
      await plugIn(page);
      await push(page, A);
      await page.getByRole('dialog').waitFor();
      await push(page, B);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }));

  it('ignores the press that connects it', () =>
    atFirstBook(
      async (page) => {
        await frames(page, 6);
        await page.evaluate((at) => (globalThis.pad.buttons[at].pressed = false), A);
        await frames(page, 6);
        assert.equal(new URL(page.url()).pathname, '/library/books');
        await push(page, A);
        await heading(page, 'Anna Karenina');
      },
      [A],
    ));
});

describe('the focus', () => {
  it('starts at the skip link, and moves to the heading of a new page', () =>
    withPage({}, '/favourites', async (page) => {
      await page.getByText('Sintel').first().waitFor();
      const rail = page.getByRole('navigation', { name: 'Main' }).first();
      await rail.getByRole('link').first().focus();
      await page.keyboard.press('Shift+Tab');
      await stands(page, ({ text }) => text === 'Skip to content', 'the way past the rail');
      await page.keyboard.press('Enter');
      await stands(page, ({ name, text }) => name === 'main' || text === 'Favourites', 'the content');
      await rail.getByRole('link', { name: 'History' }).focus();
      await page.keyboard.press('Enter');
      await stands(page, ({ name, text }) => name === 'h1' && text === 'History', 'the heading');
      assert.match(await page.title(), /^History/);
      await rail.getByRole('link', { name: 'Settings' }).focus();
      await page.keyboard.press('Enter');
      await stands(
        page,
        ({ name, text }) => name === 'h1' && text === 'This device',
        'the heading that is seen',
      );
    }));

  it('returns to the element that was left', () =>
    withPage({}, '/', async (page) => {
      await page.getByText('Recently added').first().waitFor();
      const rail = page.getByRole('navigation', { name: 'Main' }).first();
      await rail.getByRole('link', { name: /^Books/ }).click();
      const card = page.locator('li[data-index="0"] a');
      await card.focus();
      for (let row = 0; row < 6; row += 1) await page.keyboard.press('ArrowDown');
      const { href } = await focused(page);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${href}`);
      await stands(page, ({ name }) => name === 'h1', 'the heading of the thing');
      await page.keyboard.press('Backspace');
      await heading(page, 'Books');
      await stands(page, (now) => now.href === href, 'the card again');
      await page.goBack();
      await page.getByText('Recently added').first().waitFor();
      await page.goForward();
      await stands(page, (now) => now.href === href, 'the card once more');
    }));
});

describe('reduced motion', () => {
  const measure = (page) =>
    page.evaluate(() => {
      const longest = (style) =>
        Math.max(
          ...[...style.transitionDuration.split(','), ...style.animationDuration.split(',')].map((time) =>
            Number.parseFloat(time),
          ),
        );
      return Math.max(
        ...[...document.querySelectorAll('body *')].map((one) => longest(getComputedStyle(one))),
      );
    });

  it('disables animations and page transitions', async () => {
    for (const reducedMotion of ['reduce', 'no-preference']) {
      await withPage(
        {},
        '/',
        async (page) => {
          await page.getByText('Recently added').first().waitFor();
          const still = reducedMotion === 'reduce';
          assert.equal((await measure(page)) < 0.001, still, `of ${reducedMotion}`);
          await page.evaluate(() => {
            globalThis.transitions = 0;
            const start = document.startViewTransition.bind(document);
            document.startViewTransition = (change) => {
              globalThis.transitions += 1;
              return start(change);
            };
          });
          const rail = page.getByRole('navigation', { name: 'Main' }).first();
          await rail.getByRole('link', { name: 'History' }).click();
          await heading(page, 'History');
          assert.equal((await page.evaluate(() => globalThis.transitions)) === 0, still, reducedMotion);
        },
        { reducedMotion },
      );
    }
  });
});

describe('the phone layout', () => {
  const pages = [
    ['/', 'Recently added'],
    ['/library/audio', 'Low Lanterns'],
    ['/search?q=mob', '7 results'],
    ['/items/182', 'The Carpet-Bag'],
    ['/settings', 'This device'],
    ['/settings/libraries', 'Shared house'],
  ];
  for (const [path, words] of pages) {
    it(`has no axe violation and no horizontal overflow on ${path}`, async () => {
      for (const theme of ['dark', 'light'])
        await withPage(
          {},
          path,
          async (page) => {
            await page.getByText(words).first().waitFor({ state: 'attached' });
            assert.deepEqual(await violations(page), []);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(wide <= 0, `${wide} px too wide`);
          },
          { theme, width: 390 },
        );
    });
  }

  it('wraps long titles and names', () =>
    withPage(
      {},
      '/search?q=mob',
      async (page) => {
        await page.getByText('7 results').waitFor();
        await page.route(/\/api\/v1\/items\/6(\?|$)/, async (route) => {
          const response = await route.fetch();
          const item = await response.json();
          const people = item.people.map((person) => ({ ...person, name: 'B'.repeat(250) }));
          await route.fulfill({ response, json: { ...item, title: 'A'.repeat(1000), people } });
        });
        await page.goto(new URL('/items/6', page.url()).href);
        await page.getByRole('link', { name: /^B{250}$/ }).waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
        const { height } = await page.locator('main h1').boundingBox();
        assert.ok(height < 500, `${height} px of title`);
      },
      { width: 390 },
    ));
});
