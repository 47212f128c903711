/** All that only a signed-in user needs: pages, cached answers, events, positions, the player. */
import type { Component } from 'svelte';
import type { ApiClient } from './api/client';
import type { Connection } from './api/connection.svelte';
import { Live } from './api/live.svelte';
import { QueryCache } from './api/query.svelte';
import { Refresher } from './api/refresh';
import type { Session } from './api/session.svelte';
import type { App } from './lib/app';
import { engines } from './lib/engines';
import { storage } from './lib/env';
import { Prefs } from './lib/prefs.svelte';
import { Router } from './lib/router.svelte';
import type { Upgrade } from './lib/upgrade.svelte';
import { Favourites } from './library/favourites.svelte';
import { Kinds } from './library/kinds.svelte';
import { Deck } from './media/deck.svelte';
import { Places } from './progress/places.svelte';
import { routes } from './routes';
import Page from './shell/Inside.svelte';

interface Base {
  api: ApiClient;
  connection: Connection;
  session: Session;
  upgrade: Upgrade;
}

export interface Inside {
  app: App;
  Page: Component<{ app: App }>;
  /** Whether a reload would interrupt something. */
  isBusy(): boolean;
  /** Another user signed in, or none is any more. */
  change(): void;
  /** The session is about to end. */
  leave(): void;
  /** The server does not answer. */
  suspend(): void;
  /** The server answers again. */
  resume(): void;
  /** The tab was shown or hidden. */
  turn(): void;
}

export function build({ api, connection, session, upgrade }: Base): Inside {
  storage.set('engines', engines());
  const cache = new QueryCache();
  const live = new Live();
  const visible = () => document.visibilityState === 'visible';
  const refresher = new Refresher(cache, { visible, reachable: () => !connection.lost });
  const router = new Router(routes);
  const places = new Places(api, cache, storage);
  const favourites = new Favourites(api, storage);
  const player = new Deck(async () => {
    const { Dock, playerOf } = await import('./media/start');
    return { Dock, start: (elements) => playerOf(elements, api, places, session.user?.id ?? 0) };
  });
  refresher.follow(live);
  live.onbreak = () => void connection.suspect();
  router.onfailed = () => void upgrade.handle();

  async function flush() {
    void places.flush();
    flushSaves(api, session);
    if (await favourites.flush()) refresher.all();
  }

  function change() {
    cache.clear();
    player.close();
    const user = session.user?.id ?? null;
    places.become(user);
    favourites.become(user);
    if (user !== null) void flush();
  }
  change();

  const kinds = new Kinds(api, cache);
  const prefs = new Prefs();
  return {
    app: { api, cache, live, session, player, places, router, favourites, connection, upgrade, kinds, prefs },
    Page,
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
    turn: () => {
      live.turn();
      refresher.wake();
    },
  };
}

/** Saves of games that were not sent wait on this device; the code for them comes only where some do. */
function flushSaves(api: ApiClient, { user }: Session): void {
  if (!user || !storage.get('saves.waiting')) return;
  void import('./viewers/game/Game.svelte').then((game) => game.flushSaves(api, user.id)).catch(() => {});
}
