/** Builds the application's parts and puts it on the page. */
import { mount } from 'svelte';
import './styles/index.css';
import App from './App.svelte';
import { ApiClient } from './api/client';
import { Live } from './api/live.svelte';
import { QueryCache } from './api/query.svelte';
import { refresh } from './api/refresh';
import { Session } from './api/session.svelte';
import { speak } from './i18n/speak';
import { storage } from './lib/env';
import { Prefs } from './lib/prefs.svelte';
import { Router } from './lib/router.svelte';
import { Kinds } from './library/kinds.svelte';
import { Deck } from './media/deck.svelte';
import { Places } from './progress/places.svelte';
import { routes } from './routes';

const api = new ApiClient();
const cache = new QueryCache();
const session = new Session(api);
const live = new Live();
refresh(live, cache);
const places = new Places(api, cache, storage);
const player = new Deck(async () => {
  const { Dock, playerOf } = await import('./media/start');
  return { Dock, start: (elements) => playerOf(elements, api, places, session.user?.id ?? 0) };
});
session.onleave = () => player.close();
session.onchange = () => {
  cache.clear();
  player.close();
  const user = session.user?.id;
  places.become(user ?? null);
  if (user !== undefined && storage.get('saves.waiting')) {
    void import('./viewers/game/Game.svelte').then(({ flushSaves }) => flushSaves(api, user)).catch(() => {});
  }
};

void speak().then(() => {
  const target = document.getElementById('app');
  if (target) {
    const app = {
      api,
      cache,
      live,
      session,
      player,
      places,
      router: new Router(routes),
      prefs: new Prefs(),
      kinds: new Kinds(api, cache),
    };
    mount(App, { target, props: { app } });
    void session.resume();
  }
});
