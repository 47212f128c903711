/** States that a real server is hard to bring into, against the stand-in: how they look to axe, and what they say. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startFake } from '../../web/test/fake/server.mjs';
import { launchBrowser, openPage, violations } from './harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

async function withPage(options, path, check, settings) {
  const fake = await startFake(options);
  const { page, context, complaints } = await openPage(browser, settings);
  await page.goto(fake.url + path);
  await check(page, fake);
  assert.deepEqual(complaints, []);
  await context.close();
  await fake.close();
}

const text = (words) => (page) => page.getByText(words).first().waitFor();
const states = [
  ['home', {}, '/', text('Recently added')],
  ['home of a fresh server', { content: 'empty' }, '/', text('The ledge is empty')],
  [
    'home without grants',
    { content: 'ungranted', role: 'user' },
    '/',
    text('Nothing is shared with you yet'),
  ],
  ['home that failed', { failing: true }, '/', text('That did not load')],
  ['browse', { missing: true }, '/library/books', text('Anna Karenina')],
  ['browse while loading', { slow: true }, '/library/books', text('Card size')],
  ['browse that failed', { failing: true }, '/library/books', text('That did not load')],
  ['browse filtered to nothing', {}, '/library/video?library=77', text('Nothing fits')],
  ['an unknown kind of address', {}, '/library/nothing', text('Nothing on this ledge')],
  ['a kind nobody wrote for', {}, '/library/herbarium', text('Harebell')],
  ['item with parts', {}, '/items/182', text('The Carpet-Bag')],
  ['item that is missing', { missing: true }, '/items/7', text('Missing since')],
  ['item that is not there', {}, '/items/99999', text('Nothing on this ledge')],
  ['download viewer', {}, '/items/6/open/600', text('Nothing here can open this yet')],
  ['video notice', {}, '/items/191/open/19100', text('This does not play here')],
  ['login', { loggedIn: false }, '/', text('Password')],
  ['device settings', {}, '/settings/device', text('As the system')],
  ['account', {}, '/settings/account', text('Current password')],
  ['libraries while one is scanned', { scan: 'running' }, '/settings/libraries', text('713 of 1,924')],
  ['libraries after the guard', { scan: 'failed' }, '/settings/libraries', text('Accept as missing')],
  ['library', { scan: 'errors' }, '/settings/libraries/1', text('131 problems')],
  ['users', {}, '/settings/users', text('jonas')],
  ['user', {}, '/settings/users/2', text('Reset password')],
  ['missing', { missing: true }, '/settings/missing', text('Purge')],
  ['jobs', {}, '/settings/jobs', text('openlibrary')],
  ['about', {}, '/settings/about', text('0.1.0')],
];

describe('axe finds nothing', () => {
  for (const [name, options, path, shown] of states) {
    for (const theme of ['dark', 'light']) {
      it(`${name}, ${theme}`, () =>
        withPage(
          options,
          path,
          async (page) => {
            await shown(page);
            assert.deepEqual(await violations(page), []);
          },
          { theme },
        ));
    }
  }

  it('in the phone layout', () =>
    withPage(
      {},
      '/library/books',
      async (page) => {
        await text('Anna Karenina')(page);
        assert.deepEqual(await violations(page), []);
      },
      { width: 390 },
    ));

  it('in a dialog', () =>
    withPage({}, '/settings/libraries', async (page) => {
      await page.getByRole('button', { name: 'Add a library' }).click();
      await page.getByRole('button', { name: 'films' }).waitFor();
      assert.deepEqual(await violations(page), []);
    }));
});

describe('what is not written for', () => {
  it('shows a fifth kind with its own name and colour and opens it in the download viewer', () =>
    withPage({}, '/library/herbarium', async (page) => {
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Herbarium/ });
      assert.equal(await entry.evaluate((link) => link.style.getPropertyValue('--hue')), '120');
      await page.getByRole('link', { name: /Harebell/ }).click();
      await page.getByRole('button', { name: 'Harebell' }).click();
      await page.getByText('Nothing here can open this yet').waitFor();
    }));
});

describe('login', () => {
  it('says how long to wait when it is throttled, and counts down', () =>
    withPage({ loggedIn: false, login: 'throttled' }, '/', async (page) => {
      await page.getByLabel('Username').fill('marit');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('Try again in 48 seconds').waitFor();
      await page.getByText('Try again in 47 seconds').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Log in' }).isDisabled(), true);
    }));
});

describe('browse', () => {
  it('draws a window of rows, not the whole list', () =>
    withPage({}, '/library/books', async (page) => {
      await text('Anna Karenina')(page);
      assert.ok((await page.locator('li[data-index]').count()) < 60);
      await page.mouse.wheel(0, 100_000);
      await page.getByText('Wuthering Heights, volume 6').waitFor();
      assert.ok((await page.locator('li[data-index]').count()) < 60);
    }));

  it('jumps to a letter and walks with the arrow keys', () =>
    withPage({}, '/library/books', async (page) => {
      const rail = page.getByRole('slider', { name: 'Jump to letter' });
      await rail.focus();
      await page.keyboard.press('End');
      await page.getByText('Wuthering Heights', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Wuthering Heights Emily/ }).focus();
      await page.keyboard.press('ArrowRight');
      assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /volume 2/);
    }));

  it('comes back to where one was', () =>
    withPage({}, '/library/books', async (page) => {
      await text('Anna Karenina')(page);
      await page.mouse.wheel(0, 3000);
      await page.waitForFunction(() => scrollY > 2000);
      const link = page.locator('li[data-index] a').nth(14);
      const title = await link.locator('b').textContent();
      const before = await page.evaluate(() => scrollY);
      await link.click();
      await page.getByRole('heading', { level: 1, name: title ?? '' }).waitFor();
      await page.goBack();
      await page.waitForFunction((y) => Math.abs(scrollY - y) < 400, before);
      await page
        .getByText(title ?? '')
        .first()
        .waitFor();
    }));
});
