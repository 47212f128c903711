/** Plays a corpus of real files: `LEDGE_TEST_CORPUS=FOLDER npx vitest run test/decode/corpus.test.ts`. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { play, type Build, type Played } from './play';

const corpus = process.env.LEDGE_TEST_CORPUS;

/** Seconds of each file that are played. */
const SECONDS = 3;

/** Share of the streams that ffmpeg decodes which have to decode here. */
const SHARE = 0.97;

const MEDIA =
  /\.(3g2|3gp|aac|ac3|aif|aiff|amr|ape|asf|avi|caf|dff|dsf|dts|eac3|ec3|flac|flv|m2ts|m4a|m4b|m4v|mka|mkv|mov|mp[234cg]|mp4v|mpc|mpg|mpeg|oga|ogg|ogv|opus|ra|rm|rmvb|spx|tak|thd|ts|tta|vob|wav|webm|wma|wmv|wv)$/i;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && MEDIA.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns the kinds of streams that ffmpeg decodes without a result of nothing. */
function decodable(path: string): Set<'audio' | 'video'> {
  const kinds = (['audio', 'video'] as const).filter((kind) => {
    const map = kind === 'audio' ? '0:a:0' : '0:V:0';
    const options = ['-v', 'quiet', '-nostdin', '-i', path, '-map', map, '-t', '1', '-f', 'md5', '-'];
    try {
      const sum = execFileSync('ffmpeg', options, { encoding: 'utf8', timeout: 60_000 });
      return !sum.includes('d41d8cd98f00b204e9800998ecf8427e');
    } catch {
      return false;
    }
  });
  return new Set(kinds);
}

function hasSound(played: Played): boolean {
  // The header of a lane alone has no sound.
  return (played.lanes.get('audio')?.bytes.length ?? 0) > 1;
}

function hasPicture(played: Played): boolean {
  return played.pictures.length > 0 || (played.lanes.get('video')?.bytes.length ?? 0) > 1;
}

test.skipIf(!corpus).each([
  ['audio', 'sound'],
  ['audio', 'full'],
  ['video', 'full'],
] as [string, Build][])(
  'files below %s play with the build %s',
  async (folder, build) => {
    let expected = 0;
    const failures: string[] = [];
    for (const path of filesBelow(join(corpus ?? '', folder))) {
      const kinds = decodable(path);
      const played = await play(path, { build, seconds: SECONDS });
      const seen = { audio: hasSound(played), video: hasPicture(played) };
      for (const kind of kinds) {
        if (folder === 'audio' && kind === 'video') continue;
        expected += 1;
        const codecs = played.contents?.streams.map(({ codec }) => codec).join('+') ?? '';
        const reason = `${played.failure?.reason ?? ''} ${played.failure?.detail ?? ''}`;
        if (!seen[kind]) failures.push(`${relative(corpus ?? '', path)}: no ${kind} (${codecs}) ${reason}`);
      }
    }
    console.log(
      `${folder}, ${build}: ${expected - failures.length} of ${expected} streams\n${failures.join('\n')}`,
    );
    expect(expected).toBeGreaterThan(0);
    expect(failures.length).toBeLessThanOrEqual(expected * (1 - SHARE));
  },
  1_200_000,
);
