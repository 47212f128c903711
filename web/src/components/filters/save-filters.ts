/** Opens the editor of a smart collection with the filters of a list. */
import { body, type ApiClient, type ItemQuery } from '../../api/client';
import type { Facets } from '../../api/models';
import type { paths } from '../../api/schema';
import { ruleFrom, type FilterNames } from '../rules/from-filters';

type FacetQuery = paths['/api/v1/items/facets']['get']['parameters']['query'];

/** Returns the address of the editor. Ids of genres and tags become names, which are asked for if there are any. */
export async function editorAddress(
  api: Pick<ApiClient, 'http'>,
  filter: ItemQuery,
  order: { sort: string; order: 'asc' | 'desc' },
): Promise<string> {
  const [genre, tag] = await Promise.all([namesOf(api, filter, 'genre'), namesOf(api, filter, 'tag')]);
  const rule = ruleFrom(filter, { genre, tag }, order);
  return `/collections/new?rule=${encodeURIComponent(JSON.stringify(rule))}`;
}

/** A facet contains its chosen values as well, whatever the other filters are. */
async function namesOf(
  api: Pick<ApiClient, 'http'>,
  filter: ItemQuery,
  facet: keyof FilterNames,
): Promise<ReadonlyMap<string, string>> {
  if (filter[facet] == null) return new Map();
  const query = { kind: filter.kind, [facet]: filter[facet] } as FacetQuery;
  const facets: Facets = await body(api.http.GET('/api/v1/items/facets', { params: { query } }));
  return new Map(facets.facets[facet].map(({ value, name }) => [String(value), name]));
}
