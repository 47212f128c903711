/** States that a real server is hard to bring into, against the stand-in: how they look to axe, and what they say. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from './harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (options, path, check, settings) => withFake(browser, options, path, check, settings);

const playing = (page) =>
  page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.3);
async function away(page) {
  await text('Recently added')(page);
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.reload();
  await page.getByText('The server does not answer').waitFor();
}
async function over(page, fake) {
  await text('Recently added')(page);
  fake.options.loggedIn = false;
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('Your session has ended').waitFor();
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
  ['home where nothing was opened yet', { fresh: true }, '/', text('New on the ledge')],
  ['browse of what is begun', {}, '/library/books?state=started', text('Moby-Dick')],
  ['search', {}, '/search?q=mob', text('7 results')],
  ['search before it', {}, '/search', text('What are you looking for?')],
  ['search without results', {}, '/search?q=zzz', text('Nothing found')],
  [
    'search without grants',
    { content: 'ungranted', role: 'user' },
    '/search?q=emma',
    text('Nothing is shared with you yet'),
  ],
  ['search that failed', {}, '/search?q=break', text('That did not load')],
  ['favourites', {}, '/favourites', text('Sintel')],
  ['no favourites', { content: 'empty' }, '/favourites', text('No favourites yet')],
  ['history', {}, '/history', text('Metropolis')],
  ['no history', { fresh: true }, '/history', text('Nothing yet')],
  ['item that is finished', {}, '/items/3', text('Finished')],
  ['item that does not play here', {}, '/items/191', text('it lacks MPEG-4')],
  ['item of a series', {}, '/items/6', text('This one')],
  ['people', {}, '/people', text('Herman Melville')],
  ['series', {}, '/series', text('Dracula')],
  ['a name that nobody bears', {}, '/people?q=zzz', text('Nothing found')],
  ['works of a person', {}, '/people/6', text('volume 2')],
  ['a series', {}, '/series/3', text('volume 2')],
  ['browse', { missing: true }, '/library/books', text('Anna Karenina')],
  ['browse while loading', { slow: true }, '/library/books', text('Card size')],
  ['browse that failed', { failing: true }, '/library/books', text('That did not load')],
  ['browse filtered to nothing', {}, '/library/video?library=77', text('Nothing fits')],
  ['an unknown kind of address', {}, '/library/nothing', text('Nothing on this ledge')],
  ['a kind nobody wrote for', {}, '/library/herbarium', text('Harebell')],
  ['item with parts', {}, '/items/182', text('The Carpet-Bag')],
  ['item that is missing', { missing: true }, '/items/7', text('Missing since')],
  ['item that is not there', {}, '/items/99999', text('Nothing on this ledge')],
  ['download viewer', {}, '/items/206/open/20600', text('Nothing here can open this yet')],
  ['book that cannot be read', {}, '/items/6/open/600', text('This book cannot be shown')],
  ['video notice', {}, '/items/191/open/19100', text('This does not play here')],
  ['login', { loggedIn: false }, '/', text('Password')],
  ['device settings', {}, '/settings/device', text('Appearance')],
  ['account', {}, '/settings/account', text('Current password')],
  ['libraries while one is scanned', { scan: 'running' }, '/settings/libraries', text('713 of 1,924')],
  ['libraries after the guard', { scan: 'failed' }, '/settings/libraries', text('Accept as missing')],
  ['library', { scan: 'errors' }, '/settings/libraries/1', text('131 problems')],
  ['users', {}, '/settings/users', text('jonas')],
  ['user', {}, '/settings/users/2', text('Reset password')],
  ['missing', { missing: true }, '/settings/missing', text('Purge')],
  ['jobs', {}, '/settings/jobs', text('openlibrary')],
  ['about', {}, '/settings/about', text('0.1.0')],
  ['cores of games', {}, '/settings/games', text('Super Nintendo')],
  ['a film that plays', {}, `/items/${FILM}/open/${FILM * 100}`, playing],
  ['a server that is away', {}, '/', away],
  ['a session that is over', {}, '/', over],
];

describe('axe finds nothing', () => {
  for (const [name, options, path, shown] of states) {
    for (const theme of ['dark', 'light']) {
      it(`${name}, ${theme}`, () =>
        withPage(
          options,
          path,
          async (page, fake) => {
            await shown(page, fake);
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

  it('in the menu and the dialogs of an item', () =>
    withPage({}, '/items/182', async (page) => {
      const more = page.getByRole('button', { name: 'More actions' });
      await more.click();
      await page.getByRole('menuitem', { name: 'Earlier places' }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.getByRole('menuitem', { name: 'Earlier places' }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
      await more.click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      await page.getByRole('dialog').getByText('Kept as edited').waitFor();
      assert.deepEqual(await violations(page), []);
    }));

  const dialogs = [
    [
      'of metadata',
      '/items/182',
      async (page) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Metadata' }).click();
        await page.getByText('Not found').waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Search' }).click();
        await page.getByRole('button', { name: /^Take/ }).first().waitFor();
      },
    ],
    [
      'that changes a library',
      '/settings/libraries/1',
      (page) => page.getByRole('button', { name: 'Change library' }).click(),
    ],
    [
      'that deletes a library',
      '/settings/libraries/1',
      (page) => page.getByRole('button', { name: 'Delete library' }).click(),
    ],
    [
      'that adds a user',
      '/settings/users',
      (page) => page.getByRole('button', { name: 'Add a user' }).click(),
    ],
    [
      'that deletes a user',
      '/settings/users/2',
      (page) => page.getByRole('button', { name: 'Delete user' }).click(),
    ],
    [
      'that purges',
      '/settings/missing',
      (page) => page.getByRole('button', { name: /Purge/ }).first().click(),
      { missing: true },
    ],
  ];
  for (const [name, path, open, options = {}] of dialogs) {
    for (const theme of ['dark', 'light']) {
      it(`in a dialog ${name}, ${theme}`, () =>
        withPage(
          options,
          path,
          async (page) => {
            await open(page);
            await page.getByRole('dialog').waitFor();
            assert.deepEqual(await violations(page), []);
          },
          { theme },
        ));
    }
  }

  it('in a dialog', () =>
    withPage({}, '/settings/libraries', async (page) => {
      await page.getByRole('button', { name: 'Add a library' }).click();
      await page.getByRole('button', { name: 'films' }).waitFor();
      assert.deepEqual(await violations(page), []);
    }));
});

describe('what is not written for', () => {
  it('shows a fifth kind with its own name and colour and opens it in the download viewer', () =>
    withPage({}, '/library/herbarium', async (page, fake) => {
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Herbarium/ });
      assert.equal(await entry.evaluate((link) => link.style.getPropertyValue('--hue')), '120');
      const { items: kinds } = await (await fetch(`${fake.url}/api/v1/media-types`)).json();
      const { icon } = kinds.find(({ id }) => id === 'herbarium');
      assert.equal(await entry.locator('svg path').getAttribute('d'), icon);
      await page.getByRole('link', { name: /Harebell/ }).click();
      await page.getByRole('button', { name: 'Harebell' }).click();
      await page.getByText('Nothing here can open this yet').waitFor();
    }));
});

const titles = (page, shelf) =>
  page.getByRole('region', { name: shelf }).getByRole('link').locator('b').allTextContents();
const written = (fake) => fake.state.written;

describe('home', () => {
  it('shows what was left last in the hero and the rest on the shelf, with the way gone', () =>
    withPage({}, '/', async (page) => {
      const hero = page.getByRole('region', { name: 'Pick up where you left off' });
      await hero.getByRole('heading', { name: 'Moby-Dick' }).waitFor();
      await hero.getByText('60 %').waitFor();
      assert.deepEqual(await titles(page, 'Continue'), ['Moby-Dick', 'Metropolis', 'Dracula', 'Meditations']);
      const shelf = page.getByRole('region', { name: 'Continue', exact: true });
      await shelf.getByText('Chapter 3 · 4 min left', { exact: true }).waitFor();
      await shelf.getByText('58 min left', { exact: true }).waitFor();
      await hero.getByRole('link', { name: 'Continue Moby-Dick' }).click();
      await page.waitForURL('**/items/6/open/600');
    }));

  it('gives each suggestion its reason by the author and by the kind’s own name', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Suggestions' });
      await shelf.getByText('More by Jane Austen').waitFor();
      await shelf.getByText('More videos').first().waitFor();
    }));

  it('says of what does not play here that it does not, and why', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Most viewed' });
      await shelf.getByRole('link', { name: /Does not play: MPEG-4 ASP/ }).waitFor();
    }));

  it('walks along a shelf with the arrow keys and scrolls it', () =>
    withPage({}, '/', async (page) => {
      const links = page
        .getByRole('region', { name: 'Books' })
        .getByRole('link')
        .filter({ has: page.locator('b') });
      await links.first().focus();
      for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
      const name = await links.nth(12).locator('b').textContent();
      assert.equal(await page.evaluate(() => document.activeElement?.querySelector('b')?.textContent), name);
      assert.ok(await links.nth(12).evaluate((link) => link.closest('.shelf').scrollLeft > 0));
      await page.getByRole('button', { name: 'Scroll back: Books' }).waitFor();
    }));

  it('deals another handful to explore', () =>
    withPage({}, '/', async (page) => {
      const shelf = page.getByRole('region', { name: 'Explore' });
      await shelf.getByRole('link').first().waitFor();
      const before = await titles(page, 'Explore');
      assert.ok(before.length > 5);
      await page.getByRole('button', { name: 'Shuffle' }).click();
      await until('it to come so far', async () => {
        const now = await titles(page, 'Explore');
        return now.length > 5 && now.join() !== before.join();
      });
    }));
});

