/** Requests for the user's own statistics, and for the setting that turns them on. */
import { body, type ApiClient } from '../client';
import type { paths } from '../schema';
import { timeZone } from './dates';

type OverviewQuery = NonNullable<paths['/api/v1/stats']['get']['parameters']['query']>;
export type By = NonNullable<OverviewQuery['by']>;
/** First and last day. */
export interface Range {
  from: string;
  to: string;
}

export type Overview = Awaited<ReturnType<StatisticsApi['overview']>>;
export type Totals = Overview['totals'];
/** Sums of a day, an hour, a kind, an author and so on. */
export type Entry = Overview['items'][number];
export type Year = Awaited<ReturnType<StatisticsApi['year']>>;
export type UsageSession = Awaited<ReturnType<StatisticsApi['sessions']>>['items'][number];

/** The keys of cached responses, without the setting. */
export const STATS = 'stats:';
export const SETTINGS = 'settings:own';

export class StatisticsApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  overview = (range: Range, by: By, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/stats', { params: { query: { ...range, by, tz: timeZone() } }, signal }));
  year = (year: number, signal?: AbortSignal) =>
    body(
      this.#http.GET('/api/v1/stats/year/{year}', {
        params: { path: { year }, query: { tz: timeZone() } },
        signal,
      }),
    );
  sessions = (query: Range & { offset: number; limit: number }, signal?: AbortSignal) =>
    body(
      this.#http.GET('/api/v1/stats/sessions', { params: { query: { ...query, tz: timeZone() } }, signal }),
    );
  /** Deletes all sessions of the user. */
  clear = () => body(this.#http.DELETE('/api/v1/stats'));

  settings = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/me/settings', { signal }));
  keep = (statistics: boolean) => body(this.#http.PATCH('/api/v1/me/settings', { body: { statistics } }));
}

/** The address of the picture of a year. */
export function pictureUrl(year: number): string {
  return `/api/v1/stats/year/${year}.svg?${new URLSearchParams({ tz: timeZone() })}`;
}

/** The address of all sessions as a file. */
export function exportUrl(format: 'csv' | 'json'): string {
  return `/api/v1/stats/export?format=${format}`;
}
