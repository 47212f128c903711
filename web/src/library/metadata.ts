/** What metadata providers are asked about things, and what administrators make of the answers. */
import type { ApiClient } from '../api/client';
import type { Item } from '../api/types';

type Api = Pick<ApiClient, 'ask'>;

/** One time that a provider was asked about a thing. */
export interface Attempt {
  provider: string;
  outcome: 'ok' | 'notfound' | 'failure';
  query: string;
  provider_id: string | null;
  title: string | null;
  year: number | null;
  authors: string | null;
  score: number | null;
  fetched_at: string;
  error: string | null;
  is_current: boolean;
  is_chosen: boolean;
}

export interface Provider {
  id: string;
  label: string;
  kinds: string[];
}

/** Something at a provider that may be the thing. */
export interface Candidate {
  provider_id: string;
  title: string;
  subtitle: string | null;
  year: number | null;
  authors: string;
}

/** How a library is enriched, or was. */
export interface Enrichment {
  status: 'never' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  next_at: string | null;
  total: number;
  seen: number;
  matched: number;
  notfound: number;
  failed: number;
  standing: number;
  finished_at: string | null;
  error: string | null;
}

interface List<T> {
  items: T[];
}

const match = (item: number, provider: string) => `/items/${item}/matches/${encodeURIComponent(provider)}`;

export const providers = (api: Api, signal?: AbortSignal) =>
  api.ask<List<Provider>>('GET', '/providers', { signal });

export const attempts = (api: Api, item: number, signal?: AbortSignal) =>
  api.ask<List<Attempt>>('GET', `/items/${item}/matches`, { signal });

export const askAgain = (api: Api, item: number) =>
  api.ask<{ job_id: number }>('POST', `/items/${item}/enrich`, { body: { force: true } });

export const search = (api: Api, item: number, provider: string, query: string, signal?: AbortSignal) =>
  api.ask<List<Candidate>>('POST', `${match(item, provider)}/search`, { body: { query }, signal });

export const choose = (api: Api, item: number, provider: string, provider_id: string) =>
  api.ask<Item>('PUT', match(item, provider), { body: { provider_id } });

export const unlink = (api: Api, item: number, provider: string) =>
  api.ask<void>('DELETE', match(item, provider));

export const enrichment = (api: Api, library: number, signal?: AbortSignal) =>
  api.ask<Enrichment>('GET', `/libraries/${library}/enrich/status`, { signal });

export const enrich = (api: Api, library: number, force: boolean) =>
  api.ask<{ job_id: number }>('POST', `/libraries/${library}/enrich`, { body: { force } });

export const cancelEnrichment = (api: Api, library: number) =>
  api.ask<void>('DELETE', `/libraries/${library}/enrich`);

/** Of all attempts, the newest one of each provider, in the order in which providers are asked. */
export function newest(all: Attempt[], order: Provider[]): Attempt[] {
  const first = new Map<string, Attempt>();
  for (const one of all) if (!first.has(one.provider)) first.set(one.provider, one);
  const rank = (id: string) => {
    const at = order.findIndex((provider) => provider.id === id);
    return at < 0 ? order.length : at;
  };
  return [...first.values()].sort((a, b) => rank(a.provider) - rank(b.provider));
}