describe('the keys of every page', () => {
  const focused = (page) =>
    page.evaluate(() => {
      const one = document.activeElement;
      return {
        href: one?.getAttribute('href') ?? null,
        where: one?.closest('nav, .shelf, ul, section')?.tagName ?? null,
      };
    });

  it('lead with arrows from the rail over the shelves and back, and with letters to places', () =>
    withPage({}, '/', async (page) => {
      await text('Recently added')(page);
      const cards = page.getByRole('region', { name: 'Continue', exact: true }).getByRole('link');
      await cards.first().focus();
      const first = await focused(page);
      await page.keyboard.press('ArrowRight');
      const second = await focused(page);
      assert.notEqual(second.href, first.href);
      await page.keyboard.press('ArrowDown');
      const lower = await focused(page);
      assert.notEqual(lower.href, second.href);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Home');
      assert.deepEqual(await focused(page), first);
      await page.keyboard.press('ArrowLeft');
      assert.equal((await focused(page)).where, 'NAV');
      await page.keyboard.press('ArrowRight');
      assert.notEqual((await focused(page)).where, 'NAV');
      await page.keyboard.press('g');
      await page.keyboard.press('f');
      await page.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
      await page.keyboard.press('Backspace');
      await text('Recently added')(page);
      await page.keyboard.press('g');
      await page.keyboard.press('l');
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await text('Recently added')(page);
    }));

  it('make a favourite of the card one stands on, and of the page', () =>
    withPage({}, '/library/books', async (page) => {
      await page
        .getByRole('link', { name: /^Anna Karenina Leo/ })
        .first()
        .focus();
      await page.keyboard.press('f');
      await page.getByText('Among your favourites now: Anna Karenina').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
      await page.keyboard.press('f');
      await page.locator('button[aria-pressed=false]', { hasText: 'Favourite' }).waitFor();
    }));

  it('are letters in a field', () =>
    withPage({}, '/', async (page) => {
      await text('Recently added')(page);
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('ghf');
      await page.keyboard.press('Backspace');
      assert.equal(await page.getByRole('searchbox').inputValue(), 'gh');
    }));
});

