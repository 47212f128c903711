/** Requests of games: cores, files, and saves. */
import { apiError, body, Unreachable, type ApiClient } from '../../../api/client';
import { isNotFound } from '../../../api/error-text';
import type { Save } from '../../../api/models';

/** Maximum size of a save in bytes. */
export const SAVE_LIMIT = 16 << 20;
/** Total limit of browsers for `keepalive` requests of a closing page. */
export const KEEPALIVE_LIMIT = 60_000;

const BYTES = 'application/octet-stream';

export const cores = ({ http }: ApiClient, signal?: AbortSignal) =>
  body(http.GET('/api/v1/kinds/games/cores', { signal }));
export const platforms = ({ http }: ApiClient, signal?: AbortSignal) =>
  body(http.GET('/api/v1/kinds/games/platforms', { signal }));
export const saves = ({ http }: ApiClient, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/items/{id}/saves', { params: { path: { id } }, signal }));

/** Returns the versions of a slot, newest first; none for a slot without saves. */
export const saveVersions = ({ http }: ApiClient, id: number, slot: string, signal?: AbortSignal) =>
  body(http.GET('/api/v1/items/{id}/saves/{slot}/versions', { params: { path: { id, slot } }, signal })).then(
    ({ items }) => items,
    (error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    },
  );

const slotPath = (item: number, slot: string) => `/api/v1/items/${item}/saves/${slot}`;

/** Returns the content of a slot, or of one of its versions. */
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

/** Saves over the state with this checksum, or into an empty slot. A different state is an error 412. */
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
    keepalive: bytes.length < KEEPALIVE_LIMIT,
    headers: {
      'Content-Type': BYTES,
      ...(over === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${over}"` }),
    },
  });
  return (await response.json()) as Save;
}

/** Sends a save from a closing page. It replaces any state, which stays among the slot's versions. */
export function sendOnClose(item: number, slot: string, bytes: Uint8Array<ArrayBuffer>, core: string): void {
  void fetch(`${slotPath(item, slot)}?core=${encodeURIComponent(core)}`, {
    method: 'PUT',
    body: bytes,
    keepalive: true,
    headers: { 'Content-Type': BYTES },
  }).catch(() => {});
}

/** Returns the part of a core's file name that is not allowed; null for a valid name. */
export async function invalidPart(file: File): Promise<'module' | 'script' | null> {
  if (file.name.endsWith('.wasm')) {
    const magic = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    return String.fromCharCode(...magic) === '\0asm' ? null : 'module';
  }
  if (!file.name.endsWith('.js')) return null;
  return (await file.text()).includes('EJS_Runtime') ? null : 'script';
}

/** Uploads a file of a core or a BIOS. */
export async function upload(api: ApiClient, path: string, file: Blob): Promise<void> {
  const headers = { 'Content-Type': BYTES };
  await request(api, `/api/v1/kinds/games/${path}`, { method: 'PUT', body: file, headers });
}

export async function remove(api: ApiClient, path: string): Promise<void> {
  await request(api, `/api/v1/kinds/games/${path}`, { method: 'DELETE' });
}

/** Downloads a whole file, and reports the progress. */
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
  throw await apiError(response);
}
