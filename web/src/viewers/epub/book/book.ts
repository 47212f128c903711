/** Opens a book of any format, and fetches only the parts that are read. */
import type { MediaFile } from '../../../api/models';
import { sha1 } from '../../../lib/sha1';
import { decode, RemoteFile, remoteEntries, whole } from './remote-file';
import { sanitize, sanitizeDocument } from './sanitize';

export interface Section {
  id: unknown;
  load: () => Promise<string> | string;
  createDocument?: () => Promise<Document> | Document;
  size: number;
  linear?: string | null;
}

export interface TocItem {
  id?: number;
  label: string | null;
  href: string | null;
  subitems?: TocItem[] | null;
}

export interface Target {
  index: number;
  anchor?: (document: Document) => Element | Range | number | null;
}

export interface Book {
  sections: Section[];
  toc?: TocItem[] | null;
  dir?: string | null;
  metadata?: { language?: string | string[] } | null;
  rendition?: { layout?: string } | null;
  transformTarget?: EventTarget;
  /** Serializes the pages of formats that are not archives of pages. */
  serializer?: XMLSerializer;
  resolveHref(href: string): Promise<Target | null> | Target | null;
  isExternal?(href: string): boolean;
  destroy?(): void;
}

/** A book that cannot be parsed. */
export class Unreadable extends Error {}

export async function openBook(file: MediaFile, kind: string, signal: AbortSignal): Promise<Book> {
  const book = await (file.mime === 'application/epub+zip'
    ? archive(file, kind, signal)
    : single(file, signal));
  if (book.sections.length === 0) throw new Unreadable('nothing in it to read');
  book.transformTarget?.addEventListener('data', sanitize);
  return book;
}

async function archive(file: MediaFile, kind: string, signal: AbortSignal): Promise<Book> {
  const { EPUB } = await import('foliate-js/epub.js');
  const entries = await remoteEntries(`/api/v1/kinds/${kind}/files/${file.id}/entries`, signal);
  const digest = async (text: string) => sha1(new TextEncoder().encode(text));
  return new EPUB({ ...entries, sha1: digest }).init();
}

async function single(file: MediaFile, signal: AbortSignal): Promise<Book> {
  const remote = new RemoteFile(file.content_url, file.size, signal);
  const start = new Uint8Array(await remote.slice(0, 68).arrayBuffer());
  const { isMOBI, MOBI } = await import('foliate-js/mobi.js');
  if (await isMOBI(remote)) {
    const { unzlibSync } = await import('foliate-js/vendor/fflate.js');
    const book = await new MOBI({ unzlib: unzlibSync }).open(remote);
    book.serializer = new SanitizingSerializer(); // every page passes through it
    return book;
  }
  const { makeFB2 } = await import('foliate-js/fb2.js');
  const blob = await whole(file.content_url, signal);
  return makeFB2(await sanitized(isZip(start) ? await unpacked(blob) : blob));
}

class SanitizingSerializer extends XMLSerializer {
  override serializeToString(page: Node): string {
    if (page instanceof Document) sanitizeDocument(page);
    return super.serializeToString(page);
  }
}

/**
 * Removes active content from a FictionBook. Malformed XML is returned unchanged, because its parser can be more
 * tolerant.
 */
async function sanitized(book: Blob): Promise<Blob> {
  const text = decode(new Uint8Array(await book.arrayBuffer()));
  const document = new DOMParser().parseFromString(text, 'application/xml');
  if (document.querySelector('parsererror')) return book;
  sanitizeDocument(document);
  // Without the declaration, which can contain another encoding.
  return new Blob([new XMLSerializer().serializeToString(document.documentElement)]);
}

const isZip = ([p, k]: Uint8Array) => p === 0x50 && k === 0x4b;

/** Returns the single book of an archive. */
async function unpacked(blob: Blob): Promise<Blob> {
  const zip = await import('foliate-js/vendor/zip.js');
  zip.configure({ useWebWorkers: false });
  const entries = await new zip.ZipReader(new zip.BlobReader(blob)).getEntries();
  const entry = entries.find(({ filename }) => filename.toLowerCase().endsWith('.fb2'));
  if (!entry || entry.uncompressedSize > LARGEST) throw new Unreadable('no book in the archive');
  return entry.getData(new zip.BlobWriter());
}

/** Limit for the unpacked size of a compressed book, in bytes. */
const LARGEST = 64 * 1024 * 1024;
