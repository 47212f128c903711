/** Reads remote files on demand: a file in blocks, and the entries of an archive one by one. */

import { isAbort, Unreachable } from '../../../api/client';

/** The interface of a file for parsers of binary formats. */
export interface Slices {
  readonly size: number;
  slice(start: number, end?: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** The server does not have these bytes, or denies access. */
export class RequestFailed extends Error {
  constructor(readonly status: number) {
    super(`answered with ${status}`);
  }
}

const PIECE = 256 * 1024;
/** Size of the block cache: 16 MiB in total, because a book of pictures can be far larger. */
const HELD = 64;

/** A file read in blocks of 256 KiB, with an LRU cache. */
export class RemoteFile implements Slices {
  readonly #pieces = new Map<number, Promise<ArrayBuffer>>();

  constructor(
    private readonly url: string,
    readonly size: number,
    private readonly signal: AbortSignal,
  ) {}

  slice(start: number, end = this.size): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: () => this.#read(Math.max(0, start), Math.min(end, this.size)) };
  }

  async #read(start: number, end: number): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(Math.max(0, end - start));
    for (let at = start; at < end;) {
      const index = Math.floor(at / PIECE);
      const piece = new Uint8Array(await this.#piece(index));
      const part = piece.subarray(at - index * PIECE, end - index * PIECE);
      if (part.length === 0) throw new Error('the file is shorter than it was');
      bytes.set(part, at - start);
      at += part.length;
    }
    return bytes.buffer;
  }

  #piece(index: number): Promise<ArrayBuffer> {
    const known = this.#pieces.get(index);
    if (known) {
      this.#pieces.delete(index);
      this.#pieces.set(index, known);
      return known;
    }
    const first = index * PIECE;
    const last = Math.min(first + PIECE, this.size) - 1;
    const piece = get(this.url, this.signal, { Range: `bytes=${first}-${last}` }).then(async (response) => {
      const body = await response.arrayBuffer();
      return response.status === 206 ? body : body.slice(first, last + 1);
    });
    this.#pieces.set(index, piece);
    const oldest = this.#pieces.keys().next();
    if (this.#pieces.size > HELD && !oldest.done) this.#pieces.delete(oldest.value);
    piece.catch(() => this.#pieces.delete(index));
    return piece;
  }
}

/** The interface of an archive for its parser. */
export interface Entries {
  loadText(path: string): Promise<string | null>;
  loadBlob(path: string, type?: string): Promise<Blob | null>;
  getSize(path: string): number;
}

/** Returns the entries of the archive whose list is at `url`. */
export async function remoteEntries(url: string, signal: AbortSignal): Promise<Entries> {
  const list = (await (await get(url, signal)).json()) as { items: { path: string; size: number }[] };
  const sizes = new Map(list.items.map(({ path, size }) => [path, size]));
  const fetchEntry = (path: string) =>
    get(`${url}/${path.split('/').map(encodeURIComponent).join('/')}`, signal);
  return {
    getSize: (path) => sizes.get(path) ?? 0,
    loadText: async (path) => {
      if (!sizes.has(path)) return null;
      return decode(new Uint8Array(await (await fetchEntry(path)).arrayBuffer()));
    },
    loadBlob: async (path, type = '') => {
      if (!sizes.has(path)) return null;
      return new Blob([await (await fetchEntry(path)).arrayBuffer()], { type });
    },
  };
}

/** Decodes XML and style sheets by their byte order mark, otherwise by their declaration, otherwise as UTF-8. */
export function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (a === 0 && b === 0x3c) return new TextDecoder('utf-16be').decode(bytes);
  if (a === 0x3c && b === 0) return new TextDecoder('utf-16le').decode(bytes);
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(head)?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // the declared encoding is unknown
  }
}

/** Reads a whole file. */
export async function whole(url: string, signal: AbortSignal): Promise<Blob> {
  return (await get(url, signal)).blob();
}

async function get(
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw isAbort(error) ? error : new Unreachable('No answer from the server.');
  });
  if (!response.ok) throw new RequestFailed(response.status);
  return response;
}
