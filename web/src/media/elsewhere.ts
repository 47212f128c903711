/** A file for a player outside of the browser: a list with one entry, whose address needs no login. */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/types';
import { fileTitle, sequenceOf } from './queue';

type Named = Pick<Item, 'title' | 'files'>;

/** The list as players read it: `#EXTM3U`, the length and name, the address. */
export function playlist(item: Named, file: MediaFile, url: string): string {
  const length = file.duration === null ? -1 : Math.round(file.duration);
  return `#EXTM3U\n#EXTINF:${length},${titleOf(item, file)}\n${url}\n`;
}

/** Hands the file to the system, which opens such lists with the player of its owner's choice. */
export async function openElsewhere(
  api: Pick<ApiClient, 'linkFile'>,
  item: Named,
  file: MediaFile,
): Promise<void> {
  const { url } = await api.linkFile(file.id);
  const list = playlist(item, file, new URL(url, location.origin).href);
  const address = URL.createObjectURL(new Blob([list], { type: 'audio/x-mpegurl' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${titleOf(item, file).replace(/[\\/:*?"<>|]/g, '_')}.m3u`;
  link.click();
  // The download has begun by then, and the list is of no more use here.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function titleOf(item: Named, file: MediaFile): string {
  const part = sequenceOf(file) === null ? '' : ` - ${fileTitle(file)}`;
  return `${item.title}${part}`.replace(/[\r\n]+/g, ' ');
}
