/** Requests about matches at metadata providers, and the choices of administrators. */
import { body, type ApiClient } from '../api/client';
import type { Attempt, Item, Provider } from '../api/models';
import type { components } from '../api/schema';

type Api = Pick<ApiClient, 'http'>;

export const providers = ({ http }: Api, signal?: AbortSignal) =>
  body(http.GET('/api/v1/providers', { signal }));

export const attempts = ({ http }: Api, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/items/{id}/matches', { params: { path: { id } }, signal }));

export const enrichItem = ({ http }: Api, id: number) =>
  body(http.POST('/api/v1/items/{id}/enrich', { params: { path: { id } }, body: { force: true } }));

/** Candidates of one provider, or the reason why it gave none. */
export type ProviderAnswer = components['schemas']['AnswerView'];
export type Identified = ProviderAnswer['candidates'][number];

export const identify = (
  { http }: Api,
  id: number,
  query: string,
  year: number | null,
  signal?: AbortSignal,
) =>
  body(http.POST('/api/v1/items/{id}/identify', { params: { path: { id } }, body: { query, year }, signal }));

/** Returns the address of a candidate's picture, which this server fetches. */
export const pictureUrl = (id: number, provider: string, entry: string) =>
  `/api/v1/items/${id}/matches/${encodeURIComponent(provider)}/picture?provider_id=${encodeURIComponent(entry)}`;

/** A candidate whose values differ from those of the item. */
export type Difference = 'title' | 'year' | 'authors';

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase();

/** Returns the fields that a candidate would change. */
export function differences(
  item: Pick<Item, 'title' | 'year' | 'authors'>,
  one: Pick<Identified, 'title' | 'year' | 'authors'>,
): Difference[] {
  const found: Difference[] = [];
  if (plain(item.title) !== plain(one.title)) found.push('title');
  if (one.year !== null && item.year !== one.year) found.push('year');
  if (one.authors !== '' && plain(item.authors) !== plain(one.authors)) found.push('authors');
  return found;
}

/** Changes that an entry of a provider would make. */
export type EntryPreview = components['schemas']['EntryPreviewView'];

/** Provider of a preview, with the reason if it did not respond. */
export type Queried = components['schemas']['QueriedView'];

/** Queries the providers like a refresh, and returns the changes. No item changes. */
export const previewRefresh = ({ http }: Api, id: number, force: boolean, signal?: AbortSignal) =>
  body(http.POST('/api/v1/items/{id}/enrich/preview', { params: { path: { id } }, body: { force }, signal }));

/** Returns the changes that the choice of an entry would make. No item changes. */
export const previewEntry = (
  { http }: Api,
  id: number,
  provider: string,
  provider_id: string,
  signal?: AbortSignal,
) =>
  body(
    http.POST('/api/v1/items/{id}/matches/{provider}/preview', {
      params: { path: { id, provider } },
      body: { provider_id },
      signal,
    }),
  );

/** Returns the first items that a refresh of a library would look up. */
export const previewLibrary = ({ http }: Api, id: number, force: boolean, signal?: AbortSignal) =>
  body(
    http.GET('/api/v1/libraries/{id}/enrich/preview', { params: { path: { id }, query: { force } }, signal }),
  );

export const choose = ({ http }: Api, id: number, provider: string, provider_id: string) =>
  body(
    http.PUT('/api/v1/items/{id}/matches/{provider}', {
      params: { path: { id, provider } },
      body: { provider_id },
    }),
  );

export const unlink = ({ http }: Api, id: number, provider: string) =>
  body(http.DELETE('/api/v1/items/{id}/matches/{provider}', { params: { path: { id, provider } } }));

export const enrichment = ({ http }: Api, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/libraries/{id}/enrich/status', { params: { path: { id } }, signal }));

export const enrich = ({ http }: Api, id: number, force: boolean) =>
  body(http.POST('/api/v1/libraries/{id}/enrich', { params: { path: { id } }, body: { force } }));

export const cancelEnrichment = ({ http }: Api, id: number) =>
  body(http.DELETE('/api/v1/libraries/{id}/enrich', { params: { path: { id } } }));

/** Returns the latest lookup of each provider, in the order of the providers. */
export function newest(all: Attempt[], order: Provider[]): Attempt[] {
  const first = new Map<string, Attempt>();
  for (const one of all) if (!first.has(one.provider)) first.set(one.provider, one);
  const rank = (id: string) => {
    const at = order.findIndex((provider) => provider.id === id);
    return at < 0 ? order.length : at;
  };
  return [...first.values()].sort((a, b) => rank(a.provider) - rank(b.provider));
}
