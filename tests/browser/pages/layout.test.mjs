/** Every page at every width: nothing overlaps, nothing is cut off, and no page scrolls sideways. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GAME, SERIAL } from '../../../web/test/fake/world.mjs';
import { shots } from '../../../web/scripts/shots.mjs';
import { addLibrary, apiOf, enter, launchBrowser, startServer, withFake } from '../harness.mjs';
import { faultsAt } from './layout.mjs';

const STEP = 40;
const [NARROWEST, WIDEST] = [320, 2560];
/** Every 40 pixels, and both sides of the width at which the layout of a phone ends. */
const WIDTHS = [
  ...Array.from({ length: (WIDEST - NARROWEST) / STEP + 1 }, (_, index) => NARROWEST + index * STEP),
  761,
].sort((a, b) => a - b);
/** Dialogs and rare states use the same few components: fewer widths find their faults. */
const FEW = [320, 360, 400, 480, 600, 760, 761, 800, 840, 920, 1040, 1280, 2560];
const HEIGHT = 1500;
/** A phone on its side. */
const LOW = 390;

/** Pages and states by their names among the screenshots. */
const PAGES = [
  ...['login', 'home', 'browse', 'library', 'search', 'people', 'series', 'works', 'favourites', 'history'],
  ...['playlists', 'playlist', 'playlist-missing', 'statistics', 'year', 'dashboard'],
  ...['item', 'item-book', 'item-film', 'album', 'download', 'video', 'player', 'player-sheet'],
  ...['settings', 'settings-device', 'settings-account', 'settings-libraries', 'settings-library'],
  ...['settings-users', 'settings-user', 'settings-missing', 'settings-jobs', 'settings-games'],
  ...['settings-about', 'settings-apps'],
];
const STATES = [
  ...['home-fresh', 'home-empty-admin', 'home-long', 'home-large', 'browse-square', 'browse-filtered'],
  ...['browse-long', 'search-none', 'search-long', 'item-missing', 'item-finished', 'item-long'],
  ...['item-large', 'item-404', 'item-de', 'home-de', 'settings-de', 'settings-large'],
  ...['settings-libraries-failed', 'settings-library-de', 'video-next', 'video-notice', 'video-options'],
  ...['player-long', 'player-queue', 'player-words', 'player-refused', 'player-away', 'book-damaged'],
  ...['item-former', 'item-edit', 'item-matches', 'item-saves', 'settings-library-add'],
  ...['settings-library-delete', 'settings-user-add', 'settings-user-delete'],
  ...['statistics-table', 'statistics-none', 'statistics-de', 'year-table', 'year-de', 'dashboard-de'],
  ...['settings-apps-de', 'settings-apps-none', 'settings-apps-create', 'settings-apps-secret'],
  ...['playlist-de', 'playlist-edit', 'playlist-add', 'queue-offer', 'queue-conflict'],
];
const more = [
  { name: 'show', path: `/items/${SERIAL}` },
  { name: 'game', path: `/items/${GAME}` },
  { name: 'other kind', path: '/items/206' },
];

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

async function open(shot, check) {
  const settings = { width: 1280, locale: shot.locale };
  await withFake(
    browser,
    shot.options ?? {},
    '/blank',
    async (page, fake) => {
      await shot.before?.(page, fake);
      await page.goto(fake.url + shot.path);
      await page.locator('h1, form').first().waitFor({ state: 'attached' });
      await shot.act?.(page, fake);
      await page.waitForFunction(() => document.querySelector('.bone') === null);
      await page.evaluate(() => document.fonts.ready);
      await check(page);
    },
    settings,
  );
}
const named = (name) => {
  const shot = shots.find((one) => one.name === name);
  if (!shot) throw new Error(`there is no screenshot of the name ${name}`);
  return shot;
};

describe('the page layout', () => {
  for (const shot of [...PAGES.map(named), ...more])
    it(`has no fault on ${shot.name} at any width`, () =>
      open(shot, async (page) => assert.deepEqual(await faultsAt(page, WIDTHS, HEIGHT), [])));
  for (const shot of STATES.map(named))
    it(`has no fault on ${shot.name}`, () =>
      open(shot, async (page) => assert.deepEqual(await faultsAt(page, FEW, HEIGHT), [])));
  it('has no fault in a low window', async () => {
    for (const name of ['home', 'browse', 'item', 'player', 'player-sheet', 'video', 'settings-device'])
      await open(named(name), async (page) =>
        assert.deepEqual(await faultsAt(page, [568, 844, 932], LOW), [], name),
      );
  });
});

