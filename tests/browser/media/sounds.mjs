/** Generates recordings: a tone of any length in a WAV file. */

const RATE = 8000;

/** A whole file: mono, 16 bit. */
export function tone(seconds, pitch = 220) {
  const samples = Math.round(seconds * RATE);
  const file = Buffer.alloc(44 + samples * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at += 1) {
    const value = Math.sin((2 * Math.PI * pitch * at) / RATE) * 8000;
    file.writeInt16LE(Math.round(value), 44 + at * 2);
  }
  return file;
}
