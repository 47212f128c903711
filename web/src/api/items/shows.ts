/** Requests for the seasons and episodes of an item, and for series. */
import { engines } from '../../lib/engines';
import { body, type ApiClient } from '../client';
import type { AbsentEpisode, Episode, MarkFiles, Season, SeriesCard, SeriesDetail } from '../models';

/** Largest page that the server returns. */
const MOST = 500;

export class ShowsApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  seasons = async (id: number, signal?: AbortSignal): Promise<Season[]> =>
    (await body(this.#http.GET('/api/v1/items/{id}/seasons', { params: { path: { id } }, signal }))).items;

  /** Returns all episodes of a season. */
  episodes = (id: number, season: number, signal?: AbortSignal): Promise<Episode[]> =>
    all((page) => {
      const params = { path: { id }, query: { season, ...page } };
      return body(this.#http.GET('/api/v1/items/{id}/episodes', { params, signal }));
    });

  /** Returns the broadcast episodes without a file, as the provider of the match knows them. */
  absentEpisodes = async (id: number, signal?: AbortSignal): Promise<AbsentEpisode[]> => {
    const params = { path: { id } };
    return (await body(this.#http.GET('/api/v1/items/{id}/absent-episodes', { params, signal }))).items;
  };

  /** Marks files as finished or unstarted, and returns the number of changed files. */
  mark = async (id: number, what: MarkFiles): Promise<number> =>
    (await body(this.#http.POST('/api/v1/items/{id}/mark', { params: { path: { id } }, body: what })))
      .changed;

  series = (id: number, signal?: AbortSignal): Promise<SeriesDetail> =>
    body(
      this.#http.GET('/api/v1/series/{id}', {
        params: { path: { id }, query: { engines: engines() } },
        signal,
      }),
    );

  /** Returns all items of a series by number. */
  seriesItems = (id: number, signal?: AbortSignal): Promise<SeriesCard[]> =>
    all((page) => {
      const params = { path: { id }, query: { engines: engines(), ...page } };
      return body(this.#http.GET('/api/v1/series/{id}/items', { params, signal }));
    });
}

interface Page<T> {
  items: T[];
  total: number;
}

/** Fetches all pages of a list. */
async function all<T>(
  fetchPage: (page: { offset: number; limit: number }) => Promise<Page<T>>,
): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { items, total } = await fetchPage({ offset: found.length, limit: MOST });
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}
