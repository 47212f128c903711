/** Select mode in lists: pointer, keyboard, touch and gamepad, the actions, and the undo. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (path, check, settings, options = {}) =>
  withFake(browser, options, path, check, { width: 1440, ...settings });
const list = (page) => page.locator('main ul[aria-label]').first();
const link = (page, n) => list(page).locator(`li[data-index="${n}"] a`);
const bar = (page) => page.getByRole('region', { name: 'Actions for selected items' });
const selected = (page, count) => bar(page).getByText(`${count} selected`, { exact: true }).waitFor();
const checked = (page) => list(page).locator('a[aria-checked=true]').count();
/** Waits until the cards can be selected: their tools load after the page. */
const ready = (page) => list(page).locator('li[data-index="5"] .select-disc').waitFor({ state: 'attached' });
const action = (page, name) => bar(page).getByRole('button', { name, exact: true });
const choose = async (page, menu, choice) => {
  await action(page, menu).click();
  await page.getByRole('menuitem', { name: choice, exact: true }).click();
};
const undo = (page) => page.getByRole('button', { name: 'Undo', exact: true });
/** Records the bodies of bulk edits. */
function edits(page) {
  const bodies = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postDataJSON());
  });
  return bodies;
}

describe('select mode', () => {
  it('begins at a disc and continues with clicks and ranges', () =>
    withPage('/library/books', async (page) => {
      await ready(page);
      await link(page, 0).hover();
      await link(page, 0).locator('.select-disc').click();
      await selected(page, 1);
      assert.equal(await link(page, 0).getAttribute('role'), 'checkbox');
      await link(page, 2).click();
      await selected(page, 2);
      await link(page, 5).click({ modifiers: ['Shift'] });
      await selected(page, 5);
      assert.equal(await checked(page), 5);
      await link(page, 0).click();
      await selected(page, 4);
      assert.equal(new URL(page.url()).pathname, '/library/books');
      await action(page, 'End selection').click();
      await bar(page).waitFor({ state: 'detached' });
      assert.equal(await link(page, 2).getAttribute('role'), null);
      await link(page, 2).click();
      await page.waitForURL('**/items/*');
    }));

  it('works with the keyboard alone', () =>
    withPage('/library/books', async (page) => {
      await ready(page);
      await link(page, 0).focus();
      await page.keyboard.press('Space');
      await selected(page, 1);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await selected(page, 2);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Shift+Space');
      await selected(page, 4);
      await page.keyboard.press('F6');
      await until('the focus in the bar', () =>
        bar(page).evaluate((one) => one.contains(document.activeElement)),
      );
      await page.keyboard.press('F6');
      await until('the focus in the list', () =>
        link(page, 3).evaluate((one) => one === document.activeElement),
      );
      await page.keyboard.press('Control+a');
      await selected(page, 180);
      await page.keyboard.press('Escape');
      await bar(page).waitFor({ state: 'detached' });
      assert.equal(new URL(page.url()).pathname, '/library/books');
    }));

  it('begins with a long press, and a short one opens the item', () =>
    withPage(
      '/library/books',
      async (page) => {
        await ready(page);
        const box = await link(page, 1).boundingBox();
        const touch = await page.context().newCDPSession(page);
        const points = [{ x: box.x + 40, y: box.y + 60 }];
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points });
        await selected(page, 1);
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        await link(page, 2).tap();
        await selected(page, 2);
        assert.equal(new URL(page.url()).pathname, '/library/books');
        await action(page, 'End selection').tap();
        await link(page, 2).tap();
        await page.waitForURL('**/items/*');
      },
      { width: 390, hasTouch: true, isMobile: true },
    ));

  it('begins with the third button of a gamepad', () =>
    withPage('/library/books', async (page) => {
      await ready(page);
      await page.evaluate(() => {
        const buttons = Array.from({ length: 17 }, () => ({ pressed: false }));
        globalThis.pad = { index: 0, mapping: 'standard', axes: [0, 0], buttons };
        navigator.getGamepads = () => [globalThis.pad];
        dispatchEvent(new Event('gamepadconnected'));
      });
      await link(page, 3).focus();
      const push = async (button) => {
        for (const pressed of [true, false]) {
          await page.evaluate(([at, down]) => (globalThis.pad.buttons[at].pressed = down), [button, pressed]);
          await page.evaluate(
            () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))),
          );
        }
      };
      await push(2);
      await selected(page, 1);
      await push(15);
      await push(0);
      await selected(page, 2);
      await push(1);
      await bar(page).waitFor({ state: 'detached' });
    }));

  it('ends with the page and with another filter', () =>
    withPage('/library/books', async (page) => {
      await ready(page);
      await link(page, 0).focus();
      await page.keyboard.press('Space');
      await selected(page, 1);
      await page.getByRole('button', { name: 'Finished', exact: true }).click();
      await bar(page).waitFor({ state: 'detached' });
    }));

  it('works in favourites, in the list of a series, and in search results', async () => {
    for (const path of ['/favourites', '/series/1', '/search?q=the'])
      await withPage(path, async (page) => {
        const first = list(page).locator('li a').first();
        await list(page).locator('.select-disc').first().waitFor({ state: 'attached' });
        await first.focus();
        await page.keyboard.press('Space');
        await selected(page, 1);
      });
  });
});

