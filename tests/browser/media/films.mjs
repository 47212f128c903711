/** Films that a browser plays, and films with unsupported codecs. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const media = fileURLToPath(new URL('../../fixtures/media/', import.meta.url));

/** Writes them into a folder: VP9 with subtitles, HEVC, AVI, and one with AC-3 sound. */
export async function putFilms(shelf) {
  const put = async (title, from) => {
    const folder = join(shelf, title);
    await mkdir(folder, { recursive: true });
    await cp(join(media, from), join(folder, `${title}.${from.split('.').pop()}`));
    return folder;
  };
  const zoom = await put('Deep Zoom (2019)', 'deep-zoom.webm');
  await writeFile(
    join(zoom, 'Deep Zoom (2019).en.srt'),
    '1\r\n00:00:00,000 --> 00:00:12,000\r\nDeeper and deeper.\r\n',
  );
  await put('Northern Glass (2018)', 'northern-glass.mkv');
  await put('Boats of Paper (2017)', 'paper-boats.avi');
  // The same film with the codec name of an unsupported sound track.
  const harbour = await readFile(join(media, 'harbour-light.mp4'));
  const entry = harbour.indexOf('mp4a', harbour.indexOf('stsd', harbour.indexOf('soun')));
  harbour.write('ac-3', entry, 'latin1');
  harbour.write('free', harbour.indexOf('esds', entry), 'latin1'); // invalid signature
  await mkdir(join(shelf, 'Harbour Light (2016)'), { recursive: true });
  await writeFile(join(shelf, 'Harbour Light (2016)', 'Harbour Light (2016).mp4'), harbour);
}