describe('another language', () => {
  it('is the browser’s, and is chosen for this device', () =>
    withPage(
      {},
      '/',
      async (page) => {
        await page.getByRole('region', { name: 'Dort weiter, wo du aufgehört hast' }).waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
        await page
          .getByRole('navigation', { name: 'Hauptmenü' })
          .getByRole('link', { name: /Bücher/ })
          .waitFor();
        assert.deepEqual(await violations(page), []);
        await page.goto(`${new URL(page.url()).origin}/settings/device`);
        await page.getByRole('combobox', { name: 'Sprache' }).selectOption({ label: 'English' });
        await page.getByRole('heading', { level: 1, name: 'This device' }).waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
      },
      { locale: 'de-AT' },
    ));

  it('is not fetched where English is spoken', () =>
    withPage({}, '/', async (page) => {
      await text('Recently added')(page);
      const names = await page.evaluate(() =>
        performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname),
      );
      assert.ok(names.some((name) => name.includes('/assets/Home-')));
      assert.deepEqual(
        names.filter((name) => name.includes('/assets/de-')),
        [],
      );
    }));
});

describe('ten thousand things', () => {
  it('are browsed to their end without the page standing still', () =>
    withPage({ many: 10_000 }, '/library/books', async (page) => {
      page.setDefaultTimeout(60_000);
      await page.locator('header p.num', { hasText: '10,000' }).waitFor();
      // What blocks the page is counted, not how fast this machine is: frames may be late, but each is short.
      const seen = await page.evaluate(async () => {
        const tasks = [];
        const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
        watch.observe({ type: 'longtask' });
        let cells = 0;
        let frames = 0;
        const height = document.documentElement.scrollHeight;
        for (let at = 0; at <= 1; at += 0.01) {
          scrollTo(0, height * at);
          await new Promise((resolve) => requestAnimationFrame(resolve));
          frames += 1;
          cells = Math.max(cells, document.querySelectorAll('li[data-index]').length);
        }
        return { frames, cells, height, long: tasks.filter((task) => task.duration > 200).length };
      });
      assert.ok(seen.height > 100_000, `${seen.height} px high`);
      assert.ok(seen.cells < 100, `${seen.cells} cells`);
      assert.ok(seen.long <= seen.frames / 10, `${seen.long} long tasks in ${seen.frames} frames`);
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.locator('li[data-index="9999"] a').waitFor();
    }));
});

