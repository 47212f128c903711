/** The silent clock of films without sound, read by another decoder. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { silence } from '../../src/playback/decode/source/silence';

describe('silence', () => {
  const hasFfmpeg = (() => {
    try {
      execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  it('one_hour_takes_less_than_120_kb', async () => {
    expect((await silence(3600).arrayBuffer()).byteLength).toBeLessThan(120_000);
  });

  it.runIf(hasFfmpeg)('other_decoder_reads_it_without_an_error', async () => {
    const input = Buffer.from(await silence(2000.2).arrayBuffer());
    const decode = ['-v', 'error', '-xerror', '-err_detect', 'explode', '-i', '-', '-f', 's16le', '-'];
    const samples = execFileSync('ffmpeg', decode, { input, maxBuffer: 1 << 26 });
    expect(samples.length / 2 / 8000).toBe(2000.5);
    expect(samples.every((byte) => byte === 0)).toBe(true);
  });
});
