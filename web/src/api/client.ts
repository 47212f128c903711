/** One typed door to the server: every request, its errors and the end of a session pass through here. */
import type {
  Card,
  HistoryEntry,
  HomeShelves,
  Item,
  ItemChange,
  Letter,
  Library,
  List,
  Lyrics,
  MediaType,
  Name,
  Page,
  PastPlace,
  ProgressRow,
  ScanStatus,
  SearchAnswer,
  SubkindCount,
  Subtitles,
  User,
  Version,
} from './types';
import { engines } from '../lib/engines';
import type { Connection } from './connection.svelte';

type Query = Record<string, string | number | boolean | null | undefined>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const TOLERANCE = 10_000;
/** Milliseconds after which a request without an answer makes the connection suspect. */
const SLOW = 4000;
/** Statuses by which a reverse proxy reports that the server behind it is down. */
const GATEWAY = [502, 503, 504];

/** The server answered, and the answer was no. */
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

/** No answer came at all. */
export class Unreachable extends Error {}

/** No answer, or half of one. */
function brokenOff(error: unknown): never {
  throw isAbort(error) ? error : new Unreachable('No answer from the server.');
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

export interface ItemQuery extends Query {
  kind?: string;
  subkind?: string | null;
  offset?: number;
  limit?: number;
  sort?: string;
  order?: string;
  library?: number | null;
  missing?: boolean | null;
  favourite?: boolean | null;
  state?: string | null;
  engines?: string | null;
  author?: number;
  series?: number;
}

/** A place to store. */
export interface ProgressWrite {
  file_id: number;
  position: number;
  finished: boolean;
  locator?: string | null;
  recorded_at?: string;
}

export class ApiClient {
  /** Called when a request finds that the session is over. */
  onUnauthenticated: () => void = () => {};

  readonly #prefix = '/api/v1';
  #skew = 0;

  constructor(private readonly connection: Pick<Connection, 'suspect' | 'confirm'> | null = null) {}

  // Session
  me = (signal?: AbortSignal) => this.ask<User>('GET', '/auth/me', { signal, quiet: true });
  login = (username: string, password: string) =>
    this.ask<{ user: User }>('POST', '/auth/login', { body: { username, password }, quiet: true });
  logout = () => this.ask<void>('POST', '/auth/logout', { quiet: true });
  changePassword = (current_password: string, new_password: string) =>
    this.ask<void>('PUT', '/auth/password', { body: { current_password, new_password } });

  // System
  version = (signal?: AbortSignal) => this.ask<Version>('GET', '/version', { signal });
  mediaTypes = (signal?: AbortSignal) => this.ask<List<MediaType>>('GET', '/media-types', { signal });

  // Items
  items = (query: ItemQuery, signal?: AbortSignal) =>
    this.ask<Page<Card>>('GET', '/items', { query, signal });
  letters = (query: ItemQuery, signal?: AbortSignal) =>
    this.ask<List<Letter>>('GET', '/items/letters', { query, signal });
  item = (id: number, signal?: AbortSignal) =>
    this.ask<Item>('GET', `/items/${id}`, { query: { engines: engines() }, signal });
  subkinds = (query: { kind: string; library: number | null }, signal?: AbortSignal) =>
    this.ask<List<SubkindCount>>('GET', '/items/subkinds', { query, signal });
  changeItem = (id: number, body: ItemChange) => this.ask<Item>('PATCH', `/items/${id}`, { body });
  setFavourite = (id: number, marked: boolean) =>
    this.ask<void>(marked ? 'PUT' : 'DELETE', `/items/${id}/favourite`);
  countView = (id: number) => this.ask<{ views: number }>('POST', `/items/${id}/view`);
  writeProgress = (id: number, body: ProgressWrite, keepalive = false) =>
    this.ask<ProgressRow>('PUT', `/items/${id}/progress`, { body, keepalive });
  formerPlaces = (id: number, query: { late?: boolean; before?: number }, signal?: AbortSignal) =>
    this.ask<List<PastPlace>>('GET', `/items/${id}/progress/history`, { query, signal });

  // Home, search, history
  home = (signal?: AbortSignal) =>
    this.ask<HomeShelves>('GET', '/home', { query: { engines: engines() }, signal });
  search = (query: { q: string; kind: string | null; limit: number }, signal?: AbortSignal) =>
    this.ask<SearchAnswer>('GET', '/search', { query: { ...query, engines: engines() }, signal });
  history = (query: { offset: number; limit: number }, signal?: AbortSignal) =>
    this.ask<Page<HistoryEntry>>('GET', '/history', {
      query: { ...query, engines: engines() },
      signal,
    });

  people = (query: { q: string; offset: number; limit: number }, signal?: AbortSignal) =>
    this.ask<Page<Name>>('GET', '/people', { query, signal });
  series = (query: { q: string; kind: string | null; offset: number; limit: number }, signal?: AbortSignal) =>
    this.ask<Page<Name>>('GET', '/series', { query, signal });

  // Files
  subtitles = (id: number, signal?: AbortSignal) =>
    this.ask<List<Subtitles>>('GET', `/kinds/video/files/${id}/subtitles`, { signal });
  lyrics = (id: number, signal?: AbortSignal) =>
    this.ask<List<Lyrics>>('GET', `/kinds/audio/files/${id}/lyrics`, { signal });
  linkFile = (id: number) => this.ask<{ url: string; expires_at: string }>('POST', `/files/${id}/link`);

  // Libraries
  libraries = (signal?: AbortSignal) => this.ask<List<Library>>('GET', '/libraries', { signal });
  library = (id: number, signal?: AbortSignal) => this.ask<Library>('GET', `/libraries/${id}`, { signal });
  createLibrary = (body: { name: string; path: string; kinds?: string[] }) =>
    this.ask<Library>('POST', '/libraries', { body });
  changeLibrary = (id: number, body: { name?: string; path?: string; kinds?: string[] | null }) =>
    this.ask<Library>('PATCH', `/libraries/${id}`, { body });
  deleteLibrary = (id: number) => this.ask<void>('DELETE', `/libraries/${id}`);
  scan = (id: number, acceptMissing = false) =>
    this.ask<{ job_id: number }>('POST', `/libraries/${id}/scan`, {
      body: acceptMissing ? { accept_missing: true } : {},
    });
  cancelScan = (id: number) => this.ask<void>('DELETE', `/libraries/${id}/scan`);
  scanStatus = (id: number, signal?: AbortSignal) =>
    this.ask<ScanStatus>('GET', `/libraries/${id}/scan/status`, { signal });

  /** The status of one byte of a file: tells a player whether it failed for want of a session or of the file. */
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

  /** A request and its answer: for what the methods above do not name. */
  async ask<T>(
    method: Method,
    path: string,
    options: {
      query?: Query;
      body?: unknown;
      signal?: AbortSignal;
      quiet?: boolean;
      keepalive?: boolean;
    } = {},
  ): Promise<T> {
    const response = await this.#send(method, path + search(options.query), options);
    if (!response.ok) {
      if (response.status === 401 && !options.quiet) this.onUnauthenticated();
      throw await refusal(response);
    }
    const text = await response.text().catch(brokenOff);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** The time by the server's clock, as far as its answers tell: a device's own may be wrong by hours. */
  now(): number {
    return Date.now() + this.#skew;
  }

  async #send(
    method: Method,
    path: string,
    { body, signal, keepalive = false }: { body?: unknown; signal?: AbortSignal; keepalive?: boolean },
  ): Promise<Response> {
    const init: RequestInit = {
      method,
      keepalive,
      signal: signal ?? null,
      headers: { Accept: 'application/json' },
    };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    }
    const response = await this.#fetch(this.#prefix + path, init, signal);
    this.#setClock(response);
    return response;
  }

  /** Fetches; a request that is slow while the server does not answer a probe either is given up. */
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
      const response = await (takeEarly(init.method, url) ?? fetch(url, { ...init, signal: limit.signal }));
      if (isGateway(response)) throw new TypeError('No server behind the proxy.');
      this.connection?.confirm();
      return response;
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      if (!isAbort(error)) void this.connection?.suspect();
      return brokenOff(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #setClock(response: Response): void {
    const skew = Date.parse(response.headers.get('Date') ?? '') - Date.now();
    // The header counts whole seconds: small differences are noise, and moments must stay in order.
    if (Math.abs(skew - this.#skew) > TOLERANCE) this.#skew = skew;
  }
}

/** An answer that `boot.js` asked for before this code was here, at its first use. */
function takeEarly(method: string | undefined, url: string): Promise<Response> | undefined {
  const early = (globalThis as { ledgeEarly?: Record<string, Promise<Response>> }).ledgeEarly;
  const answer = method === 'GET' ? early?.[url] : undefined;
  if (answer) delete early?.[url];
  return answer;
}

/** The server's own refusals are JSON; a proxy's are not. */
function isGateway(response: Response): boolean {
  const type = response.headers.get('Content-Type') ?? '';
  return GATEWAY.includes(response.status) && !type.startsWith('application/json');
}

function search(query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value != null && value !== '');
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

async function refusal(response: Response): Promise<ApiError> {
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
