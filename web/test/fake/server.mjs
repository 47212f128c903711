/**
 * A stand-in for the server with states that are hard to reach with a real one: an unknown kind, a paused scan, a
 * throttled login. Serves the built interface under the policy of the real server.
 */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { world } from './world.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' blob: 'unsafe-inline'; " +
  "img-src 'self' blob: data:; font-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; " +
  "worker-src 'self'; frame-src 'self' blob:; manifest-src 'self'; form-action 'self'; base-uri 'none'; " +
  "frame-ancestors 'self'; object-src 'none'";

/**
 * @param {Partial<import('./world.mjs').Options>} [options]
 */
export async function startFake(options = {}, port = 0) {
  const state = world(options);
  /** @type {Set<import('node:http').ServerResponse>} */
  const listeners = new Set();
  /** Answers that wait until a test lets them go. @type {Set<{ fits: (url: URL) => boolean, released: Promise<void> }>} */
  const holds = new Set();
  const server = createServer((request, response) => {
    if (request.url === '/api/v1/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(': here\n\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
      return;
    }
    void respond(state, holds, request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    options: state.options,
    state,
    listeners,
    /** Sends an event to all listeners, and to later ones. @param {string} type @param {any} data */
    tell: (type, data) => {
      if (type === 'scan') state.told.set(data.library_id, data);
      for (const one of listeners) one.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    /** Holds back matching responses until the returned function is called. @param {(url: URL) => boolean} fits */
    hold: (fits) => {
      /** @type {() => void} */
      let release = () => {};
      const one = {
        fits,
        released: new Promise((/** @type {(value: void) => void} */ done) => (release = done)),
      };
      holds.add(one);
      return () => {
        holds.delete(one);
        release();
      };
    },
    close: () => {
      for (const one of listeners) one.destroy();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}

/**
 * @param {ReturnType<typeof world>} state
 * @param {Set<{ fits: (url: URL) => boolean, released: Promise<void> }>} holds
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function respond(state, holds, request, response) {
  const url = new URL(request.url ?? '/', 'http://fake');
  if (url.pathname.startsWith('/api/v1/')) {
    const body = await bodyOf(request);
    for (const one of holds) if (one.fits(url)) await one.released;
    const answer = await state.answer(
      request.method ?? 'GET',
      url.pathname.slice(7),
      url.searchParams,
      body,
      request.headers['if-match'] ?? null,
    );
    if (answer.raw && request.headers.range) return part(answer, request.headers.range, response);
    response.writeHead(answer.status, {
      'Content-Type': answer.type ?? 'application/json',
      'Cache-Control': 'no-store',
      ...answer.headers,
    });
    response.end(
      answer.raw ?? (answer.body === undefined ? '' : JSON.stringify(answer.body, withDisplayTitle)),
    );
    return;
  }
  const path = normalize(url.pathname);
  const file = extname(path) === '' ? 'index.html' : path;
  const content = await readFile(join(dist, file)).catch(() => null);
  if (content === null) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': types[/** @type {keyof typeof types} */ (extname(file))] ?? 'application/octet-stream',
    'Content-Security-Policy': policy,
  });
  response.end(content);
}

/**
 * One range: without it a browser cannot seek.
 * @param {{ raw?: Buffer, type?: string }} answer @param {string} range @param {import('node:http').ServerResponse} response
 */
function part(answer, range, response) {
  const whole = /** @type {Buffer} */ (answer.raw);
  const [, from, to] = range.match(/bytes=(\d+)-(\d*)/) ?? [];
  const start = Number(from ?? 0);
  const end = to ? Math.min(Number(to), whole.length - 1) : whole.length - 1;
  response.writeHead(206, {
    'Content-Type': answer.type ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    'Content-Range': `bytes ${start}-${end}/${whole.length}`,
    'Content-Length': end - start + 1,
  });
  response.end(whole.subarray(start, end + 1));
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (request.headers['content-type']?.startsWith('image/')) return { bytes: whole };
  if (request.headers['content-type'] === 'application/octet-stream')
    return { bytes: whole, over: request.headers['if-match']?.replaceAll('"', '') ?? null };
  return whole.length === 0 ? null : JSON.parse(whole.toString());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startFake({}, Number(process.env.PORT ?? 8484));
  console.log(url);
}

/**
 * Adds the displayed title and the badges to each item. Release marks of games become badges, as in
 * the server.
 *
 * @param {string} _key
 * @param {any} value
 */
function withDisplayTitle(_key, value) {
  const isItem = value?.kind !== undefined && value.title !== undefined && 'cover' in value;
  if (!isItem || value.display_title !== undefined) return value;
  const [title, ...marks] =
    value.kind === 'games' ? value.title.split(/ \(|\)/).filter(Boolean) : [value.title];
  return {
    ...value,
    display_title: title,
    badges: marks.map((/** @type {string} */ label) => ({ kind: 'region', label })),
  };
}
