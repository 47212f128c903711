import { describe, expect, it } from 'vitest';
import { ApiError, Unreachable } from '../../../src/api/client';
import { Favourites } from '../../../src/catalogue/favourites.svelte';
import { Upgrade } from '../../../src/app/upgrade.svelte';

function device() {
  const texts = new Map<string, string>();
  return {
    get: (name: string) => texts.get(name) ?? null,
    set: (name: string, value: string) => void texts.set(name, value),
  };
}

describe('favourites', () => {
  function made(store = device()) {
    const state = { answer: (): Promise<void> => Promise.reject(new Unreachable('away')) };
    const sent: [number, boolean][] = [];
    const api = {
      setFavourite: async (id: number, marked: boolean) => {
        await state.answer();
        sent.push([id, marked]);
      },
    };
    const favourites = new Favourites(api, store);
    favourites.setUser(7);
    return { state, sent, favourites, store };
  }

  it('are stored over a reload while the server is unavailable, and sent once', async () => {
    const first = made();
    await first.favourites.set(3, true);
    const { favourites, state, sent } = made(first.store);
    expect(favourites.of({ id: 3, favourite: false })).toBe(true);
    expect(await favourites.flush()).toBe(false);
    state.answer = async () => {};
    expect(await favourites.flush()).toBe(true);
    expect(await favourites.flush()).toBe(false);
    expect(sent).toEqual([[3, true]]);
  });

  it('are not overwritten if the user changes during a flush', async () => {
    const { favourites, state, sent } = made();
    await favourites.set(1, true);
    await favourites.set(2, true);
    let answer = () => {};
    state.answer = () => new Promise((resolve) => (answer = resolve));
    const flushed = favourites.flush();
    state.answer = async () => {};
    await favourites.set(2, false);
    answer();
    await flushed;
    expect(sent).toEqual([
      [2, false],
      [1, true],
    ]);
    expect(favourites.of({ id: 2, favourite: false })).toBe(false);
  });

  it('are never sent for another user', async () => {
    const { favourites, state, sent } = made();
    await favourites.set(3, true);
    favourites.setUser(8);
    state.answer = async () => {};
    await favourites.flush();
    expect(sent).toEqual([]);
    favourites.setUser(7);
    await favourites.flush();
    expect(sent).toEqual([[3, true]]);
  });

  it('are discarded if the server rejects them', async () => {
    const { favourites, state } = made();
    state.answer = () => Promise.reject(new ApiError(404, 'not_found', 'no such item'));
    await expect(favourites.set(3, true)).rejects.toThrow('no such item');
    expect(favourites.of({ id: 3, favourite: false })).toBe(false);
  });
});

describe('an upgrade of the server', () => {
  function page(around: { reachable?: boolean; isBusy?: boolean } = {}, store = device()) {
    const reloads = { count: 0 };
    const upgrade = new Upgrade(
      {
        reachable: async () => around.reachable ?? true,
        isBusy: () => around.isBusy ?? false,
        reload: () => (reloads.count += 1),
      },
      store,
    );
    return { upgrade, reloads, store };
  }

  it('reloads the page once, and then shows a prompt', async () => {
    const first = page();
    await Promise.all([first.upgrade.handle(), first.upgrade.handle()]);
    expect([first.reloads.count, first.upgrade.isNeeded]).toEqual([1, false]);
    const second = page({}, first.store);
    await second.upgrade.handle();
    expect([second.reloads.count, second.upgrade.isNeeded]).toEqual([0, true]);
  });

  it('shows a prompt if a reload would lose input', async () => {
    const { upgrade, reloads } = page({ isBusy: true });
    await upgrade.handle();
    expect([reloads.count, upgrade.isNeeded]).toEqual([0, true]);
  });

  it('is not assumed while the server is unavailable', async () => {
    const { upgrade, reloads } = page({ reachable: false });
    await upgrade.handle();
    expect([reloads.count, upgrade.isNeeded]).toEqual([0, false]);
  });
});
