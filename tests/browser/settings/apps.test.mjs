/** Settings of apps and devices: app passwords, their secrets, and the addresses of protocols. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOST } from '../firefox.mjs';
import { launchBrowser, until, violations, withFake } from '../harness.mjs';

const PATH = '/settings/apps';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const withPage = (options, check, settings, path = PATH) =>
  withFake(browser, options, path, check, { width: 1440, ...settings });
const list = (page) => page.getByRole('list', { name: 'App passwords' });
const names = (page) => list(page).locator('b').allTextContents();
const shows = (page, wanted) =>
  until(`the app passwords ${wanted}`, async () => (await names(page)).join() === wanted.join());
const secretPanel = (page) => page.getByRole('region', { name: /^App password for/ });

async function create(page, name) {
  await page.getByRole('button', { name: 'Create app password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create app password' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await secretPanel(page).waitFor();
}

/** Pastes into the field for the current password, which exists on the page of the account. */
async function pasted(page) {
  await page.getByRole('link', { name: 'Account' }).first().click();
  const field = page.getByLabel('Current password');
  await field.fill('');
  await field.press('Control+V');
  return field.inputValue();
}

describe('app passwords', () => {
  it('are listed with scopes, option and last use', () =>
    withPage({ passwords: 2 }, async (page) => {
      await shows(page, ['KOReader on the tablet', 'Panels']);
      const [first, second] = await list(page).getByRole('listitem').allInnerTexts();
      assert.match(first, /Books and comics, Progress in books/);
      assert.match(first, /Used 28 minutes ago · KOReader\/2026\.10 · OPDS · 192\.168\.1\.20/);
      assert.doesNotMatch(first, /Fetched pages/);
      assert.match(second, /Fetched pages become the position/);
      assert.match(second, /Never used/);
    }));

  it('are created with the keyboard; the secret is shown once, with a QR code', () =>
    withPage({ role: 'user' }, async (page, fake) => {
      await page.getByText('lets an app or a device use your library').waitFor();
      await page.getByRole('button', { name: 'Create app password' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Create app password' });
      await dialog.getByLabel('Name').focus();
      await page.keyboard.type('Tablet');
      // Only the scopes of listed protocols are offered, and selected.
      const offered = dialog.getByRole('group').getByRole('checkbox');
      assert.deepEqual(await offered.evaluateAll((all) => all.map((one) => [one.value, one.checked])), [
        ['publications', true],
        ['recordings', true],
        ['places', true],
      ]);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Enter');
      await secretPanel(page).waitFor();
      assert.deepEqual(fake.state.apps.writes, [
        { name: 'Tablet', scopes: ['publications'], pages_move_place: true },
      ]);
      const { secret } = fake.state.apps.passwords.at(-1);
      assert.equal(await secretPanel(page).locator('code').innerText(), secret);
      await secretPanel(page).getByText('Ledge does not show it again').waitFor();
      await secretPanel(page).getByText('Username: marit').waitFor();
      await secretPanel(page).getByRole('img', { name: 'QR code of the app password' }).waitFor();
      await until('the focus on the secret', () =>
        page.evaluate(() => document.activeElement?.textContent.includes('App password for Tablet')),
      );
      await shows(page, ['Tablet']);
      await page.getByRole('button', { name: 'Done' }).press('Enter');
      await secretPanel(page).waitFor({ state: 'detached' });
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
      await page.reload();
      await shows(page, ['Tablet']);
      assert.ok(!(await page.content()).includes(secret));
    }));

  it('need a scope; the option of pages belongs to publications', () =>
    withPage({}, async (page) => {
      await page.getByRole('button', { name: 'Create app password' }).click();
      const dialog = page.getByRole('dialog');
      const option = dialog.getByLabel('Fetched pages become the position');
      await option.waitFor();
      await dialog.getByLabel('Books and comics').uncheck();
      assert.equal(await option.count(), 0);
      await dialog.getByLabel('Music and audiobooks').uncheck();
      await dialog.getByLabel('Progress in books').uncheck();
      await dialog.getByText('Select at least one.').waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Create' }).isDisabled());
    }));

  it('are limited to 32, and the dialog names the remedy', () =>
    withPage({ passwords: 32 }, async (page, fake) => {
      await page.getByRole('button', { name: 'Create app password' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('One more');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByRole('alert').getByText('Revoke one first').waitFor();
      assert.equal(fake.state.apps.passwords.filter(({ user }) => user === 1).length, 32);
    }));

  it('are renamed, and change their option', () =>
    withPage({ passwords: 2 }, async (page, fake) => {
      await page.getByRole('button', { name: 'Edit Panels' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit Panels' });
      await dialog.getByLabel('Name').fill('Phone');
      await dialog.getByLabel('Fetched pages become the position').uncheck();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await shows(page, ['KOReader on the tablet', 'Phone']);
      assert.deepEqual(fake.state.apps.writes, [{ name: 'Phone', pages_move_place: false }]);
      assert.equal(await page.getByText('Fetched pages become').count(), 0);
    }));

  it('are revoked after a confirmation, and the focus stays on the page', () =>
    withPage({ passwords: 2 }, async (page, fake) => {
      await page.getByRole('button', { name: 'Revoke Panels' }).press('Enter');
      await page.getByRole('dialog', { name: 'Revoke Panels?' }).waitFor();
      await page.keyboard.press('Escape');
      await shows(page, ['KOReader on the tablet', 'Panels']);
      await page.getByRole('button', { name: 'Revoke Panels' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Revoke Panels?' });
      await dialog.getByRole('button', { name: 'Revoke' }).press('Enter');
      await shows(page, ['KOReader on the tablet']);
      await page.getByRole('status').getByText('Panels is revoked.').waitFor();
      await until('the focus on the heading', () =>
        page.evaluate(() => document.activeElement?.tagName === 'H1'),
      );
      assert.deepEqual(
        fake.state.apps.passwords.map(({ name }) => name),
        ['KOReader on the tablet', 'Phone of jonas'],
      );
    }));

  it('of another user are revoked by an administrator, and not created', () =>
    withPage(
      { passwords: 2 },
      async (page, fake) => {
        const section = page.getByRole('region', { name: 'Apps and devices' });
        await section.getByText('Used 3 days ago · KOReader progress sync · 192.168.1.20').waitFor();
        assert.deepEqual(await names(page), ['Phone of jonas']);
        assert.deepEqual(await section.getByRole('button').allInnerTexts(), ['Revoke']);
        await section.getByRole('button', { name: 'Revoke Phone of jonas' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await section.getByText('This user has no app passwords.').waitFor();
        assert.ok(fake.state.apps.passwords.every(({ user }) => user === 1));
      },
      {},
      '/settings/users/2',
    ));

  it('end with a change of the password unless they are kept', () =>
    withPage(
      { passwords: 2 },
      async (page, fake) => {
        const change = async (isKept) => {
          await page.getByLabel('Current password').fill('one that is old');
          await page.getByLabel('New password', { exact: true }).fill('one that is new');
          await page.getByLabel('New password again').fill('one that is new');
          if (isKept) await page.getByLabel('Keep app passwords').check();
          await page.getByRole('button', { name: 'Change password' }).click();
        };
        await change(true);
        await page.getByText('Password changed').waitFor();
        assert.equal(await page.getByLabel('Keep app passwords').isChecked(), false);
        await change(false);
        await until('both changes', () => fake.state.apps.writes.length === 2);
        assert.deepEqual(
          fake.state.apps.writes.map((body) => body.keep_app_passwords),
          [true, false],
        );
      },
      {},
      '/settings/account',
    ));
});

describe('protocols', () => {
  it('are listed with their address and steps', () =>
    withPage({}, async (page) => {
      const section = page.getByRole('region', { name: 'OPDS' });
      await section.getByText('https://ledge.example/opds', { exact: true }).waitFor();
      await section.getByText('Needs an app password for: Books and comics').waitFor();
      const steps = section.getByRole('list', { name: 'Steps for OPDS' }).getByRole('listitem');
      assert.equal(await steps.count(), 3);
      assert.match(await steps.nth(2).innerText(), /Log in as marit/);
    }));

  it('that are switched off are explained, and app passwords can only be revoked', () =>
    withPage({ protocols: false, passwords: 1 }, async (page) => {
      await page.getByText('The administrator of this server has switched off the protocols').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Create app password' }).count(), 0);
      await page.getByRole('button', { name: 'Revoke KOReader on the tablet' }).waitFor();
    }));
});

describe('the copy button', () => {
  it('copies the secret on plain HTTP', () =>
    withPage({}, async (page, fake) => {
      await page.goto(fake.url.replace('127.0.0.1', HOST) + PATH);
      assert.equal(await page.evaluate(() => 'clipboard' in navigator), false);
      await create(page, 'Tablet');
      const button = page.getByRole('button', { name: 'Copy app password' });
      await button.press('Enter');
      await secretPanel(page).getByText('Copied').waitFor();
      assert.ok(await button.evaluate((element) => element === document.activeElement));
      assert.equal(await pasted(page), fake.state.apps.passwords.at(-1).secret);
    }));

  it('copies an address if the browser refuses its clipboard', () =>
    withPage({}, async (page) => {
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
      });
      await page.getByRole('button', { name: 'Copy address of OPDS' }).click();
      await page.getByRole('region', { name: 'OPDS' }).getByText('Copied').waitFor();
      assert.equal(await pasted(page), 'https://ledge.example/opds');
    }));

  it('names the remedy if nothing is copied', () =>
    withPage({}, async (page) => {
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
        document.execCommand = () => false;
      });
      await page.getByRole('button', { name: 'Copy address of OPDS' }).click();
      await page.getByText('Select the text and copy it').waitFor();
    }));
});

describe('axe violations in the settings of apps', () => {
  const states = [
    ['empty', {}, async (page) => page.getByText('No app passwords yet').waitFor()],
    ['full', { passwords: 3 }, async (page) => list(page).waitFor()],
    ['switched off', { protocols: false }, async (page) => page.getByText('switched off').first().waitFor()],
    ['failed', { failing: true }, async (page) => page.getByText('That did not load').waitFor()],
    ['with a new secret', { passwords: 1 }, async (page) => create(page, 'A phone')],
    [
      'in the dialog',
      {},
      async (page) => {
        await page.getByRole('button', { name: 'Create app password' }).click();
        await page.getByRole('dialog').waitFor();
      },
    ],
  ];
  for (const [name, options, act] of states)
    for (const theme of ['dark', 'light'])
      for (const width of [1440, 390])
        it(`do not occur ${name}, ${theme}, ${width} px`, () =>
          withPage(
            options,
            async (page) => {
              await act(page);
              assert.deepEqual(await violations(page), []);
              const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
              assert.ok(scroll <= width, `${scroll} px`);
            },
            { theme, width },
          ));
});
