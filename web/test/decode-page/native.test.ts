/** The tables of native formats agree with the server's profiles of the browser and of the decoders. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ACODECS, CONTAINERS, VCODECS } from '../../src/playback/decode/native';

const TABLES = { containers: CONTAINERS, vcodecs: VCODECS, acodecs: ACODECS } as const;
type Table = keyof typeof TABLES;

/** Names that depend on the device or the browser, so that the server's profile cannot contain them. */
const EXTRA: Readonly<Record<Table, readonly string[]>> = {
  containers: ['aiff', 'caf', 'ac3', 'eac3', 'amr'],
  vcodecs: ['hevc'],
  acodecs: [
    ...['ac3', 'eac3', 'alac', 'amr_nb', 'amr_wb'],
    ...['pcm_s8', 'pcm_s16be', 'pcm_s24be', 'pcm_s32be', 'pcm_f32be'],
  ],
};

/** Returns the names of a list in a profile of the server. */
function namesOf(profile: string, list: Table): string[] {
  const path = join(import.meta.dirname, '../../../engines/src', profile);
  const found = new RegExp(`^ {4}${list}: &\\[(.*?)\\]`, 'ms').exec(readFileSync(path, 'utf8'));
  return [...(found?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
}

it.each(Object.keys(TABLES) as Table[])(
  '%s of the page are those of html5.rs, and the known others',
  (list) => {
    const server = namesOf('html5.rs', list);
    expect(server.length).toBeGreaterThan(3);
    expect(Object.keys(TABLES[list]).toSorted()).toEqual([...server, ...EXTRA[list]].toSorted());
  },
);

it.each(Object.keys(TABLES) as Table[])(
  'other %s are asked of the browser, and otherwise decoded',
  (list) => {
    const decoded = namesOf('web_decode.rs', list);
    for (const name of EXTRA[list]) {
      expect(TABLES[list][name], name).toEqual(expect.any(String));
      expect(decoded, name).toContain(name);
    }
  },
);
