/** What only those who run the server ask it for: its jobs, folders, people, and what is missing. */
import type { ApiClient } from '../../api/client';
import type {
  DirectoryListing,
  Grant,
  Job,
  JobState,
  List,
  MissingItem,
  Page,
  Role,
  User,
  UserDetail,
} from '../../api/types';

export class SettingsApi {
  constructor(private readonly api: Pick<ApiClient, 'ask'>) {}

  directories = (path: string | null, signal?: AbortSignal) =>
    this.api.ask<DirectoryListing>('GET', '/directories', { query: { path }, signal });
  jobs = (query: { status?: JobState | ''; offset: number; limit: number }, signal?: AbortSignal) =>
    this.api.ask<Page<Job>>('GET', '/jobs', { query, signal });
  retryJob = (id: number) => this.api.ask<unknown>('POST', `/jobs/${id}/retry`);
  missing = (query: { offset: number; limit: number }, signal?: AbortSignal) =>
    this.api.ask<Page<MissingItem>>('GET', '/missing', { query, signal });
  grants = (id: number, signal?: AbortSignal) =>
    this.api.ask<List<Grant>>('GET', `/libraries/${id}/grants`, { signal });
  grant = (id: number, user: number) => this.api.ask<void>('PUT', `/libraries/${id}/grants/${user}`);
  revoke = (id: number, user: number) => this.api.ask<void>('DELETE', `/libraries/${id}/grants/${user}`);
  purge = (id: number) => this.api.ask<{ deleted: number }>('POST', `/libraries/${id}/purge`);
  users = (signal?: AbortSignal) => this.api.ask<List<User>>('GET', '/users', { signal });
  user = (id: number, signal?: AbortSignal) => this.api.ask<UserDetail>('GET', `/users/${id}`, { signal });
  createUser = (body: { username: string; password: string; role: Role }) =>
    this.api.ask<User>('POST', '/users', { body });
  changeUser = (id: number, body: { username?: string; role?: Role; disabled?: boolean }) =>
    this.api.ask<User>('PATCH', `/users/${id}`, { body });
  resetPassword = (id: number, password: string) =>
    this.api.ask<void>('PUT', `/users/${id}/password`, { body: { password } });
  setUserLibraries = (id: number, library_ids: number[]) =>
    this.api.ask<void>('PUT', `/users/${id}/libraries`, { body: { library_ids } });
  deleteUser = (id: number) => this.api.ask<void>('DELETE', `/users/${id}`);
}
