/** Requests of the dashboard: activity, status, backups. */
import { body, type ApiClient } from '../client';

export type Activity = Awaited<ReturnType<DashboardApi['activity']>>;
export type Stream = Activity['streams'][number];
export type Status = Awaited<ReturnType<DashboardApi['status']>>;
export type LibraryStatus = Status['libraries'][number];
export type Backup = Awaited<ReturnType<DashboardApi['backups']>>['items'][number];

export class DashboardApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  activity = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/activity', { signal }));
  status = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/status', { signal }));
  backups = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/backups', { signal }));
  /** Starts a backup. Fails with 409 if no folder for backups is set. */
  backUp = () => body(this.#http.POST('/api/v1/backups'));
}
