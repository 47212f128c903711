/**
 * Synchronous gzip, for a closing page that cannot wait. It uses the fixed codes of the format only. They compress the
 * repetitive memory of a console well enough.
 */
const WINDOW = 32_768;
const SHORTEST = 4;
const LONGEST = 258;
const HASHES = 1 << 15;

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115];
LENGTHS.push(131, 163, 195, 227, 258);
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4];
for (let bits = 1; bits < 14; bits += 1) DISTANCES.push((2 << bits) + 1, (3 << bits) + 1);
const distanceBits = (symbol: number) => Math.max(0, (symbol >> 1) - 1);

/** Returns the gzip stream of `bytes`. */
export function gzipSync(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Writer(bytes.length + (bytes.length >> 3) + 64);
  for (const byte of [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]) out.put(byte, 8);
  out.put(0b011, 3); // the last block, in fixed codes
  const seen = new Int32Array(HASHES).fill(-WINDOW - 1);
  for (let at = 0; at < bytes.length;) {
    const [length, distance] = match(bytes, at, seen);
    if (length < SHORTEST) {
      out.symbol(bytes[at] ?? 0);
      at += 1;
      continue;
    }
    const size = lastAtMost(LENGTHS, length);
    out.symbol(257 + size);
    out.put(length - (LENGTHS[size] ?? 0), LENGTH_BITS[size] ?? 0);
    const way = lastAtMost(DISTANCES, distance);
    out.put(reversed(way, 5), 5);
    out.put(distance - (DISTANCES[way] ?? 0), distanceBits(way));
    at += length;
  }
  out.symbol(256);
  out.align();
  for (const translate of [crc32(bytes), bytes.length]) {
    out.put(translate & 0xffff, 16);
    out.put(translate >>> 16, 16);
  }
  return out.bytes();
}

/** Returns the length of the match with earlier data, and its distance. */
function match(bytes: Uint8Array, at: number, seen: Int32Array): [length: number, distance: number] {
  if (at + SHORTEST > bytes.length) return [0, 0];
  let key = 0;
  for (let n = 0; n < SHORTEST; n += 1) key = Math.imul(key ^ (bytes[at + n] ?? 0), 0x01000193);
  const slot = (key >>> 8) & (HASHES - 1);
  const before = seen[slot] ?? -WINDOW - 1;
  seen[slot] = at;
  if (at - before > WINDOW || before < 0) return [0, 0];
  const most = Math.min(LONGEST, bytes.length - at);
  let length = 0;
  while (length < most && bytes[before + length] === bytes[at + length]) length += 1;
  return [length, at - before];
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let at = sorted.length - 1;
  while ((sorted[at] ?? 0) > value) at -= 1;
  return at;
}

function reversed(code: number, width: number): number {
  let back = 0;
  for (let bit = 0; bit < width; bit += 1) back |= ((code >> bit) & 1) << (width - 1 - bit);
  return back;
}

const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let translate = byte;
  for (let bit = 0; bit < 8; bit += 1)
    translate = translate & 1 ? (translate >>> 1) ^ 0xedb88320 : translate >>> 1;
  return translate;
});

function crc32(bytes: Uint8Array): number {
  let sum = -1;
  for (const byte of bytes) sum = (sum >>> 8) ^ (CRC[(sum ^ byte) & 255] ?? 0);
  return ~sum >>> 0;
}

/** Writes bits, the lowest first. */
class Writer {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  put(value: number, width: number): void {
    this.#held |= value << this.#count;
    this.#count += width;
    for (; this.#count >= 8; this.#count -= 8) {
      this.#bytes[this.#at] = this.#held & 255;
      this.#at += 1;
      this.#held >>>= 8;
    }
  }

  /** Writes a literal or a length in its fixed code. */
  symbol(symbol: number): void {
    if (symbol < 144) this.put(reversed(48 + symbol, 8), 8);
    else if (symbol < 256) this.put(reversed(400 + symbol - 144, 9), 9);
    else if (symbol < 280) this.put(reversed(symbol - 256, 7), 7);
    else this.put(reversed(192 + symbol - 280, 8), 8);
  }

  align(): void {
    if (this.#count > 0) this.put(0, 8 - this.#count);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }
}
