import { afterAll, expect, test } from 'vitest';
import { Fixtures, picture } from './ffmpeg';
import { pgs } from '../../../tests/browser/media/pgs.mjs';
import { play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

const SRT =
  '1\n00:00:00,500 --> 00:00:01,500\n<i>One</i>\n\n2\n00:00:02,000 --> 00:00:03,000\nTwo, and\na half\n';

test.each(['srt', 'ass', 'webvtt', 'mov_text'])('text of %s arrives as events of ASS', async (codec) => {
  const srt = fixtures.write('text.srt', SRT);
  const name = codec === 'mov_text' ? 'text.mp4' : `${codec}.mkv`;
  const film = [
    ...picture('320x240', 4),
    '-i',
    srt,
    '-c:v',
    'mpeg4',
    '-c:s',
    codec,
    '-metadata:s:s',
    'language=ger',
  ];
  const path = fixtures.make(name, ...film, '-metadata:s:s', 'title=Für "alle"', '-disposition:s', 'forced');
  const played = await play(path, { video: null, subtitles: true });
  const stream = played.contents?.streams.find(({ type }) => type === 'subtitle');
  expect(stream).toMatchObject({ language: 'de', isForced: true, decodable: true });
  if (codec !== 'mov_text') expect(stream?.title).toBe('Für "alle"');
  expect(stream?.header).toContain('[V4+ Styles]');
  expect(played.cues.map(({ start }) => start.toFixed(1))).toEqual(['0.5', '2.0']);
  expect(played.cues.map(({ end }) => end?.toFixed(1))).toEqual(['1.5', '3.0']);
  expect(played.cues[0]?.text).toMatch(/^0,0,Default,.*One/);
  expect(played.cues[1]?.text).toMatch(/Two, and\\Na half/);
  expect(played.cues[0]?.area).toBeNull();
});

test.each(['copy', 'dvdsub', 'dvbsub'])('pictures of PGS (%s) arrive as RGBA', async (codec) => {
  const sup = fixtures.write('text.sup', pgs());
  const path = fixtures.make(`${codec}.mkv`, '-copyts', '-i', sup, '-c:s', codec);
  const played = await play(path, { video: null, subtitles: true });
  const [shown, cleared] = played.cues;
  expect(shown).toMatchObject({ text: null, area: { width: 720, height: 576 } });
  expect(shown?.start).toBeCloseTo(1, 1);
  expect(shown?.pictures[0]).toMatchObject({ x: 100, y: 400, width: 32, height: 16 });
  expect(
    [...new Uint8Array(shown?.pictures[0]?.data ?? new ArrayBuffer(0), 0, 4)].every((byte) => byte > 240),
  ).toBe(true);
  if (codec === 'copy') expect(cleared).toMatchObject({ start: 2, pictures: [] });
});

test('chapters are listed', async () => {
  const meta = ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Kapitel "1"\n';
  const chapters = fixtures.write('chapters.txt', meta);
  const inputs = [...picture('320x240', 3), '-i', chapters, '-map_metadata', '1'];
  const played = await play(fixtures.make('chapters.mkv', ...inputs, '-c:v', 'mpeg4'));
  expect(played.contents?.chapters).toEqual([{ start: 1, title: 'Kapitel "1"' }]);
});
