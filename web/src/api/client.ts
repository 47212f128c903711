/** The typed client of the HTTP API. Every request, its errors and the end of a session pass through here. */
import type { Client } from 'openapi-fetch';
import { engines } from '../lib/engines';
import type { Connection } from './connection.svelte';
import type { Item, ItemChange, ProgressRow } from './models';
import type { paths } from './schema';

/** Query parameters of a path. The client omits empty strings and `null`. */
type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Q
  : never;
type BodyOf<P extends keyof paths, M extends 'post' | 'put' | 'patch'> =
  paths[P] extends Record<M, { requestBody?: { content: { 'application/json': infer B } } }> ? B : never;

/** Largest difference in milliseconds between the clocks of device and server that is ignored. */
const TOLERANCE = 10_000;
/** Milliseconds without a response after which the client probes the server. */
const SLOW = 4000;
/** Statuses by which a reverse proxy reports that the server behind it is down. */
const GATEWAY = [502, 503, 504];

/** An error response of the server. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** The request received no response. */
export class Unreachable extends Error {}

/** The request received no response, or an incomplete one. */
function rethrow(error: unknown): never {
  throw isAbort(error) ? error : new Unreachable('No answer from the server.');
}

/** Returns the body of a successful response. */
export async function body<T>(reply: Promise<{ data?: T }>): Promise<T> {
  return (await reply).data as T;
}

/** Statuses with which the server rejects a change after it has read all of it. */
const FINAL = [404, 409, 410, 412, 413, 415, 422];

/**
 * Returns true for a permanent rejection, such as an item that no longer exists. A retry cannot succeed. Every other
 * status can come from a slow transfer (400, 408) or from a wrong proxy (403), and the change is kept.
 */
