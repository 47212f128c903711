/** Requests of the settings: passwords of the user, and the libraries, jobs and users of administrators. */
import { body, type ApiClient } from './client';
import type { JobState, Role } from './models';
import type { components } from './schema';

type Schemas = components['schemas'];
type Kinds = Schemas['CreateLibrary']['kinds'];

export class SettingsApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  changePassword = (change: Schemas['PasswordChange']) =>
    body(this.#http.PUT('/api/v1/auth/password', { body: change }));
  directories = (path: string | null, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/directories', { params: { query: { path: path ?? '' } }, signal }));

  // Apps
  protocols = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/protocols', { signal }));
  appPasswords = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/app-passwords', { signal }));
  createAppPassword = (created: Schemas['CreateAppPassword']) =>
    body(this.#http.POST('/api/v1/app-passwords', { body: created }));
  changeAppPassword = (id: number, change: Schemas['UpdateAppPassword']) =>
    body(this.#http.PATCH('/api/v1/app-passwords/{id}', { params: { path: { id } }, body: change }));
  deleteAppPassword = (id: number) =>
    body(this.#http.DELETE('/api/v1/app-passwords/{id}', { params: { path: { id } } }));
  appPasswordsOf = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/users/{id}/app-passwords', { params: { path: { id } }, signal }));
  deleteAppPasswordOf = (id: number, password: number) =>
    body(
      this.#http.DELETE('/api/v1/users/{id}/app-passwords/{password}', {
        params: { path: { id, password } },
      }),
    );

  // Libraries
  library = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/libraries/{id}', { params: { path: { id } }, signal }));
  createLibrary = (library: { name: string; path: string; kinds?: string[] }) =>
    body(this.#http.POST('/api/v1/libraries', { body: { ...library, kinds: library.kinds as Kinds } }));
  changeLibrary = (id: number, change: { name?: string; path?: string; kinds?: string[] | null }) =>
    body(
      this.#http.PATCH('/api/v1/libraries/{id}', {
        params: { path: { id } },
        body: { ...change, kinds: change.kinds as Kinds },
      }),
    );
  deleteLibrary = (id: number) =>
    body(this.#http.DELETE('/api/v1/libraries/{id}', { params: { path: { id } } }));
  grants = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/libraries/{id}/grants', { params: { path: { id } }, signal }));
  grant = (id: number, user_id: number) =>
    body(this.#http.PUT('/api/v1/libraries/{id}/grants/{user_id}', { params: { path: { id, user_id } } }));
  revoke = (id: number, user_id: number) =>
    body(this.#http.DELETE('/api/v1/libraries/{id}/grants/{user_id}', { params: { path: { id, user_id } } }));
  purge = (id: number) => body(this.#http.POST('/api/v1/libraries/{id}/purge', { params: { path: { id } } }));
  missing = (query: { offset: number; limit: number }, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/missing', { params: { query }, signal }));

  // Scans and jobs
  scan = (id: number, acceptMissing = false) =>
    body(
      this.#http.POST('/api/v1/libraries/{id}/scan', {
        params: { path: { id } },
        body: acceptMissing ? { accept_missing: true } : {},
      }),
    );
  cancelScan = (id: number) =>
    body(this.#http.DELETE('/api/v1/libraries/{id}/scan', { params: { path: { id } } }));
  scanStatus = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/libraries/{id}/scan/status', { params: { path: { id } }, signal }));
  jobs = (query: { status?: JobState; offset: number; limit: number }, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/jobs', { params: { query }, signal }));
  retryJob = (id: number) => body(this.#http.POST('/api/v1/jobs/{id}/retry', { params: { path: { id } } }));

  // Metadata providers
  metadata = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/metadata/settings', { signal }));
  changeMetadata = (change: Schemas['UpdateMetadataSettings']) =>
    body(this.#http.PATCH('/api/v1/metadata/settings', { body: change }));
  testProvider = (provider: string) =>
    body(this.#http.POST('/api/v1/metadata/providers/{provider}/test', { params: { path: { provider } } }));

  // Users
  users = (signal?: AbortSignal) => body(this.#http.GET('/api/v1/users', { signal }));
  user = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/users/{id}', { params: { path: { id } }, signal }));
  createUser = (user: { username: string; password: string; role: Role }) =>
    body(this.#http.POST('/api/v1/users', { body: user }));
  changeUser = (id: number, change: Schemas['UpdateUser']) =>
    body(this.#http.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: change }));
  resetPassword = (id: number, password: string) =>
    body(this.#http.PUT('/api/v1/users/{id}/password', { params: { path: { id } }, body: { password } }));
  setUserLibraries = (id: number, library_ids: number[]) =>
    body(this.#http.PUT('/api/v1/users/{id}/libraries', { params: { path: { id } }, body: { library_ids } }));
  deleteUser = (id: number) => body(this.#http.DELETE('/api/v1/users/{id}', { params: { path: { id } } }));
}
