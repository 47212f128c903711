/** Fetches ranges of the file: at once for the decoder, which cannot wait, and in the background. */
import type { Failure } from '../protocol';

export type Answer =
  /** `size` and `tag` belong to the whole file. */
  | { readonly kind: 'bytes'; readonly data: Uint8Array; readonly size: number; readonly tag: string }
  | { readonly kind: 'failed'; readonly reason: Failure; readonly detail: string }
  /** The server cannot be reached, or cannot answer now. */
  | { readonly kind: 'unreachable' };

export interface Transport {
  /** Fetches the bytes from `start` up to but not including `end`, and blocks until they are there. */
  now(start: number, end: number): Answer;
  later(start: number, end: number): Promise<Answer>;
}

/** Longest whole file in bytes that is accepted from a server without ranges. */
const LONGEST_WHOLE = 1 << 20;

/** Milliseconds after which a request counts as unanswered. */
const PATIENCE = 30_000;

type Header = (name: string) => string | null;

export class HttpTransport implements Transport {
  constructor(private readonly url: string) {}

  now(start: number, end: number): Answer {
    const request = new XMLHttpRequest();
    request.open('GET', this.url, false);
    request.responseType = 'arraybuffer';
    request.timeout = PATIENCE;
    request.setRequestHeader('Range', range(start, end));
    try {
      request.send();
    } catch {
      return { kind: 'unreachable' };
    }
    const refusal = refused(request.status);
    if (refusal) return refusal;
    return accepted(request.status, request.response as ArrayBuffer, (name) =>
      request.getResponseHeader(name),
    );
  }

  async later(start: number, end: number): Promise<Answer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), PATIENCE);
    try {
      const headers = { Range: range(start, end) };
      const response = await fetch(this.url, { headers, credentials: 'same-origin', signal: abort.signal });
      const refusal = refused(response.status) ?? tooLong(response);
      if (refusal) abort.abort();
      return (
        refusal ??
        accepted(response.status, await response.arrayBuffer(), (name) => response.headers.get(name))
      );
    } catch {
      return { kind: 'unreachable' };
    } finally {
      clearTimeout(timer);
    }
  }
}

function range(start: number, end: number): string {
  return `bytes=${start}-${end - 1}`;
}

/** Returns the failure of a status, or null if the response contains bytes. */
export function refused(status: number): Answer | null {
  if (status === 200 || status === 206) return null;
  if (status === 401) return { kind: 'failed', reason: 'session', detail: '' };
  if (status === 403 || status === 404 || status === 410)
    return { kind: 'failed', reason: 'missing', detail: `${status}` };
  // The file is shorter than before.
  if (status === 412 || status === 416) return { kind: 'failed', reason: 'changed', detail: `${status}` };
  if (status === 0 || status === 408 || status === 429 || status >= 500) return { kind: 'unreachable' };
  return { kind: 'failed', reason: 'missing', detail: `${status}` };
}

/** A response without a range would transfer the whole film. */
function tooLong(response: Response): Answer | null {
  const length = Number(response.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY);
  if (response.status === 206 || length <= LONGEST_WHOLE) return null;
  return { kind: 'failed', reason: 'unsupported', detail: 'the server sends no ranges' };
}

function accepted(status: number, buffer: ArrayBuffer, header: Header): Answer {
  const data = new Uint8Array(buffer);
  const total = /\/(\d+)$/.exec(header('Content-Range') ?? '')?.[1];
  const tag = header('ETag') ?? header('Last-Modified') ?? '';
  if (status === 200) return { kind: 'bytes', data, size: data.length, tag };
  if (total === undefined) return { kind: 'failed', reason: 'unsupported', detail: 'a range without a size' };
  return { kind: 'bytes', data, size: Number(total), tag };
}
