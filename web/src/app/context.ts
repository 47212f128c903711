/** The objects that all pages share, passed by context. */
import { createContext } from 'svelte';
import type { ApiClient } from '../api/client';
import type { Connection } from '../api/connection.svelte';
import type { Live } from '../api/live.svelte';
import type { QueryCache } from '../api/query.svelte';
import type { Session } from '../api/session.svelte';
import type { Favourites } from '../catalogue/favourites.svelte';
import type { Kinds } from '../catalogue/kinds.svelte';
import type { LazyPlayer } from '../playback/lazy-player.svelte';
import type { ProgressStore } from '../progress/progress-store.svelte';
import type { AddRequests } from './add-request.svelte';
import type { Prefs } from './prefs.svelte';
import type { Router } from './router.svelte';
import type { Upgrade } from './upgrade.svelte';

export interface App {
  api: ApiClient;
  cache: QueryCache;
  live: Live;
  session: Session;
  router: Router;
  prefs: Prefs;
  kinds: Kinds;
  player: LazyPlayer;
  progressStore: ProgressStore;
  favourites: Favourites;
  adding: AddRequests;
  connection: Connection;
  upgrade: Upgrade;
}

export const [useApp, provideApp] = createContext<App>();
