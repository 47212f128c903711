/** The parts every page shares, handed down by context. */
import { createContext } from 'svelte';
import type { ApiClient } from '../api/client';
import type { Connection } from '../api/connection.svelte';
import type { Live } from '../api/live.svelte';
import type { QueryCache } from '../api/query.svelte';
import type { Session } from '../api/session.svelte';
import type { Favourites } from '../library/favourites.svelte';
import type { Kinds } from '../library/kinds.svelte';
import type { Deck } from '../media/deck.svelte';
import type { Places } from '../progress/places.svelte';
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
  player: Deck;
  places: Places;
  favourites: Favourites;
  connection: Connection;
  upgrade: Upgrade;
}

export const [useApp, provideApp] = createContext<App>();
