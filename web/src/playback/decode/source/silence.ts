/** A silent recording, which gives an element a clock for a film without sound. */

const RATE = 8000;
/** Samples of a frame: half a second. */
const BLOCK = 4000;

/** Returns a FLAC file (RFC 9639) of silence: 11 to 15 bytes for each half second. */
export function silence(seconds: number): Blob {
  const frames = Math.max(1, Math.ceil((seconds * RATE) / BLOCK));
  const parts: Uint8Array<ArrayBuffer>[] = [header(frames)];
  for (let index = 0; index < frames; index += 1) parts.push(frame(index));
  return new Blob(parts, { type: 'audio/flac' });
}

function header(frames: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(42);
  const view = new DataView(bytes.buffer);
  bytes.set([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34]);
  view.setUint16(8, BLOCK);
  view.setUint16(10, BLOCK);
  // 20 bits of rate, 3 bits of channels less 1, 5 bits of sample size less 1, 36 bits of length
  view.setBigUint64(18, (BigInt(RATE) << 44n) | (15n << 36n) | BigInt(frames * BLOCK));
  return bytes;
}

function frame(index: number): Uint8Array<ArrayBuffer> {
  // Sync code, fixed block size; 16 bits of block size follow; 8 kHz; mono; 16 bits a sample
  const head = [0xff, 0xf8, 0x74, 0x08, ...coded(index), (BLOCK - 1) >> 8, (BLOCK - 1) & 0xff];
  // A subframe of one constant sample, 0
  const body = [...head, crc(head, 8, 0x07), 0, 0, 0];
  const check = crc(body, 16, 0x8005);
  return Uint8Array.from([...body, check >> 8, check & 0xff]);
}

/** Codes a frame number like UTF-8. */
function coded(value: number): number[] {
  if (value < 0x80) return [value];
  const tail: number[] = [];
  let rest = value;
  let limit = 0x40;
  while (rest >= limit) {
    tail.unshift(0x80 | (rest & 0x3f));
    rest >>= 6;
    limit >>= 1;
  }
  return [leading(tail.length) | rest, ...tail];
}

/** The leading ones of the first byte before `count` further bytes. */
function leading(count: number): number {
  return (0xff00 >> (count + 1)) & 0xff;
}

function crc(bytes: readonly number[], bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      value = ((value & top ? (value << 1) ^ polynomial : value << 1) & mask) >>> 0;
  }
  return value;
}