describe('search', () => {
  it('opens with a slash, answers while one types, and keeps the words in the address', () =>
    withPage({}, '/library', async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('moby', { delay: 60 });
      await page.getByText('7 results').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'moby');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');
      await page.getByRole('heading', { level: 2, name: 'Books' }).waitFor();
      await page.getByRole('list', { name: 'Audio' }).getByRole('link').first().click();
      await page.getByRole('heading', { level: 1, name: 'Moby-Dick' }).waitFor();
      await page.goBack();
      await page.getByText('7 results').waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), 'moby');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), '');
    }));

  it('never shows the late answer to an earlier word', () =>
    withPage({}, '/search', async (page, fake) => {
      const field = page.getByRole('searchbox');
      const isEarlier = (url) => url.pathname.endsWith('/search') && url.searchParams.get('q') === 'mo';
      const release = fake.hold(isEarlier);
      const asked = page.waitForRequest((request) => isEarlier(new URL(request.url())));
      const cancelled = page.waitForEvent('requestfailed', (request) => isEarlier(new URL(request.url())));
      await field.fill('mo');
      await asked;
      await field.fill('harebell');
      await page.getByText('1 result', { exact: true }).waitFor();
      await cancelled;
      release();
      await page.getByRole('link', { name: /Harebell/ }).waitFor();
    }));

  it('opens with Ctrl and K out of any field, but not over a dialog', () =>
    withPage({}, '/series', async (page) => {
      await page.getByRole('searchbox', { name: 'Part of a name' }).focus();
      await page.keyboard.press('Control+k');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'search');
      await page.goto(`${new URL(page.url()).origin}/items/182`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Earlier places' }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
      await page.keyboard.press('Control+k');
      assert.notEqual(await page.evaluate(() => document.activeElement?.id), 'search');
    }));

  it('does not pull back whoever went elsewhere before it answered', () =>
    withPage({}, '/library', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
      await page.clock.install();
      await page.evaluate(() => {
        const field = document.getElementById('search');
        field.value = 'moby';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        document.querySelector('nav a[href="/history"]').click();
      });
      await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
      await page.clock.runFor(2000);
      assert.equal(new URL(page.url()).pathname, '/history');
      assert.equal(await page.getByRole('searchbox').inputValue(), '');
    }));

  it('says of each result whether it plays, before it is opened', () =>
    withPage({}, '/search?q=sintel', async (page) => {
      await page.getByRole('link', { name: /Sintel.*Does not play: MPEG-4 ASP/ }).waitFor();
    }));

  it('narrows to a kind, remembers what led somewhere, and is emptied with Escape', () =>
    withPage({}, '/search?q=moby', async (page) => {
      await page.getByRole('button', { name: 'Audio 1' }).click();
      await page.getByText('1 result', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Moby-Dick/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Moby-Dick' }).waitFor();
      await page.goBack();
      await page.getByRole('searchbox').press('Escape');
      await page.getByRole('list').getByRole('link', { name: 'moby' }).waitFor();
    }));
});

