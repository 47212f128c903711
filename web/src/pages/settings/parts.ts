/** The code of each section of the settings. The router loads it together with the surrounding page. */
import type { Component } from 'svelte';

interface Address {
  section?: string | undefined;
  id?: string | undefined;
}
type Part = Component<{ id: number }>;
type Load = () => Promise<{ default: Part | Component }>;

const pages: Readonly<Record<string, Load>> = {
  device: () => import('./Device.svelte'),
  account: () => import('./Account.svelte'),
  dashboard: () => import('./dashboard/Dashboard.svelte'),
  apps: () => import('./apps/Apps.svelte'),
  libraries: () => import('./library/Libraries.svelte'),
  metadata: () => import('./metadata/Metadata.svelte'),
  users: () => import('./user/Users.svelte'),
  games: () => import('./Games.svelte'),
  missing: () => import('./Missing.svelte'),
  jobs: () => import('./Jobs.svelte'),
  import: () => import('./import/Import.svelte'),
  about: () => import('./About.svelte'),
};
const details: Readonly<Record<string, Load>> = {
  libraries: () => import('./library/LibraryPage.svelte'),
  users: () => import('./user/UserPage.svelte'),
};

const loaded = new Map<Load, Part>();

export const hasDetails = (section: string) => Object.hasOwn(details, section);

function loaderOf({ section = 'device', id }: Address): Load | undefined {
  const parts = id === undefined ? pages : details;
  return Object.hasOwn(parts, section) ? parts[section] : undefined;
}

/** Loads the section of an address, if there is one. */
export async function loadPart(address: Address): Promise<void> {
  const load = loaderOf(address);
  if (load && !loaded.has(load)) loaded.set(load, (await load()).default as Part);
}

/** The section of an address, once `loadPart` has resolved. */
export function loadedPart(address: Address): Part | undefined {
  const load = loaderOf(address);
  return load && loaded.get(load);
}
