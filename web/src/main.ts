/** Builds the application's parts and puts it on the page. */
import { mount } from 'svelte';
import './styles/index.css';
import App from './App.svelte';
import { ApiClient } from './api/client';
import { QueryCache } from './api/query.svelte';
import { Session } from './api/session.svelte';
import { Prefs } from './lib/prefs.svelte';
import { Router } from './lib/router.svelte';
import { Kinds } from './library/kinds.svelte';
import { Player } from './media/player.svelte';
import { routes } from './routes';

const api = new ApiClient();
const cache = new QueryCache();
const session = new Session(api);
const player = new Player(api);
session.onchange = () => {
  cache.clear();
  player.close();
};

const target = document.getElementById('app');
if (target) {
  const app = {
    api,
    cache,
    session,
    player,
    router: new Router(routes),
    prefs: new Prefs(),
    kinds: new Kinds(api, cache),
  };
  mount(App, { target, props: { app } });
  void session.resume();
}
