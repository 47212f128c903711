/** SHA-1, because plain HTTP pages lack `crypto.subtle`. Used for keys of obfuscated fonts, not for secrets. */
export function sha1(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = bytes.length;
  const padded = new Uint8Array((((length + 8) >> 6) << 6) + 64);
  padded.set(bytes);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, length << 3);
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Uint32Array(80);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 80; i += 1) {
      words[i] = turn(word(words, i - 3) ^ word(words, i - 8) ^ word(words, i - 14) ^ word(words, i - 16), 1);
    }
    mix(state, words);
  }
  const digest = new DataView(new ArrayBuffer(20));
  state.forEach((value, i) => digest.setUint32(i * 4, value));
  return new Uint8Array(digest.buffer);
}

function mix(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let i = 0; i < 80; i += 1) {
    const [chosen, constant] =
      i < 20
        ? [(b & c) | (~b & d), 0x5a827999]
        : i < 40
          ? [b ^ c ^ d, 0x6ed9eba1]
          : i < 60
            ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
            : [b ^ c ^ d, 0xca62c1d6];
    const next = (turn(a, 5) + chosen + e + constant + word(words, i)) | 0;
    [e, d, c, b, a] = [d, c, turn(b, 30), a, next];
  }
  [a, b, c, d, e].forEach((value, i) => (state[i] = word(state, i) + value));
}

const word = (words: Uint32Array, i: number) => words[i] ?? 0;
const turn = (value: number, by: number) => (value << by) | (value >>> (32 - by));
