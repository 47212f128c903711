/** Opens a file in an external player: a playlist with one entry, whose address needs no login. */
import { body, type ApiClient } from '../../api/client';
import type { Item, MediaFile } from '../../api/models';
import { sequenceOf } from '../../catalogue/file-order';
import { partName } from '../../progress/episodes';

type Named = Pick<Item, 'title' | 'files'>;

/** Returns the playlist: `#EXTM3U`, the length and name, the address. */
export function playlist(item: Named, file: MediaFile, url: string): string {
  const length = file.duration === null ? -1 : Math.round(file.duration);
  return `#EXTM3U\n#EXTINF:${length},${titleOf(item, file)}\n${url}\n`;
}

/** Downloads the playlist; the system opens it with the default player of the user. */
export async function openElsewhere(
  { http }: Pick<ApiClient, 'http'>,
  item: Named,
  file: MediaFile,
): Promise<void> {
  const { url } = await body(http.POST('/api/v1/files/{id}/link', { params: { path: { id: file.id } } }));
  const list = playlist(item, file, new URL(url, location.origin).href);
  const address = URL.createObjectURL(new Blob([list], { type: 'audio/x-mpegurl' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${titleOf(item, file).replace(/[\\/:*?"<>|]/g, '_')}.m3u`;
  link.click();
  // The download has started by then, so the object URL can be revoked.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function titleOf(item: Named, file: MediaFile): string {
  const part = sequenceOf(file) === null ? '' : ` - ${partName(file)}`;
  return `${item.title}${part}`.replace(/[\r\n]+/g, ' ');
}
