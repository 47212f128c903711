/** FFmpeg's tools of the system: they make fixtures, and decode them for comparison. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LARGEST = 1 << 28;

/** A folder for the fixtures of a test file. */
export class Fixtures {
  readonly folder = mkdtempSync(join(tmpdir(), 'ledge-decode-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Makes a file with ffmpeg. Returns its path. */
  make(name: string, ...options: string[]): string {
    const path = this.path(name);
    ffmpeg(...options, path);
    return path;
  }

  write(name: string, bytes: string | Uint8Array): string {
    writeFileSync(this.path(name), bytes);
    return this.path(name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

export function ffmpeg(...options: string[]): Buffer {
  // Exact encoders make the same files everywhere.
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...options], { maxBuffer: LARGEST });
}

/** Options of a moving test picture. */
export function picture(size: string, seconds = 2, rate = 25): string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`];
}

/** Options of a sound whose pitch differs between channels. */
export function sound(channels: number, seconds = 2, rate = 48_000): string[] {
  const waves = Array.from({ length: channels }, (_, channel) => `0.3*sin(2*PI*${220 * (channel + 1)}*t)`);
  return ['-f', 'lavfi', '-i', `aevalsrc='${waves.join('|')}':s=${rate}:d=${seconds}`];
}

/** Returns samples of 16 bits of a file, channels interleaved. */
export function samples(path: string, ...options: string[]): Int16Array {
  const pcm = ffmpeg('-i', path, '-map', '0:a:0', ...options, '-f', 's16le', '-');
  return new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + (pcm.length & ~1)));
}

/** Returns the frames of a file as ffmpeg decodes them. */
export function frames(path: string, format: string, count: number): Buffer {
  const options = ['-map', '0:v:0', '-frames:v', `${count}`, '-vsync', 'passthrough', '-pix_fmt', format];
  return ffmpeg('-noautorotate', '-i', path, ...options, '-f', 'rawvideo', '-');
}

/** Returns what ffprobe says about the packets of a stream. */
export function probe(path: string): { codec_name: string; nb_read_packets: string; start_time: string }[] {
  const options = ['-v', 'error', '-count_packets', '-show_streams', '-of', 'json'];
  const text = execFileSync('ffprobe', [...options, path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (
    JSON.parse(text) as { streams: { codec_name: string; nb_read_packets: string; start_time: string }[] }
  ).streams;
}
