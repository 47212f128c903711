/** Films and recordings in formats that browsers do not play, encoded by ffmpeg. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Seconds of each film and recording. */
export const LENGTH = 40;

export const PICTURE = ['-f', 'lavfi', '-i', `testsrc2=size=320x240:rate=25:duration=${LENGTH}`];
export const SOUND = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${LENGTH}`];
export const AVC = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p'];

export const FILMS = {
  'Tall Mast (2001)/Tall Mast (2001).mkv': [...PICTURE, ...SOUND, ...AVC, '-c:a', 'ac3'],
  'Low Tide (2002)/Low Tide (2002).mpg': [
    ...PICTURE,
    ...SOUND,
    '-c:v',
    'mpeg2video',
    '-c:a',
    'ac3',
    '-f',
    'vob',
  ],
  'Wet Sand (2003)/Wet Sand (2003).avi': [...PICTURE, ...SOUND, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'Plain Sail (2004)/Plain Sail (2004).mp4': [...PICTURE, ...SOUND, ...AVC, '-c:a', 'aac'],
  'Mute Gull (2005)/Mute Gull (2005).avi': [...PICTURE, '-c:v', 'mpeg4'],
  'Grand Pier (2006)/Grand Pier (2006).avi': [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=25:duration=4'],
    ...[
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=440:duration=4',
      '-c:v',
      'mpeg4',
      '-b:v',
      '2M',
      '-c:a',
      'libmp3lame',
    ],
  ],
};

const tagged = (title) => [
  '-metadata',
  `title=${title}`,
  '-metadata',
  'album=Odd Notes',
  '-metadata',
  'artist=Nobody',
];

export const RECORDINGS = {
  'Odd Notes/01 First.m4a': [...SOUND, ...tagged('First'), '-metadata', 'track=1', '-c:a', 'alac'],
  'Odd Notes/02 Second.wma': [...SOUND, ...tagged('Second'), '-metadata', 'track=2', '-c:a', 'wmav2'],
  'Bare Bell/Bare Bell.ac3': [...SOUND, '-c:a', 'ac3'],
  'Known Note/Known Note.mp3': [...SOUND, '-metadata', 'title=Known Note', '-c:a', 'libmp3lame'],
};

/** Returns true if ffmpeg is installed. */
export function hasFfmpeg() {
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes files into a folder. */
export function encode(folder, files) {
  for (const [name, options] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...options, path]);
  }
}
