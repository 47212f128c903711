/** The code for signed-in users: pages, cached responses, events, positions, the player. */
import type { Component } from 'svelte';
import type { ApiClient } from './api/client';
import type { Connection } from './api/connection.svelte';
import { Live } from './api/live.svelte';
import { QueryCache } from './api/query.svelte';
import { Refresher } from './api/refresh';
import type { Session } from './api/session.svelte';
import { AddRequests } from './app/add-request.svelte';
import type { App } from './app/context';
import { translations } from './i18n';
import { engines } from './lib/engines';
import { storage } from './lib/env';
import { Prefs } from './app/prefs.svelte';
import { Router } from './app/router.svelte';
import type { Upgrade } from './app/upgrade.svelte';
import { Favourites } from './catalogue/favourites.svelte';
import { Kinds } from './catalogue/kinds.svelte';
import { LazyPlayer } from './playback/lazy-player.svelte';
import { ProgressStore } from './progress/progress-store.svelte';
import { routes } from './routes';
import AppShell from './shell/AppShell.svelte';

interface Base {
  api: ApiClient;
  connection: Connection;
  session: Session;
  upgrade: Upgrade;
}

export interface SignedIn {
  app: App;
  AppShell: Component<{ app: App }>;
  /** Returns true if a reload would interrupt something. */
  isBusy(): boolean;
  /** Another user signed in, or the user signed out. */
  change(): void;
  /** Runs before the session ends. */
  leave(): void;
  /** Runs when the server becomes unreachable. */
  suspend(): void;
  /** Runs when the server becomes reachable again. */
  resume(): void;
  /** Runs when the tab becomes visible or hidden. */
  visibilityChanged(): void;
}

export function build({ api, connection, session, upgrade }: Base): SignedIn {
  storage.set('engines', engines());
  const cache = new QueryCache();
  const live = new Live();
  const visible = () => document.visibilityState === 'visible';
  const refresher = new Refresher(cache, { visible, reachable: () => !connection.lost });
  const router = new Router(routes);
  const progressStore = new ProgressStore(api, cache, storage);
  const favourites = new Favourites(api, storage);
  const adding = new AddRequests();
  const player = new LazyPlayer(async () => {
    const { Dock, createPlayer } = await import('./components/player/start');
    await translations();
    const user = session.user?.id ?? 0;
    return { Dock, start: (elements) => createPlayer(elements, api, progressStore, router, user) };
  });
  refresher.follow(live);
  live.onbreak = () => void connection.suspect();
  router.onfailed = () => void upgrade.handle();

  async function flush() {
    void progressStore.flush();
    flushSaves(api, session);
    if (await favourites.flush()) refresher.all();
  }

  function change() {
    cache.clear();
    player.close();
    adding.close();
    const user = session.user?.id ?? null;
    progressStore.setUser(user);
    favourites.setUser(user);
    if (user !== null) void flush();
  }
  change();

  const kinds = new Kinds(api, cache);
  const prefs = new Prefs();
  return {
    app: {
      api,
      cache,
      live,
      session,
      player,
      progressStore,
      router,
      favourites,
      adding,
      connection,
      upgrade,
      kinds,
      prefs,
    },
    AppShell,
    isBusy: () => player.player !== null || (router.current?.route.bare ?? false),
    change,
    leave: () => player.close(),
    suspend: () => live.suspend(),
    resume: () => {
      live.resume();
      router.retry();
      refresher.all();
      void flush();
    },
    visibilityChanged: () => {
      live.visibilityChanged();
      refresher.wake();
    },
  };
}

/** Unsent game saves wait on this device. Their code is loaded only if there are any. */
function flushSaves(api: ApiClient, { user }: Session): void {
  if (!user || !storage.get('saves.waiting')) return;
  void import('./viewers/game/Game.svelte').then((game) => game.flushSaves(api, user.id)).catch(() => {});
}