describe('the layout with real media', () => {
  let server;
  let items;
  before(async () => {
    server = await startServer();
    const api = await apiOf(server.url);
    await addLibrary(api, server.media);
    const cards = (await api('/items?limit=500')).items;
    items = await Promise.all(cards.map((card) => api(`/items/${card.id}`)));
  });
  after(() => server?.stop());

  it('has no fault on the page of an item of each form', async () => {
    const { page, context } = await enter(browser, server.url);
    const forms = new Map(items.map((item) => [`${item.kind} ${item.facts.form ?? ''}`, item]));
    assert.ok(forms.size > 3, `${[...forms.keys()]}`);
    for (const [form, item] of forms) {
      await page.goto(`${server.url}/items/${item.id}`);
      await page.getByRole('heading', { level: 1, name: item.display_title }).waitFor();
      assert.deepEqual(await faultsAt(page, FEW, HEIGHT), [], form);
    }
    await context.close();
  });

  it('has no fault in any reader', async () => {
    const { page, context } = await enter(browser, server.url);
    const files = new Map(
      items.flatMap((item) => item.files.map((file) => [file.viewer, { item, file }])).reverse(),
    );
    files.delete('audio'); // it has no page of its own
    assert.ok(files.size > 3, `${[...files.keys()]}`);
    for (const [viewer, { item, file }] of files) {
      await page.goto(`${server.url}/items/${item.id}/open/${file.id}`);
      await page.locator('h1, header button, iframe').first().waitFor({ state: 'attached' });
      await page.waitForFunction(() => document.querySelector('.bone') === null);
      assert.deepEqual(await faultsAt(page, FEW, 900), [], viewer);
    }
    await context.close();
  });
});

describe('the audio bar', () => {
  for (const [width, height] of [
    [1280, 640],
    [390, 700],
  ])
    it(`covers neither the end of a page nor the focused element, ${width} wide`, async () => {
      const shot = { path: '/items/182', act: named('player').act };
      await open(shot, async (page) => {
        await page.setViewportSize({ width, height });
        const room = () =>
          page.evaluate(() => {
            const dock = document.querySelector('section.dock').getBoundingClientRect();
            scrollTo(0, document.documentElement.scrollHeight);
            const ends = [...document.querySelectorAll('main a, main button, main p')]
              .filter((one) => one.checkVisibility())
              .map((one) => one.getBoundingClientRect().bottom);
            return dock.top - Math.max(...ends);
          });
        assert.ok((await room()) >= 0, `the end of the page is covered by ${-(await room())} pixels`);

        await page.evaluate(() => {
          scrollTo(0, 0);
          document.querySelector('main').focus();
        });
        const covered = [];
        let steps = 0;
        for (let inside = true; inside && steps < 120; steps += 1) {
          await page.keyboard.press('Tab');
          const [isInside, by] = await page.evaluate(() => {
            const focused = document.activeElement;
            if (!focused?.closest('main')) return [false, ''];
            const { left, right, top, bottom } = focused.getBoundingClientRect();
            const bars = [...document.querySelectorAll('section.dock, .app ~ nav')];
            const over = bars.find((bar) => {
              const box = bar.getBoundingClientRect();
              return (
                box.height > 0 &&
                bottom > box.top + 1 &&
                top < box.bottom &&
                right > box.left &&
                left < box.right
              );
            });
            return [true, over ? `${focused.outerHTML.slice(0, 80)} at ${Math.round(top)}` : ''];
          });
          inside = isInside;
          if (by) covered.push(by);
        }
        assert.ok(steps > 10, `${steps} things had the focus`);
        assert.deepEqual(covered, []);
      });
    });

  it('leaves space for its message', () =>
    open(named('player-away'), async (page) => {
      await page.setViewportSize({ width: 390, height: 700 });
      const [dock, foot] = await page.evaluate(() => [
        document.querySelector('section.dock .notice').getBoundingClientRect(),
        Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--dock')),
      ]);
      assert.ok(foot > dock.height, `${foot} for a notice of ${dock.height}`);
    }));
});

