/** Requests about the cover of an item, and the pictures that an administrator can choose. */
import { ApiError, Unreachable, apiError, body, type ApiClient } from '../../api/client';
import type { CoverCandidate } from '../../api/models';
import type { Key } from '../../i18n';
import '../../i18n/details';

/** Media types of pictures that the server accepts. */
export const PICTURES = ['image/jpeg', 'image/png', 'image/webp'];

type Api = Pick<ApiClient, 'http' | 'onUnauthenticated'>;

export const list = ({ http }: Api, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/items/{id}/covers', { params: { path: { id } }, signal }));

export const choose = ({ http }: Api, id: number, candidate: number) =>
  body(http.PUT('/api/v1/items/{id}/cover', { params: { path: { id } }, body: { candidate } }));

/** Makes the cover automatic again. */
export const reset = ({ http }: Api, id: number) =>
  body(http.DELETE('/api/v1/items/{id}/cover', { params: { path: { id } } }));

/** Uploads a picture, which becomes the cover. */
export async function upload(api: Api, id: number, picture: Blob): Promise<void> {
  const init = { method: 'PUT', body: picture, headers: { 'Content-Type': picture.type } };
  const response = await fetch(`/api/v1/items/${id}/cover`, init).catch(() => {
    throw new Unreachable('No answer from the server.');
  });
  if (response.ok) return;
  if (response.status === 401) api.onUnauthenticated();
  throw await apiError(response);
}

/** Returns true if the server rejected the picture itself. */
export function isUnusable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 415 || error.field === 'cover');
}

/** Returns the first picture among pasted or dropped files. */
export function pictureIn(files: Iterable<File> | null | undefined): File | undefined {
  return [...(files ?? [])].find((file) => PICTURES.includes(file.type));
}

/** Returns the text for the source of a picture, or null for a provider. */
export function sourceText(source: CoverCandidate['source']): Key | null {
  const texts: Record<string, Key> = {
    embedded: 'cover.embedded',
    folder: 'cover.folder',
    upload: 'cover.uploaded',
  };
  return Object.hasOwn(texts, source) ? (texts[source] ?? null) : null;
}