describe('people and series', () => {
  it('are found by a part of the name, and lead to all there is', () =>
    withPage({}, '/library/books', async (page) => {
      await page.getByRole('link', { name: 'People' }).click();
      await page.getByRole('searchbox', { name: 'Part of a name' }).fill('melv');
      await page.getByRole('status').getByText('1', { exact: true }).waitFor();
      await page.getByRole('link', { name: /Herman Melville/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Herman Melville' }).waitFor();
      await page.getByRole('button', { name: 'Audio' }).click();
      await page.locator('header p.num').getByText('1', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByRole('link', { name: /Moby-Dick, volume 2/ }).waitFor();
    }));

  it('stand on the page of an item, a series in its order', () =>
    withPage({}, '/items/1', async (page) => {
      const shelf = page.getByRole('region', { name: 'Emma', exact: true });
      await shelf.getByText('This one').waitFor();
      const names = await shelf.getByRole('link', { name: /Emma/ }).locator('b').allTextContents();
      assert.deepEqual(names.slice(0, 3), ['Emma', 'Emma, volume 2', 'Emma, volume 3']);
      await page.getByRole('link', { name: 'Show all: Emma' }).click();
      await page.getByRole('heading', { level: 1, name: 'Emma' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Jane Austen', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Jane Austen' }).waitFor();
    }));

  it('that are not there are not found', () =>
    withPage({}, '/people/9999', async (page) => {
      await page.getByText('Nothing on this ledge').waitFor();
      await page.goto(`${new URL(page.url()).origin}/series/nonsense`);
      await page.getByText('Nothing on this ledge').waitFor();
    }));
});

describe('a scan', () => {
  const running = (scanned, status = 'running') => ({
    library_id: 1,
    status,
    job_id: 9,
    scanned,
    total: 400,
    added: 0,
    updated: 0,
    moved: 0,
    missing: 0,
    restored: 0,
    errors: [],
    errors_overflow: 0,
    started_at: null,
    finished_at: null,
    error: null,
  });

  it('is told of on every page while it runs, and the page follows when it is through', () =>
    withPage({}, '/', async (page, fake) => {
      await page.getByText('Pick up where you left off').waitFor();
      await until('it to come so far', () => fake.listeners.size === 1);
      fake.tell('scan', running(100));
      await page.getByText('100 of 400 files').waitFor();
      fake.tell('scan', running(200));
      await page.getByText('200 of 400 files').waitFor();
      assert.deepEqual(await violations(page), []);
      const again = page.waitForRequest((request) => request.url().includes('/api/v1/home'));
      fake.tell('scan', running(400, 'done'));
      await again;
      await page.getByText('of 400 files').waitFor({ state: 'detached' });
    }));

  it('takes one connection of all pages of a browser, and moves in all of them', () =>
    withPage({}, '/', async (page, fake) => {
      await until('it to come so far', () => fake.listeners.size === 1);
      const [first] = fake.listeners;
      const other = await page.context().newPage();
      await other.goto(`${fake.url}/settings/libraries/1`);
      await other.getByRole('heading', { name: 'Scan' }).waitFor();
      // The newer page has taken it over.
      await until('it to come so far', () => fake.listeners.size === 1 && !fake.listeners.has(first));
      fake.tell('scan', running(123));
      await other.getByText('Scanning: 123 of 400 files').waitFor();
      await page.getByText('123 of 400 files').waitFor();
    }));
});

describe('filters', () => {
  it('stand in the address, add up, and are cleared together', () =>
    withPage({}, '/library/books', async (page) => {
      const total = page.locator('header p.num');
      await page.getByRole('button', { name: 'In progress' }).click();
      await total.getByText('3', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('state'), 'started');
      await page.getByRole('button', { name: 'Favourites' }).click();
      await page.getByText('Nothing fits').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await total.getByText('180').waitFor();
      assert.equal(new URL(page.url()).search, '');
      await page.goto(page.url() + '?favourite=true');
      await total.getByText('1', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Plays here' }).count(), 0);
    }));

  it('offer what plays here where the browser is the player', () =>
    withPage({}, '/library/video', async (page) => {
      await page.getByText('Sintel').first().waitFor();
      const asked = page.waitForRequest((request) => request.url().includes('engines=html5'));
      await page.getByRole('button', { name: 'Plays here' }).click();
      await asked;
      await page.getByText('Nothing fits').waitFor();
    }));
});

describe('an item', () => {
  it('goes on where it was left, tells its place, and marks it finished at its end', () =>
    withPage({}, '/items/182', async (page, fake) => {
      await page.getByText('The Spouter-Inn, 0:27').waitFor();
      await page.getByRole('button', { name: 'Continue chapter 3' }).click();
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 27.5);
      await until('it to come so far', () =>
        written(fake).some((write) => write.file_id === 18202 && write.position >= 27),
      );
      assert.equal(fake.state.views, 1);
      assert.match(written(fake)[0].recorded_at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/);
      await page.evaluate(() => (document.querySelector('audio').currentTime = 59.7));
      await page.getByText('The Counterpane').last().waitFor();
      await until('it to come so far', () =>
        written(fake).some((write) => write.file_id === 18202 && write.finished),
      );
      // The other element takes its turn.
      await page.waitForFunction(() =>
        [...document.querySelectorAll('audio')].some((one) => !one.paused && one.src.includes('18203')),
      );
      assert.equal(fake.state.views, 1);
      await page.getByRole('button', { name: 'Close player' }).click();
    }));

  it('keeps a place while the server is away, over a reload, and delivers it later', () =>
    withPage({}, '/items/181', async (page, fake) => {
      fake.options.offline = true;
      await page.getByRole('button', { name: 'Listen' }).click();
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 1.2);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.waitForFunction(() => (localStorage.getItem('ledge.outbox.1') ?? '[]') !== '[]');
      const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('ledge.outbox.1') ?? '[]'));
      fake.options.offline = false;
      await page.reload();
      await until('it to come so far', () => written(fake).length > 0);
      assert.equal(written(fake)[0].recorded_at, kept[0].recorded_at);
      await page.waitForFunction(() => localStorage.getItem('ledge.outbox.1') === '[]');
      await page.getByRole('button', { name: 'Continue chapter 1' }).waitFor();
    }));

  it('saves the place when the page is left in the middle', () =>
    withPage({}, '/items/181', async (page, fake) => {
      await page.getByRole('button', { name: 'Listen' }).click();
      await until('it to come so far', () => written(fake).length > 0);
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 3.2);
      await page.goto(`${fake.url}/api/v1/version`);
      await until('it to come so far', () => written(fake).some((write) => write.position >= 3));
    }));

  it('is marked finished and unfinished, begun anew, forgotten, and a lost place is put back', () =>
    withPage({}, '/items/182', async (page) => {
      const act = async (name) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await act('Mark as finished');
      await page.getByRole('button', { name: 'Listen again' }).waitFor();
      await act('Mark as unfinished');
      await page.getByRole('button', { name: 'Continue chapter 6' }).waitFor();
      await act('Earlier places');
      await page.getByRole('button', { name: 'Go back to this place: Loomings, 0:41' }).click();
      await page.getByText('Loomings, 0:41').waitFor();
      await page.getByRole('button', { name: 'Continue chapter 1' }).waitFor();
      await act('Forget my place');
      await page.getByRole('button', { name: 'Listen', exact: true }).waitFor();
    }));

  it('becomes a favourite at a click, and none again where the server refuses', () =>
    withPage({}, '/items/1', async (page) => {
      const heart = page.getByRole('button', { name: 'Favourite', exact: true });
      await heart.click();
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
      await page.getByRole('link', { name: 'Favourites' }).click();
      await page.getByRole('list', { name: 'Favourites' }).getByText('Emma').first().waitFor();
      await page.goBack();
      const refusal = { error: { code: 'internal', message: 'Something went wrong.' } };
      await page.route('**/favourite', (route) => route.fulfill({ status: 500, json: refusal }));
      await heart.click();
      await page.getByRole('alert').first().waitFor();
      await page.locator('button[aria-pressed=true]', { hasText: 'Favourite' }).waitFor();
    }));

  it('is put right by an administrator, who sees what is locked and what is refused', () =>
    withPage({}, '/items/182', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Year').fill('soon');
      await dialog.getByText('A year is a whole number').waitFor();
      await dialog.getByLabel('Year').fill('12000');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('A year is at most 9999').waitFor();
      await dialog.getByLabel('Year').fill('1852');
      await dialog.getByLabel('Authors').fill('Herman Melville\nA. Reader');
      await dialog.getByRole('button', { name: 'Unlock: Title' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'A. Reader' }).waitFor();
      await page.getByText('1852').first().waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Edit details' }).click();
      assert.equal(await dialog.getByRole('button', { name: 'Unlock: Title' }).count(), 0);
      await dialog.getByRole('button', { name: 'Unlock: Year' }).waitFor();
    }));

  it('is given another match by an administrator, who can undo it', () =>
    withPage({}, '/items/182', async (page) => {
      await page.getByText('1851').first().waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Metadata' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('searchbox').fill('Moby');
      await dialog.getByRole('button', { name: 'Search' }).click();
      await dialog.getByText('Moby-Dick · Herman Melville · 1998').waitFor();
      await dialog.getByRole('button', { name: 'Take Moby-Dick' }).nth(1).click();
      await dialog.getByRole('status').filter({ hasText: 'Taken.' }).waitFor();
      await dialog.getByText('chosen by hand').waitFor();
      await page.locator('main').getByText('1998').first().waitFor({ state: 'attached' });
      await dialog.getByRole('button', { name: /^Undo the match of/ }).click();
      await dialog.getByRole('status').filter({ hasText: 'Undone.' }).waitFor();
      await dialog.getByRole('button', { name: /^Undo the match of/ }).waitFor({ state: 'detached' });
    }));

  it('is not to be edited by anybody else', () =>
    withPage({ role: 'user' }, '/items/182', async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Mark as finished' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: 'Edit details' }).count(), 0);
    }));
});