export function isFinal(error: unknown): boolean {
  return error instanceof ApiError && FINAL.includes(error.status);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

type ItemListQuery = QueryOf<'/api/v1/items'>;
/** Parameters of an item list. Enumerated values are any text, because the address supplies them. */
export type ItemQuery = {
  [K in keyof ItemListQuery]:
    (ItemListQuery[K] extends string | undefined ? string : ItemListQuery[K]) | null;
};

/** A position to store. */
export type ProgressWrite = BodyOf<'/api/v1/items/{id}/progress', 'put'> & {
  file_id: number;
  finished: boolean;
};

/** Requests whose status 401 does not end the session of this tab. The page sends those for the queue by itself. */
const QUIET_PATHS = ['/api/v1/auth/login', '/api/v1/auth/logout', '/api/v1/auth/me', '/api/v1/queue'];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * A request in the form of `openapi-fetch`. Only its types are used: its runtime takes 2.2 kB more than `ApiClient`, and
 * some pages would exceed their size budget.
 */
interface Call {
  params?: {
    path?: Record<string, string | number>;
    query?: Record<string, unknown>;
    header?: Record<string, string>;
  };
  body?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean;
}

export class ApiClient {
  /** Called when a response shows that the session is over. */
  onUnauthenticated: () => void = () => {};

  /** Requests by path and method, checked against the schema. Pass their results to `body`. A failed request throws. */
  readonly http = Object.fromEntries(
    METHODS.map((method) => [method, (path: string, call?: Call) => this.#send(method, path, call)]),
  ) as unknown as Pick<Client<paths>, (typeof METHODS)[number]>;

  #skew = 0;

  constructor(private readonly connection: Pick<Connection, 'suspect' | 'confirm'> | null = null) {}

  // Session
  me = (signal?: AbortSignal) => body(this.http.GET('/api/v1/auth/me', { signal }));
  login = (username: string, password: string) =>
    body(this.http.POST('/api/v1/auth/login', { body: { username, password } }));
  logout = () => body(this.http.POST('/api/v1/auth/logout'));

  // System
  version = (signal?: AbortSignal) => body(this.http.GET('/api/v1/version', { signal }));
  mediaTypes = (signal?: AbortSignal) => body(this.http.GET('/api/v1/media-types', { signal }));
  libraries = (signal?: AbortSignal) => body(this.http.GET('/api/v1/libraries', { signal }));

  // Items
  items = (query: ItemQuery, signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/items', { params: { query: query as QueryOf<'/api/v1/items'> }, signal }));
  letters = (query: ItemQuery, signal?: AbortSignal) =>
    body(
      this.http.GET('/api/v1/items/letters', {
        params: { query: query as QueryOf<'/api/v1/items/letters'> },
        signal,
      }),
    );
  item = (id: number, signal?: AbortSignal): Promise<Item> =>
    body(
      this.http.GET('/api/v1/items/{id}', {
        params: { path: { id }, query: { engines: engines() } },
        signal,
      }),
    );
  subkinds = (query: { kind: string; library: number | null }, signal?: AbortSignal) =>
    body(
      this.http.GET('/api/v1/items/subkinds', {
        params: { query: query as QueryOf<'/api/v1/items/subkinds'> },
        signal,
      }),
    );
  changeItem = (id: number, change: ItemChange): Promise<Item> =>
    body(this.http.PATCH('/api/v1/items/{id}', { params: { path: { id } }, body: change }));
  setFavourite = (id: number, marked: boolean): Promise<void> => {
    const params = { path: { id } };
    const path = '/api/v1/items/{id}/favourite';
    return body(marked ? this.http.PUT(path, { params }) : this.http.DELETE(path, { params }));
  };
  /** Lists the replay gains of the files of a recording. */
  gains = (id: number) =>
    body(this.http.GET('/api/v1/kinds/audio/items/{id}/gains', { params: { path: { id } } }));
  countView = (id: number) => body(this.http.POST('/api/v1/items/{id}/view', { params: { path: { id } } }));

  // Progress
  writeProgress = (id: number, write: ProgressWrite, keepalive = false): Promise<ProgressRow> =>
    body(this.http.PUT('/api/v1/items/{id}/progress', { params: { path: { id } }, body: write, keepalive }));
  resetProgress = (id: number) =>
    body(this.http.DELETE('/api/v1/items/{id}/progress', { params: { path: { id } } }));
  progressHistory = (id: number, query: { late?: boolean; before?: number }, signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/items/{id}/progress/history', { params: { path: { id }, query }, signal }));
  restoreProgress = (id: number, entry: number): Promise<ProgressRow> =>
    body(
      this.http.POST('/api/v1/items/{id}/progress/history/{entry}/restore', {
        params: { path: { id, entry } },
      }),
    );

  // Home, search, history
  home = (signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/home', { params: { query: { engines: engines() } }, signal }));
  search = (query: { q: string; kind: string | null; limit: number; fuzzy?: false }, signal?: AbortSignal) =>
    body(
      this.http.GET('/api/v1/search', {
        params: { query: { ...query, engines: engines() } as QueryOf<'/api/v1/search'> },
        signal,
      }),
    );
  history = (query: { offset: number; limit: number }, signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/history', { params: { query: { ...query, engines: engines() } }, signal }));
  people = (query: { q: string; offset: number; limit: number }, signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/people', { params: { query }, signal }));
  series = (query: { q: string; kind: string | null; offset: number; limit: number }, signal?: AbortSignal) =>
    body(this.http.GET('/api/v1/series', { params: { query: query as QueryOf<'/api/v1/series'> }, signal }));

  /**
   * Returns the status of a request for one byte of a file. A player distinguishes a lost session from a missing file
   * by it.
   */
  async probe(url: string): Promise<number> {
    try {
      const response = await fetch(url, { headers: { Range: 'bytes=0-0' } });
      await response.body?.cancel();
      if (response.status === 401) this.onUnauthenticated();
      return response.status;
    } catch {
      return 0;
    }
  }

  /** Returns the server's time, derived from its responses. The clock of a device can be wrong by hours. */
  now(): number {
    return Date.now() + this.#skew;
  }

  async #send(method: string, template: string, call: Call = {}): Promise<{ data: unknown }> {
    const { params, body: content, signal, keepalive = false } = call;
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params?.path?.[name] ?? ''),
    );
    const headers: Record<string, string> = { Accept: 'application/json', ...params?.header };
    if (content !== undefined) headers['Content-Type'] = 'application/json';
    const init = { method, keepalive, signal: signal ?? null, headers, body: JSON.stringify(content) };
    const response = await this.#fetch(path + serialize(params?.query), init, signal);
    this.#setClock(response);
    if (!response.ok) {
      if (response.status === 401 && !QUIET_PATHS.includes(path)) this.onUnauthenticated();
      throw await apiError(response);
    }
    const text = await response.text().catch(rethrow);
    return { data: text === '' ? undefined : JSON.parse(text) };
  }

  /** Fetches. Aborts a slow request if the server does not answer a probe either. */
  async #fetch(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    const limit = new AbortController();
    const abort = () => limit.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(() => {
      void this.connection?.suspect().then((reachable) => {
        if (!reachable) limit.abort(new Unreachable('The server does not answer.'));
      });
    }, SLOW);
    try {
      const response =
        (await earlyResponse(init.method, url)) ?? (await fetch(url, { ...init, signal: limit.signal }));
      if (isGateway(response)) throw new TypeError('No server behind the proxy.');
      this.connection?.confirm();
      return response;
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      if (!isAbort(error)) void this.connection?.suspect();
      return rethrow(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #setClock(response: Response): void {
    const skew = Date.parse(response.headers.get('Date') ?? '') - Date.now();
    // The header has a resolution of one second. Ignore small differences, so that timestamps stay in order.
    if (Math.abs(skew - this.#skew) > TOLERANCE) this.#skew = skew;
  }
}

/** Returns a successful response that `boot.js` requested, once. A write or a login invalidates all of them. */
async function earlyResponse(method: string | undefined, url: string): Promise<Response | undefined> {
  const page = globalThis as { ledgeEarly?: Record<string, Promise<Response>> };
  if (method !== 'GET') {
    delete page.ledgeEarly;
    return undefined;
  }
  const early = page.ledgeEarly?.[url];
  delete page.ledgeEarly?.[url];
  const response = await early;
  return response?.ok ? response : undefined;
}

/** The server sends its errors as JSON; a proxy does not. */
function isGateway(response: Response): boolean {
  const type = response.headers.get('Content-Type') ?? '';
  return GATEWAY.includes(response.status) && !type.startsWith('application/json');
}

/** Serializes a query without its empty values. */
function serialize(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value != null && value !== '');
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Converts an error response. */
export async function apiError(response: Response): Promise<ApiError> {
  const after = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  const retry = Number.isFinite(after) ? after : null;
  const body: unknown = await response.json().catch(() => null);
  const error = (body as { error?: { code?: string; message?: string; field?: string } } | null)?.error;
  return new ApiError(
    response.status,
    error?.code ?? 'internal',
    error?.message ?? response.statusText,
    error?.field ?? null,
    retry,
  );
}
