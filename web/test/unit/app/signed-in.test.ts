/** The change of the user. */
import { expect, it, vi } from 'vitest';

const style = { setProperty: () => {} };
const element = () => ({ dataset: {}, style, canPlayType: () => '', setAttribute: () => {} });
const page = {
  ...{ visibilityState: 'visible', documentElement: element(), head: { append: () => {} } },
  ...{ createElement: element, querySelector: () => null, addEventListener: () => {} },
};

it('another user does not get the open add dialog of the previous one', async () => {
  vi.stubGlobal('document', page);
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }));
  const { build } = await import('../../../src/signed-in');
  const base = { api: {}, connection: {}, session: { user: null }, upgrade: {} };
  const { app, change } = build(base as unknown as Parameters<typeof build>[0]);
  app.adding.ask({ items: [1] }, 'Emma');
  change();
  expect(app.adding.current).toBeNull();
});
