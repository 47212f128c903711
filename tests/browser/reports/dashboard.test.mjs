/** The dashboard of administrators: warnings, activity, traffic, libraries, jobs, backups. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (check, options = {}, settings = {}) =>
  withFake(browser, options, '/settings/dashboard', check, { width: 1440, ...settings });
const region = (page, name) => page.getByRole('region', { name });
const rows = (page, name) => region(page, name).getByRole('listitem');
const backUp = (page) => region(page, /^Backups/).getByRole('button', { name: 'Back up now' });

/** Makes the page believe that its tab is hidden, or visible again. */
function setVisible(page, isVisible) {
  return page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (visible ? 'visible' : 'hidden'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isVisible);
}

describe('the dashboard', () => {
  it('is the first page of the server in the settings, for administrators only', async () => {
    await withFake(
      browser,
      {},
      '/settings/device',
      async (page) => {
        await page
          .getByRole('navigation', { name: 'Settings' })
          .getByRole('link', { name: 'Dashboard' })
          .click();
        await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
        await region(page, /^Activity/).waitFor();
      },
      { width: 1440 },
    );
    await withPage(
      async (page, fake) => {
        await page.getByRole('heading', { name: 'Page not found' }).waitFor();
        assert.equal(fake.state.dashboard.asked.activity, 0);
      },
      { role: 'user' },
    );
  });

  it('shows streams with user, device and rate, and hides titles without access', () =>
    withPage(async (page) => {
      const streams = rows(page, /^Activity/);
      await streams.first().waitFor();
      const texts = await streams.allTextContents();
      assert.equal(texts.length, 4);
      assert.match(texts[0], /Metropolis.*jonas.*38 min.*Living-room TV.*14\.2 Mbit\/s.*4 GB sent/s);
      assert.match(texts[2], /Title hidden, no access.*ada/s);
      assert.equal(await streams.nth(2).getByRole('link').count(), 0);
      const link = streams.nth(0).getByRole('link', { name: 'Metropolis' });
      assert.equal(await link.getAttribute('href'), '/items/190');
      // Nothing was sent since the first response.
      await until('idle streams', async () => /Idle/.test(await streams.nth(0).textContent()));
    }));

  it('shows traffic by hour with its table, libraries, storage and versions', () =>
    withPage(async (page) => {
      const traffic = region(page, /^Traffic/);
      await traffic
        .getByRole('img', { name: /^Traffic of the last 24 hours, most at \d\d:00 with 4\.9 GB$/ })
        .waitFor();
      assert.equal(await traffic.getByRole('row').count(), 25);
      const table = region(page, /^Libraries/).getByRole('table');
      assert.match(await table.getByRole('row').nth(1).textContent(), /Shared house.*48 GB.*2 hours ago/s);
      const storage = await region(page, 'Storage and versions').textContent();
      assert.match(storage, /64 GB of 98 GB.*412 MB, log 9 MB.*1\.4\.0, schema 41.*12 days, 4 hours/s);
    }));

  it('refreshes the activity calmly, and not at all in a hidden tab', () =>
    withPage(async (page, fake) => {
      const { asked } = fake.state.dashboard;
      await rows(page, /^Activity/)
        .first()
        .waitFor();
      await page.getByText(/^Updated .+/).waitFor();
      await until('a second request', () => asked.activity >= 2);
      assert.equal(asked.status, 1);
      await setVisible(page, false);
      const hidden = asked.activity;
      await pause(7000);
      assert.ok(asked.activity <= hidden + 1, `${asked.activity - hidden} requests of a hidden tab`);
      const before = asked.activity;
      await setVisible(page, true);
      await until('a request of the visible tab', () => asked.activity > before);
    }));

  it('stops with the page', () =>
    withPage(async (page, fake) => {
      const { asked } = fake.state.dashboard;
      await rows(page, /^Activity/)
        .first()
        .waitFor();
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      const left = asked.activity;
      await pause(6500);
      assert.equal(asked.activity, left);
    }));

  it('lists warnings first, each with the button for it', () =>
    withPage(
      async (page, fake) => {
        const warnings = rows(page, 'Needs action');
        await warnings.first().waitFor();
        const texts = await warnings.allTextContents();
        assert.deepEqual(await warnings.locator('b').allTextContents(), [
          'Folder of library Old records is not reachable',
          'The disk of the data folder is almost full',
          'Last backup 9 days ago',
        ]);
        assert.match(texts[0], /\/srv\/media\/records cannot be read/);
        const status = fake.state.dashboard.asked.status;
        await warnings.nth(0).getByRole('button', { name: 'Check again' }).click();
        await until('another status', () => fake.state.dashboard.asked.status > status);
        await warnings.nth(2).getByRole('button', { name: 'Back up now' }).click();
        await until('a backup', () => fake.state.dashboard.started.length === 1);
      },
      { server: 'warnings' },
    ));

  it('has no list of warnings without one, and explains empty parts', () =>
    withPage(
      async (page) => {
        await page.getByText('No stream now.').waitFor();
        await page.getByRole('img', { name: 'No traffic in the last 24 hours' }).waitFor();
        await page.getByText('No backups yet.').waitFor();
        assert.equal(await region(page, 'Needs action').count(), 0);
      },
      { server: 'quiet' },
    ));

  it('retries a failed job', () =>
    withPage(async (page) => {
      const jobs = region(page, /^Jobs/);
      await jobs.getByText('openlibrary: no answer within 30 s').waitFor();
      await jobs.getByRole('button', { name: 'Retry Metadata: Shared house' }).focus();
      await page.keyboard.press('Enter');
      await jobs
        .getByRole('status')
        .getByText('Metadata: Shared house is queued again.')
        .waitFor({ state: 'attached' });
      await jobs.getByText('openlibrary').waitFor({ state: 'detached' });
      await until('the focus', () => page.evaluate(() => document.activeElement?.id === 'jobs'));
    }));

  it('reports a failure, and loads after a retry', () =>
    withPage(
      async (page, fake) => {
        await page.getByRole('alert').waitFor();
        fake.options.failing = false;
        await page.getByRole('button', { name: 'Retry' }).click();
        await rows(page, /^Activity/)
          .first()
          .waitFor();
      },
      { failing: true },
    ));
});

