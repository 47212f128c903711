/** What a game asks the server for: its core, its bytes, and what was saved of it. */
import { ApiError, Unreachable, type ApiClient } from '../../api/client';
import { isNotFound } from '../../lib/explain';
import type { List } from '../../api/types';

export interface BiosFile {
  name: string;
  md5: string;
  state: 'added' | 'missing';
  url: string | null;
  matches: boolean | null;
  platforms: string[];
  required: boolean;
}

export interface Core {
  id: string;
  platforms: string[];
  state: 'embedded' | 'added' | 'missing';
  script_url: string | null;
  wasm_url: string | null;
  wasm_size: number | null;
  licence: string;
  licence_url: string | null;
  source_url: string;
  free: boolean;
  bios: BiosFile[];
  files: { name: string; size: number }[];
}

export interface Platform {
  id: string;
  name: string;
  extensions: string[];
  core: string | null;
}

export interface Save {
  slot: string;
  size: number;
  sha256: string;
  core: string | null;
  updated_at: string;
}

/** What a slot held before. */
export interface SaveVersion {
  n: number;
  size: number;
  sha256: string;
  core: string | null;
  saved_at: string;
}

/** The most a save may weigh. */
export const SAVE_LIMIT = 16 << 20;
/** What a browser still sends while its page closes, all together. */
export const LAST_BREATH = 60_000;

const BYTES = 'application/octet-stream';

export const cores = (api: ApiClient, signal?: AbortSignal) =>
  api.ask<List<Core>>('GET', '/kinds/games/cores', { signal });
export const platforms = (api: ApiClient, signal?: AbortSignal) =>
  api.ask<List<Platform>>('GET', '/kinds/games/platforms', { signal });
export const saves = (api: ApiClient, item: number, signal?: AbortSignal) =>
  api.ask<List<Save>>('GET', `/items/${item}/saves`, { signal });

/** The versions of a slot, newest first; none where it was never saved to. */
export const saveVersions = (api: ApiClient, item: number, slot: string, signal?: AbortSignal) =>
  api.ask<List<SaveVersion>>('GET', `/items/${item}/saves/${slot}/versions`, { signal }).then(
    ({ items }) => items,
    (error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    },
  );

const slotPath = (item: number, slot: string) => `/api/v1/items/${item}/saves/${slot}`;

/** What a slot holds, or held in a version. */
export async function readSave(
  api: ApiClient,
  item: number,
  slot: string,
  version: number | null = null,
): Promise<Uint8Array<ArrayBuffer>> {
  const path = slotPath(item, slot);
  const response = await request(api, version === null ? path : `${path}/versions/${version}`, {});
  return new Uint8Array(await response.arrayBuffer());
}

/** Saves over the state with this checksum, or into an empty slot; another state there is an error 412. */
export async function writeSave(
  api: ApiClient,
  item: number,
  slot: string,
  { bytes, core, over }: { bytes: Uint8Array<ArrayBuffer>; core: string; over: string | null },
): Promise<Save> {
  const of = core === '' ? '' : `?core=${encodeURIComponent(core)}`;
  const response = await request(api, slotPath(item, slot) + of, {
    method: 'PUT',
    body: bytes,
    keepalive: bytes.length < LAST_BREATH,
    headers: {
      'Content-Type': BYTES,
      ...(over === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${over}"` }),
    },
  });
  return (await response.json()) as Save;
}

/** Sends a save from a page that goes away: over whatever is there, which stays among the slot's versions. */
export function sendOff(item: number, slot: string, bytes: Uint8Array<ArrayBuffer>, core: string): void {
  void fetch(`${slotPath(item, slot)}?core=${encodeURIComponent(core)}`, {
    method: 'PUT',
    body: bytes,
    keepalive: true,
    headers: { 'Content-Type': BYTES },
  }).catch(() => {});
}

/** Which part of a core a file is named after and cannot be, by what it begins with or names; null where it may be. */
export async function misfit(file: File): Promise<'module' | 'script' | null> {
  if (file.name.endsWith('.wasm')) {
    const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    return String.fromCharCode(...magic) === '\0asm' ? null : 'module';
  }
  if (!file.name.endsWith('.js')) return null;
  return (await file.text()).includes('EJS_Runtime') ? null : 'script';
}

/** Puts a file of a core or a console's maker on the server. */
export async function upload(api: ApiClient, path: string, file: Blob): Promise<void> {
  const headers = { 'Content-Type': BYTES };
  await request(api, `/api/v1/kinds/games/${path}`, { method: 'PUT', body: file, headers });
}

export function remove(api: ApiClient, path: string): Promise<void> {
  return api.ask<void>('DELETE', `/kinds/games/${path}`);
}

/** A whole file, telling how much of it is there. */
export async function download(
  api: ApiClient,
  url: string,
  signal: AbortSignal,
  onread: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await request(api, url, { signal });
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    size += next.value.length;
    onread(size);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

async function request(api: ApiClient, url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable('No answer from the server.');
  }
  if (response.ok) return response;
  if (response.status === 401) api.onUnauthenticated();
  const said = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string };
  } | null;
  throw new ApiError(
    response.status,
    said?.error?.code ?? 'internal',
    said?.error?.message ?? response.statusText,
  );
}
