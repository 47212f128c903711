/** The curve of ITU-R BT.2390 for films in PQ, in double precision: ffmpeg has no filter for it. */

/** Brightest highlight of the film, and white of the screen, in nits. */
const PEAK = 1000;
const WHITE = 203;

const M1 = 2610 / 16384;
const M2 = (2523 / 4096) * 128;
const C1 = 3424 / 4096;
const C2 = (2413 / 4096) * 32;
const C3 = (2392 / 4096) * 32;

function nitsOf(signal) {
  const power = signal ** (1 / M2);
  return 10_000 * (Math.max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1);
}

function signalOf(nits) {
  const power = (nits / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}

/** The electrical-electrical transfer function of BT.2390-10, section 5.4, without a lift of black. */
function reduced(nits) {
  const top = signalOf(PEAK);
  const e1 = Math.min(signalOf(nits) / top, 1);
  const limit = signalOf(WHITE) / top;
  const knee = 1.5 * limit - 0.5;
  if (e1 < knee) return nitsOf(e1 * top);
  const t = (e1 - knee) / (1 - knee);
  const e2 =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee +
    (t ** 3 - 2 * t ** 2 + t) * (1 - knee) +
    (-2 * t ** 3 + 3 * t ** 2) * limit;
  return nitsOf(e2 * top);
}

/** Colours of BT.2020 in those of BT.709 (ITU-R BT.2087). */
const NARROW = [
  [1.6605, -0.5876, -0.0728],
  [-0.1246, 1.1329, -0.0083],
  [-0.0182, -0.1006, 1.1187],
];

/** Converts RGB of 16 bits in PQ and BT.2020 into RGB of 8 bits for a screen. */
export function tonemapped(rgb48) {
  const result = Buffer.alloc(rgb48.length / 2);
  for (let at = 0; at < result.length; at += 3) {
    const light = [0, 1, 2].map((channel) => nitsOf(rgb48.readUInt16LE((at + channel) * 2) / 65_535));
    // The curve applies to the brightest channel, so that hues stay.
    const brightest = Math.max(...light, 1e-4);
    const share = reduced(brightest) / brightest / WHITE;
    for (const [channel, row] of NARROW.entries()) {
      const linear = row.reduce((sum, factor, other) => sum + factor * light[other] * share, 0);
      result[at + channel] = Math.round(255 * Math.min(Math.max(linear, 0), 1) ** (1 / 2.4));
    }
  }
  return result;
}