describe('a backup', () => {
  const list = (page) => page.getByRole('list', { name: /^Backups/ }).getByRole('listitem');

  it('is started by its button, and appears in the list once its job is done', () =>
    withPage(async (page, fake) => {
      await list(page).first().waitFor();
      assert.equal(await list(page).count(), 3);
      assert.match(await list(page).first().textContent(), /ledge-2026-11-17\.db.*398 MB.*Checked/s);
      await backUp(page).focus();
      await page.keyboard.press('Enter');
      const said = region(page, /^Backups/).getByRole('status');
      await said.getByText('Backup in progress').waitFor();
      assert.equal(await backUp(page).getAttribute('aria-disabled'), 'true');
      await page.keyboard.press('Enter');
      const job = fake.state.dashboard.finish();
      fake.tell('job', { id: job.id, kind: 'backup', ref_id: 1, status: 'done' });
      await said.getByText('Backup finished.').waitFor();
      await until('the new backup', async () => (await list(page).count()) === 4);
      assert.equal(fake.state.dashboard.started.length, 1);
    }));

  it('that fails shows its error', () =>
    withPage(async (page, fake) => {
      await backUp(page).click();
      await until('its job', () => fake.state.dashboard.started.length === 1);
      const job = fake.state.dashboard.finish('The backup folder is full.');
      fake.tell('job', { id: job.id, kind: 'backup', ref_id: 1, status: 'failed' });
      await page.getByRole('alert').getByText('The backup failed. The backup folder is full.').waitFor();
    }));

  it('without a folder names the setting', () =>
    withPage(
      async (page) => {
        await backUp(page).click();
        await page
          .getByRole('alert')
          .getByText(/LEDGE_BACKUP_DIR/)
          .waitFor();
      },
      { backupFolder: false },
    ));
});

describe('the page of the dashboard', () => {
  for (const [width, theme] of [
    [1440, 'dark'],
    [1440, 'light'],
    [390, 'dark'],
    [390, 'light'],
  ])
    it(`has no violation of accessibility rules, ${width} ${theme}`, () =>
      withPage(
        async (page) => {
          await rows(page, /^Activity/)
            .first()
            .waitFor();
          await region(page, 'Needs action').waitFor();
          assert.deepEqual(await violations(page), []);
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.equal(excess, 0);
        },
        { server: 'warnings' },
        { width, theme },
      ));
});