describe('actions', () => {
  it('rate and mark items, and one undo restores them', () =>
    withPage('/library/books', async (page) => {
      const bodies = edits(page);
      await ready(page);
      await link(page, 0).focus();
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      await choose(page, 'Rating', '8 of 10');
      await page.getByText('2 items changed').waitFor();
      assert.deepEqual(bodies.at(-1).set, { rating: 8 });
      assert.equal(bodies.at(-1).ids.length, 2);
      await choose(page, 'Favourites', 'Add to favourites');
      await until('the second edit', () => bodies.length === 2);
      await page.getByText('2 items changed').waitFor();
      assert.equal(await undo(page).count(), 1);
      await choose(page, 'Progress', 'Mark as finished');
      await until('the third edit', () => bodies.length === 3);
      await undo(page).click();
      await page.getByText('2 items restored').waitFor();
      assert.equal(await undo(page).count(), 0);
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('2 items restored').waitFor({ state: 'detached' });
    }));

  it('tag items', () =>
    withPage('/library/books', async (page) => {
      const bodies = edits(page);
      await ready(page);
      await link(page, 4).focus();
      await page.keyboard.press('Space');
      await action(page, 'Tags').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Add', { exact: true }).fill('Long walks, Summer');
      await dialog.getByLabel('Add for all users').fill('School');
      assert.deepEqual(await violations(page), []);
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('1 item changed').waitFor();
      assert.deepEqual(bodies.at(-1).set, {
        tags_add: ['Long walks', 'Summer'],
        shared_tags_add: ['School'],
      });
    }));

  it('edit shared fields, and show a rejection in the dialog', () =>
    withPage('/library/books', async (page) => {
      const bodies = edits(page);
      await ready(page);
      await link(page, 0).focus();
      await page.keyboard.press('Space');
      await action(page, 'Edit').click();
      const dialog = page.getByRole('dialog');
      const apply = dialog.getByRole('button', { name: 'Apply' });
      assert.ok(await apply.isDisabled());
      await dialog.getByLabel('Genres: change').selectOption('add');
      await dialog.getByLabel('Add', { exact: true }).fill('Satire; Comedy');
      await dialog.getByLabel('Year: change').selectOption('clear');
      await dialog.getByRole('checkbox', { name: /^Lock these fields/ }).uncheck();
      assert.deepEqual(await violations(page), []);
      let fails = true;
      await page.route('**/api/v1/items', (route) =>
        fails && route.request().method() === 'PATCH'
          ? route.fulfill({ status: 422, json: { error: { code: 'invalid', message: 'Too many genres.' } } })
          : route.fallback(),
      );
      await apply.click();
      await dialog.getByRole('alert').getByText('Too many genres.').waitFor();
      fails = false;
      await apply.click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(bodies.at(-1).set, { genres_add: ['Satire', 'Comedy'], year: null });
      assert.equal(bodies.at(-1).lock, false);
    }));

  it('ask before the input of their dialog is lost', () =>
    withPage('/library/books', async (page) => {
      await ready(page);
      await link(page, 0).focus();
      await page.keyboard.press('Space');
      await action(page, 'Edit').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Genres: change').selectOption('add');
      await page.keyboard.press('Escape');
      await dialog.getByText('Discard your changes?').waitFor();
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await dialog.waitFor({ state: 'detached' });
    }));

  it('select a long list by its filter, with the expected number', () =>
    withPage(
      '/library/books',
      async (page) => {
        const bodies = edits(page);
        await ready(page);
        await link(page, 0).focus();
        await page.keyboard.press('Space');
        const all = bar(page).getByRole('button', { name: /^Select all/ });
        const count = Number((await all.textContent()).replace(/\D/g, ''));
        assert.ok(count > 1000, String(count));
        await all.click();
        await selected(page, count.toLocaleString('en'));
        await page.route('**/api/v1/items', (route) =>
          route.request().method() === 'PATCH'
            ? route.fulfill({ status: 412, json: { error: { code: 'precondition_failed', message: 'x' } } })
            : route.fallback(),
        );
        await choose(page, 'Favourites', 'Add to favourites');
        await page.getByText('The list has changed. Check the selection and try again.').waitFor();
        assert.deepEqual(bodies.at(-1).filter, { kind: 'books' });
        assert.equal(bodies.at(-1).expected, count);
      },
      {},
      { many: 6000 },
    ));

  it('offer only own data to ordinary users', () =>
    withPage(
      '/library/books',
      async (page) => {
        await ready(page);
        await link(page, 0).focus();
        await page.keyboard.press('Space');
        await selected(page, 1);
        assert.equal(await action(page, 'Edit').count(), 0);
        assert.equal(await action(page, 'Refresh metadata').count(), 0);
        await action(page, 'Tags').click();
        assert.equal(await page.getByRole('dialog').getByLabel('Add for all users').count(), 0);
      },
      {},
      { role: 'user' },
    ));

  for (const theme of ['dark', 'light'])
    for (const width of [1440, 390, 320])
      it(`have targets of 44 pixels and no violations, ${theme}, ${width} px`, () =>
        withPage(
          '/library/books',
          async (page) => {
            await ready(page);
            await link(page, 0).focus();
            await page.keyboard.press('Space');
            await choose(page, 'Rating', '9 of 10');
            await undo(page).waitFor();
            assert.deepEqual(await violations(page), []);
            const low = await page.locator('.select-bar button, .notice button').evaluateAll((all) =>
              all
                .map((one) => one.getBoundingClientRect())
                .filter(({ width: wide, height }) => height < 44 || wide < 44)
                .map(({ width: wide, height }) => `${wide} x ${height}`),
            );
            assert.deepEqual(low, []);
            const { height } = await bar(page).boundingBox();
            assert.ok(height >= 56, `${height}`);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
          },
          { theme, width },
        ));
});
