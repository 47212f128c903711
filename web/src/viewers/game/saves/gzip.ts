/** Compresses states before they are sent, and finds the game in an archive. */

/** Compresses with gzip, which is also available over plain HTTP. */
export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new CompressionStream('gzip'));
}

/** Decompresses, if necessary: other programs save without compression. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isPacked ? through(bytes, new DecompressionStream('gzip')) : bytes;
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const changed = new Blob([bytes])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(changed as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer());
}

interface Member {
  name: string;
  method: number;
  at: number;
  packed: number;
  size: number;
}

/** Returns the largest file of a ZIP archive that is a game of the platform; null without one. */
export async function gameIn(
  zip: Uint8Array<ArrayBuffer>,
  extensions: readonly string[],
): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> } | null> {
  const games = members(zip).filter(({ name }) => extensions.includes(extensionOf(name)));
  const [game] = games.sort((a, b) => b.size - a.size);
  if (!game || (game.method !== 0 && game.method !== 8)) return null;
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (game.at + 30 > zip.length) return null;
  const start = game.at + 30 + view.getUint16(game.at + 26, true) + view.getUint16(game.at + 28, true);
  const packed = zip.slice(start, start + game.packed);
  const bytes = game.method === 0 ? packed : await through(packed, new DecompressionStream('deflate-raw'));
  return { name: game.name.slice(game.name.lastIndexOf('/') + 1), bytes };
}

export function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** Reads the central directory at the end of the archive. */
function members(zip: Uint8Array<ArrayBuffer>): Member[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let end = zip.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) return [];
  const found: Member[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > zip.length || view.getUint32(at, true) !== 0x02014b50) break;
    const name = view.getUint16(at + 28, true);
    found.push({
      name: new TextDecoder().decode(zip.subarray(at + 46, at + 46 + name)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at += 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return found;
}