describe('a menu', () => {
  for (const reducedMotion of ['reduce', 'no-preference'])
    it(`opens next to its button, motion: ${reducedMotion}`, () =>
      withFake(
        browser,
        {},
        '/items/182',
        async (page) => {
          const button = page.getByRole('button', { name: 'More actions' });
          await button.waitFor();
          for (const [width, height] of [
            [1280, 860],
            [800, 600],
            [1280, 420],
          ]) {
            await page.setViewportSize({ width, height });
            await button.scrollIntoViewIfNeeded();
            // Where it is as soon as it can be seen, not only once something has run its course.
            const { from, list } = await button.evaluate(async (element) => {
              element.click();
              await new Promise((go) => requestAnimationFrame(go));
              const box = (one) => one.getBoundingClientRect().toJSON();
              return { from: box(element), list: box(document.querySelector('[role="menu"]')) };
            });
            const gap = list.top >= from.bottom ? list.top - from.bottom : from.top - list.bottom;
            const fits = list.top >= 0 && list.bottom <= height && list.right <= width && list.left >= 0;
            assert.ok(fits, JSON.stringify(list));
            assert.ok(list.left <= from.right && list.right >= from.left, JSON.stringify({ from, list }));
            // Where neither side has room it covers its button.
            assert.ok(
              Math.abs(gap) < 12 || list.height > height - 60 - from.height,
              JSON.stringify({ from, list }),
            );
            await page.keyboard.press('Escape');
            await page.getByRole('menu').waitFor({ state: 'detached' });
          }
        },
        { reducedMotion },
      ));
});

describe('the theme', () => {
  const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);

  it('follows the system until another one is selected', () =>
    withFake(
      browser,
      {},
      '/settings/device',
      async (page) => {
        await page.getByRole('radio', { name: 'System' }).waitFor();
        assert.equal(await theme(page), 'light');
        assert.ok(await page.getByRole('radio', { name: 'System' }).isChecked());
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
        await page.getByRole('radio', { name: 'Light' }).check();
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
        await page.reload();
        await page.getByRole('radio', { name: 'Light' }).waitFor();
        assert.equal(await theme(page), 'light');
        await page.getByRole('radio', { name: 'System' }).check();
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
        await page.emulateMedia({ colorScheme: 'light' });
        await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
      },
      { theme: null, colorScheme: 'light' },
    ));
});

describe('a view transition', () => {
  it('names each element once if an item is on several shelves', async () => {
    await withFake(
      browser,
      {},
      '/',
      async (page) => {
        await page.getByText('Recently added').first().waitFor();
        await page.evaluate(() => {
          globalThis.transitions = [];
          const names = () =>
            [...document.querySelectorAll('*')]
              .map((one) => getComputedStyle(one).viewTransitionName)
              .filter((name) => name !== 'none' && name !== 'root');
          const start = document.startViewTransition.bind(document);
          document.startViewTransition = (change) => {
            const seen = { from: names(), to: [], done: false };
            globalThis.transitions.push(seen);
            const running = start(async () => {
              await change();
              seen.to = names();
            });
            running.ready.then(
              () => (seen.ready = true),
              (error) => (seen.ready = String(error)),
            );
            running.finished.then(() =>
              setTimeout(() => Object.assign(seen, { done: true, after: names() })),
            );
            return running;
          };
        });
        const href = await page.evaluate(() => {
          const hrefs = [...document.querySelectorAll('main .shelf a')].map((link) =>
            link.getAttribute('href'),
          );
          return hrefs.find((one, index) => hrefs.indexOf(one) !== index) ?? null;
        });
        assert.ok(href, 'no item is on two shelves');
        const cover = `cover-${href.split('/').pop()}`;
        const last = async () => {
          await page.waitForFunction(() => globalThis.transitions.at(-1)?.done);
          return page.evaluate(() => globalThis.transitions.at(-1));
        };
        const come = async () => {
          await page.evaluate(() => (globalThis.transitions = []));
          await page.locator(`main .shelf a[href="${href}"]`).last().click();
          await page.waitForURL(`**${href}`);
          await page.locator('article.item h1').waitFor();
          return last();
        };
        await come();
        await page.evaluate(() => (globalThis.transitions = []));
        await page.goBack();
        await page.getByText('Recently added').first().waitFor();
        const back = await last();
        assert.equal(back.ready, true);
        assert.deepEqual(back.from, [cover]);
        assert.equal(back.to.length, new Set(back.to).size);
        assert.deepEqual(back.after, []);
        // Now the item is known, and its page has a cover at once.
        assert.deepEqual(await come(), { from: [cover], to: [cover], done: true, ready: true, after: [] });
      },
      { reducedMotion: 'no-preference' },
    );
  });
});
