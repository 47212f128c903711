/** Reads the time of the first sample from a fragment of MP4, as the module writes it. */

/** Ticks per second of the lane of pictures. */
const RATE = 90_000;
/** Flags of a `trun` box for fields before the first composition offset. */
const FIELDS = {
  dataOffset: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  offset: 0x800,
};

/** Returns the content of the box at a path of types; null if it is not there. */
function boxAt(view: DataView, ...path: string[]): DataView | null {
  const [type, ...rest] = path;
  for (let at = 0; at + 8 <= view.byteLength;) {
    const size = view.getUint32(at);
    const name = String.fromCharCode(...[4, 5, 6, 7].map((byte) => view.getUint8(at + byte)));
    const end = Math.min(at + size, view.byteLength);
    if (name === type) {
      const content = new DataView(view.buffer, view.byteOffset + at + 8, Math.max(0, end - at - 8));
      return rest.length === 0 ? content : boxAt(content, ...rest);
    }
    if (size < 8) return null;
    at += size;
  }
  return null;
}

/** Returns the time in seconds at which the first sample is shown; null if the bytes begin with no fragment. */
export function firstTime(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = boxAt(view, 'moof', 'traf', 'tfdt');
  const samples = boxAt(view, 'moof', 'traf', 'trun');
  if (!start || start.byteLength < 8 || !samples || samples.byteLength < 8) return null;
  const isLong = start.getUint8(0) === 1 && start.byteLength >= 12;
  const ticks = isLong ? Number(start.getBigUint64(4)) : start.getUint32(4);
  const flags = samples.getUint32(0) & 0xffffff;
  const before = [FIELDS.dataOffset, FIELDS.firstFlags, FIELDS.duration, FIELDS.size, FIELDS.flags];
  const at = 8 + before.filter((flag) => flags & flag).length * 4;
  const hasOffset = (flags & FIELDS.offset) !== 0 && samples.byteLength >= at + 4;
  return (ticks + (hasOffset ? samples.getInt32(at) : 0)) / RATE;
}
