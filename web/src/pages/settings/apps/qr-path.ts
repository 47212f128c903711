/** QR codes as path data. */
import encodeQR from 'qr';

/** Light modules that surround a code, by ISO/IEC 18004. */
const BORDER = 4;

export interface QrPath {
  /** Modules of a side, with the border. */
  size: number;
  /** The dark modules as path data, with a module as the unit. */
  path: string;
}

export function qrPath(text: string): QrPath {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: BORDER });
  const runs = rows.flatMap((row, y) =>
    runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return { size: rows.length, path: runs.join('') };
}

/** Returns the runs of dark modules in a row: start and length. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  row.forEach((dark, x) => {
    const last = runs.at(-1);
    if (!dark) return;
    if (last && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  });
  return runs;
}
