import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILM } from '../../../web/test/fake/world.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

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
  ['home of a fresh server', { content: 'empty' }, '/', text('No libraries yet')],
  [
    'home without grants',
    { content: 'ungranted', role: 'user' },
    '/',
    text('Nothing is shared with you yet'),
  ],
  ['home that failed', { failing: true }, '/', text('That did not load')],
  ['home where nothing was opened yet', { fresh: true }, '/', text('New in your library')],
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
  ['playlists while loading', { slow: true }, '/playlists', text('New playlist')],
  ['playlists that failed', { failing: true }, '/playlists', text('That did not load')],
  ['a playlist that failed', { failing: true }, '/playlists/1', text('That did not load')],
  ['a playlist that is not there', {}, '/playlists/77', text('Page not found')],
  ['an empty playlist', { playlists: 9 }, '/playlists/3', text('This playlist is empty')],
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
  ['browse filtered to nothing', {}, '/library/video?library=77', text('No matches')],
  ['an unknown kind of address', {}, '/library/nothing', text('Page not found')],
  ['a kind nobody wrote for', {}, '/library/herbarium', text('Harebell')],
  ['item with parts', {}, '/items/182', text('The Carpet-Bag')],
  ['item that is missing', { missing: true }, '/items/7', text('Missing since')],
  ['item that is not there', {}, '/items/99999', text('Page not found')],
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

describe('axe violations in page states', () => {
  for (const [name, options, path, shown] of states) {
    for (const theme of ['dark', 'light']) {
      it(`do not occur ${name}, ${theme}`, () =>
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

  it('do not occur in the phone layout', () =>
    withPage(
      {},
      '/library/books',
      async (page) => {
        await text('Anna Karenina')(page);
        assert.deepEqual(await violations(page), []);
      },
      { width: 390 },
    ));

  it('do not occur in the menu and the dialogs of an item', () =>
    withPage({}, '/items/182', async (page) => {
      const more = page.getByRole('button', { name: 'More actions' });
      await more.click();
      await page.getByRole('menuitem', { name: 'Progress history' }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.getByRole('menuitem', { name: 'Progress history' }).click();
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
        await page
          .getByRole('button', { name: /^Apply/ })
          .first()
          .waitFor();
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
      it(`do not occur in a dialog ${name}, ${theme}`, () =>
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

  it('do not occur in a dialog', () =>
    withPage({}, '/settings/libraries', async (page) => {
      await page.getByRole('button', { name: 'Add a library' }).click();
      await page.getByRole('button', { name: 'films' }).waitFor();
      assert.deepEqual(await violations(page), []);
    }));
});

describe('an unknown kind', () => {
  it('has its own name and colour, and opens in the download viewer', () =>
    withPage({}, '/library/herbarium', async (page, fake) => {
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /Herbarium/ });
      assert.equal(await entry.evaluate((link) => link.style.getPropertyValue('--hue')), '120');
      const { items: kinds } = await (await fetch(`${fake.url}/api/v1/media-types`)).json();
      const { icon } = kinds.find(({ id }) => id === 'herbarium');
      assert.equal(await entry.locator('svg path').getAttribute('d'), icon);
      await page.getByRole('link', { name: /Harebell/ }).click();
      await page.getByRole('heading', { name: 'Harebell', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Harebell' }).click();
      await page.getByText('Nothing here can open this yet').waitFor();
    }));
});

describe('the language', () => {
  it('is taken from the browser, and can be changed for this device', () =>
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

  it('causes no download of texts for English', () =>
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

describe('a server without libraries', () => {
  it('leads from the home page to a library in one dialog, with a proposed name', () =>
    withPage({ content: 'empty' }, '/', async (page) => {
      await page.getByRole('link', { name: 'Add a folder' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a library' });
      const name = dialog.getByLabel('Name');
      await dialog.getByLabel('Folder', { exact: true }).fill('/srv/books/');
      assert.equal(await name.inputValue(), 'books');
      await name.fill('Novels');
      await dialog.getByLabel('Folder', { exact: true }).fill('/srv/films');
      assert.equal(await name.inputValue(), 'Novels');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      // A dialog is hidden before the browser fires its close event, which removes the query.
      await page.waitForURL((url) => url.search === '');
      await dialog.waitFor({ state: 'detached' });
    }));

  it('follows the browser history with the dialog of the address', () =>
    withPage({ content: 'empty' }, '/', async (page) => {
      await page.getByRole('link', { name: 'Add a folder' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a library' });
      await dialog.waitFor();
      await page.goBack();
      await page.waitForURL((url) => url.pathname === '/' && url.search === '');
      await dialog.waitFor({ state: 'detached' });
      await page.goForward();
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await page.waitForURL((url) => url.pathname === '/settings/libraries' && url.search === '');
      await page.reload();
      await page.getByRole('button', { name: 'Add a library' }).waitFor();
      assert.equal(await dialog.count(), 0);
    }));
});

describe('a running scan', () => {
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

  it('is shown on every page, and the page refreshes after its end', () =>
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

  it('uses one connection for all pages of a browser, and shows progress in all of them', () =>
    withPage({}, '/', async (page, fake) => {
      await until('it to come so far', () => fake.listeners.size === 1);
      const [first] = fake.listeners;
      const other = await page.context().newPage();
      await other.goto(`${fake.url}/settings/libraries/1`);
      await other.getByRole('heading', { name: 'Scan' }).waitFor();
      // The newer page has replaced it.
      await until('it to come so far', () => fake.listeners.size === 1 && !fake.listeners.has(first));
      fake.tell('scan', running(123));
      await other.getByText('Scanning: 123 of 400 files').waitFor();
      await page.getByText('123 of 400 files').waitFor();
    }));
});

describe('login form', () => {
  it('shows a countdown after too many attempts', () =>
    withPage({ loggedIn: false, login: 'throttled' }, '/', async (page) => {
      await page.getByLabel('Username').fill('marit');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Log in' }).click();
      // On a slow machine the first visible second varies, but a smaller one follows.
      const told = page.getByText(/Try again in \d+ seconds/);
      const seconds = async () => Number(/\d+/.exec((await told.textContent()) ?? '')?.[0]);
      const first = await seconds();
      assert.ok(first <= 48 && first > 20);
      await until('it to come so far', async () => (await seconds()) < first);
      assert.equal(await page.getByRole('button', { name: 'Log in' }).isDisabled(), true);
    }));
});
