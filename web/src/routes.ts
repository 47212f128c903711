/** All addresses of the interface. Each page has a chunk; the last entry matches any address. */
import type { Route } from './app/router.svelte';
import { loadPart } from './pages/settings/parts';
import { loadTexts } from './pages/settings/texts';

const settings: Route['load'] = async (params) => {
  const [page] = await Promise.all([
    import('./pages/settings/Settings.svelte'),
    loadPart(params),
    loadTexts(),
  ]);
  return page;
};

export const routes: readonly Route[] = [
  { pattern: '/', load: () => import('./pages/Home.svelte') },
  { pattern: '/library', load: () => import('./pages/Library.svelte') },
  { pattern: '/library/:kind', load: () => import('./pages/Browse.svelte') },
  { pattern: '/search', load: () => import('./pages/Search.svelte') },
  { pattern: '/people', load: () => import('./pages/Names.svelte') },
  { pattern: '/people/:id', load: () => import('./pages/Works.svelte') },
  { pattern: '/series', load: () => import('./pages/Names.svelte') },
  { pattern: '/series/:id', load: () => import('./pages/organise/SeriesPage.svelte') },
  { pattern: '/favourites', load: () => import('./pages/Favourites.svelte') },
  { pattern: '/playlists', load: () => import('./pages/organise/Playlists.svelte') },
  { pattern: '/playlists/:id', load: () => import('./pages/organise/PlaylistPage.svelte') },
  { pattern: '/collections', load: () => import('./pages/organise/Collections.svelte') },
  { pattern: '/collections/new', load: () => import('./pages/organise/CollectionRule.svelte') },
  { pattern: '/collections/:id', load: () => import('./pages/organise/CollectionPage.svelte') },
  { pattern: '/collections/:id/rule', load: () => import('./pages/organise/CollectionRule.svelte') },
  { pattern: '/history', load: () => import('./pages/History.svelte') },
  { pattern: '/history/:view', load: () => import('./pages/statistics/Statistics.svelte') },
  { pattern: '/items/:id', load: () => import('./pages/ItemPage.svelte') },
  { pattern: '/items/:id/open/:file', load: () => import('./pages/Viewer.svelte'), bare: true },
  { pattern: '/settings', load: settings },
  { pattern: '/settings/:section', load: settings },
  { pattern: '/settings/:section/:id', load: settings },
  { pattern: '/404', load: () => import('./pages/NotFound.svelte') },
];