describe('login', () => {
  it('says how long to wait when it is throttled, and counts down', () =>
    withPage({ loggedIn: false, login: 'throttled' }, '/', async (page) => {
      await page.getByLabel('Username').fill('marit');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Log in' }).click();
      // Whichever second is seen first on a slow machine, a smaller one follows.
      const told = page.getByText(/Try again in \d+ seconds/);
      const seconds = async () => Number(/\d+/.exec((await told.textContent()) ?? '')?.[0]);
      const first = await seconds();
      assert.ok(first <= 48 && first > 20);
      await until('it to come so far', async () => (await seconds()) < first);
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

  it('keeps the focus while one walks on and on, also over what is not here yet', () =>
    withPage({}, '/library/books', async (page, fake) => {
      await text('Anna Karenina')(page);
      const here = () =>
        page.evaluate(() => Number(document.activeElement?.closest('li')?.dataset.index ?? -1));
      const release = fake.hold((url) => Number(url.searchParams.get('offset') ?? 0) >= 60);
      await page.locator('li[data-index="0"] a').focus();
      await page.keyboard.press('ArrowDown');
      const columns = await here();
      assert.ok(columns > 2);
      const rows = Math.floor(150 / columns);
      for (let row = 1; row < rows; row += 1) await page.keyboard.press('ArrowDown');
      release();
      await until('it to come so far', async () => (await here()) === rows * columns);
      for (let row = 0; row < rows; row += 1) await page.keyboard.press('ArrowUp');
      await until('it to come so far', async () => (await here()) === 0);
    }));

  it('comes back to where one was', () =>
    withPage({}, '/library/books', async (page) => {
      await text('Anna Karenina')(page);
      await page.mouse.wheel(0, 3000);
      await page.waitForFunction(() => scrollY > 2000);
      const links = page.locator('li[data-index] a');
      // One that stands whole in the window: no scrolling before the click.
      const shown = await links.evaluateAll((all) =>
        all.findIndex((one) => {
          const box = one.getBoundingClientRect();
          return box.top > 0 && box.bottom < innerHeight;
        }),
      );
      const link = links.nth(shown);
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
