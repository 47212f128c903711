/** Clips for the comparison of pictures: how ffmpeg makes each, and how ffmpeg draws it. */

/** Pictures per second, and seconds of each clip. */
const RATE = 25;
const SECONDS = 3;

/** Pictures with soft edges and few pure colours, as cameras make them: browsers differ in the edges of colours. */
const picture = (size, more = '') => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${size}:rate=${RATE}:duration=${SECONDS},hue=s=0.6,gblur=sigma=2.5${more}`,
];
const SOUND = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${SECONDS}`];
const SIZE = '480x270';

/** Marks of the colours. Encoders write them, and ffmpeg converts by them. */
const colours = (matrix, transfer = matrix, primaries = matrix) => [
  ...['-colorspace', matrix, '-color_trc', transfer, '-color_primaries', primaries],
];
const HD = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv', ...colours('bt709')];
const FULL = ['-vf', 'scale=out_color_matrix=bt709:out_range=pc', '-color_range', 'pc', ...colours('bt709')];

const x264 = (format, ...more) => ['-c:v', 'libx264', '-crf', '12', '-pix_fmt', format, ...more];
const x265 = (format, ...more) => [
  ...['-c:v', 'libx265', '-crf', '12', '-x265-params', 'log-level=none', '-pix_fmt', format, ...more],
];
const AC3 = ['-c:a', 'ac3'];
const AAC = ['-c:a', 'aac'];
const MPEG2 = ['-c:v', 'mpeg2video', '-q:v', '2', '-pix_fmt', 'yuv420p'];

/** The encoder of ProRes writes no marks by itself. */
const prores = (matrix, transfer = matrix, primaries = matrix) =>
  `prores_metadata=colorspace=${matrix}:color_trc=${transfer}:color_primaries=${primaries}`;

/** Converts SDR pictures to light as BT.2390 expects it: PQ or HLG, in BT.2020. */
const toHdr = (transfer) =>
  `,format=gbrp16le,zscale=p=2020:t=${transfer}:m=2020_ncl:r=tv:pin=709:tin=709:min=gbr:npl=400`;

/** Fast pictures, twice as many as the interlaced film has. Each field of the film is one of them. */
const MOVING = [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=720x576:rate=${2 * RATE}:duration=${SECONDS},hue=s=0.6,scroll=horizontal=0.01,gblur=sigma=2.5`,
];

/** An interlaced film, whose first field is at the top or at the bottom. */
const interlaced = (first) => ({
  file: `${first}.ts`,
  original: MOVING,
  make: [
    ...MOVING,
    ...SOUND,
    '-vf',
    `scale=out_color_matrix=smpte170m,tinterlace=mode=interleave_${first},setsar=16/15`,
    ...MPEG2,
    ...['-flags', '+ilme+ildct', '-top', first === 'top' ? '1' : '0'],
    ...colours('smpte170m'),
    ...['-c:a', 'mp2'],
  ],
});

/** Positions in the first and in the second field of a picture, and just before them. */
const FIRST_FIELD = { position: 1 + 0.25 / RATE, before: 1 - 0.25 / RATE };
const SECOND_FIELD = { position: 1 + 0.75 / RATE, before: 1 + 0.25 / RATE };

/** Fields of interlaced films. The page shows each as a picture of its own. */
export const FIELDS = [
  { name: 'MPEG-2, first field at the top', ...interlaced('top'), ...FIRST_FIELD },
  { name: 'MPEG-2, second field at the bottom', ...interlaced('top'), ...SECOND_FIELD },
  { name: 'MPEG-2, first field at the bottom', ...interlaced('bottom'), ...FIRST_FIELD },
  { name: 'MPEG-2, second field at the top', ...interlaced('bottom'), ...SECOND_FIELD },
];

/**
 * `make` are ffmpeg's options, `draw` is a filter before the conversion to RGB, and `tone` is the curve of a film with
 * more light than the screen. With `original`, the picture is compared with that before it was encoded.
 */
export const CLIPS = [
  {
    name: 'H.264, 4:2:0',
    file: 'plain.mp4',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x264('yuv420p'), ...AAC],
  },
  {
    name: 'H.264, full range',
    file: 'range.mkv',
    make: [...picture(SIZE), ...SOUND, ...FULL, ...x264('yuvj420p'), ...AC3],
  },
  {
    name: 'H.264, 10 bit',
    file: 'ten.mkv',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x264('yuv420p10le'), ...AC3],
  },
  {
    name: 'H.264, 4:2:2',
    file: 'wide.mkv',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x264('yuv422p'), ...AC3],
  },
  {
    name: 'H.264, turned by 90°',
    file: 'turned.mp4',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x264('yuv420p'), ...AAC, '-metadata:s:v:0', 'rotate=90'],
  },
  {
    name: 'HEVC, 8 bit',
    file: 'hevc.mkv',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x265('yuv420p'), ...AC3],
  },
  {
    name: 'HEVC, 10 bit',
    file: 'hevc10.mkv',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x265('yuv420p10le'), ...AC3],
  },
  {
    name: 'HEVC, 10 bit, 4:2:2',
    file: 'hevc422.mkv',
    make: [...picture(SIZE), ...SOUND, ...HD, ...x265('yuv422p10le'), ...AC3],
  },
  {
    name: 'HEVC, PQ',
    file: 'pq.mkv',
    tone: 'pq',
    make: [
      ...picture(SIZE, toHdr('smpte2084')),
      ...SOUND,
      ...x265('yuv420p10le'),
      ...colours('bt2020nc', 'smpte2084', 'bt2020'),
      ...AC3,
    ],
  },
  {
    name: 'ProRes 4:2:2, PQ',
    file: 'pq.mov',
    tone: 'pq',
    make: [
      ...picture(SIZE, toHdr('smpte2084')),
      ...SOUND,
      '-c:v',
      'prores_ks',
      '-profile:v',
      '3',
      '-pix_fmt',
      'yuv422p10le',
      ...colours('bt2020nc', 'smpte2084', 'bt2020'),
      '-bsf:v',
      prores('bt2020nc', 'smpte2084', 'bt2020'),
      '-c:a',
      'pcm_s16le',
    ],
  },
  {
    name: 'ProRes 4:2:2',
    file: 'prores.mov',
    make: [
      ...picture(SIZE),
      ...SOUND,
      ...HD,
      '-c:v',
      'prores_ks',
      '-profile:v',
      '3',
      '-pix_fmt',
      'yuv422p10le',
      '-bsf:v',
      prores('bt709'),
      '-c:a',
      'pcm_s16le',
    ],
  },
  {
    name: 'ProRes 4444',
    file: 'prores4.mov',
    make: [
      ...picture(SIZE),
      ...SOUND,
      ...HD,
      '-c:v',
      'prores_ks',
      '-profile:v',
      '4',
      '-pix_fmt',
      'yuv444p10le',
      '-bsf:v',
      prores('bt709'),
      '-c:a',
      'pcm_s16le',
    ],
  },
  ...FIELDS,
  {
    name: 'MPEG-2, anamorphic PAL',
    file: 'pal.mpg',
    make: [
      ...picture('720x576'),
      ...SOUND,
      '-vf',
      'scale=out_color_matrix=smpte170m,setsar=64/45',
      ...MPEG2,
      ...colours('bt470bg', 'gamma28', 'bt470bg'),
      '-f',
      'vob',
      ...AC3,
    ],
  },
  {
    name: 'MPEG-4 ASP',
    file: 'asp.avi',
    make: [...picture(SIZE), ...SOUND, '-c:v', 'mpeg4', '-q:v', '2', '-c:a', 'libmp3lame'],
  },
  {
    name: 'MPEG-4 ASP, turned by 270°',
    file: 'turned.mov',
    make: [...picture(SIZE), ...SOUND, '-c:v', 'mpeg4', '-q:v', '2', ...AAC, '-metadata:s:v:0', 'rotate=270'],
  },
  {
    name: 'WMV',
    file: 'wmv.wmv',
    make: [...picture(SIZE), ...SOUND, '-c:v', 'wmv2', '-b:v', '6M', '-c:a', 'wmav2'],
  },
  {
    name: 'Theora',
    file: 'theora.ogv',
    make: [...picture(SIZE), ...SOUND, '-c:v', 'libtheora', '-q:v', '10', '-c:a', 'libvorbis'],
  },
  {
    name: 'Motion JPEG',
    file: 'mjpeg.avi',
    make: [
      ...picture(SIZE),
      ...SOUND,
      '-c:v',
      'mjpeg',
      '-q:v',
      '2',
      '-pix_fmt',
      'yuvj422p',
      '-c:a',
      'pcm_s16le',
    ],
  },
  {
    name: 'VP9',
    file: 'vp9.webm',
    make: [
      ...picture(SIZE),
      ...SOUND,
      ...HD,
      '-c:v',
      'libvpx-vp9',
      '-crf',
      '12',
      '-b:v',
      '0',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libopus',
    ],
  },
  {
    name: 'FFV1, RGB',
    file: 'rgb.mkv',
    make: [...picture(SIZE), ...SOUND, '-c:v', 'ffv1', '-pix_fmt', 'bgr0', ...AC3],
  },
  {
    name: 'Sorenson',
    file: 'flv.flv',
    make: [...picture('352x288'), ...SOUND, '-c:v', 'flv', '-q:v', '2', '-ar', '44100', '-c:a', 'libmp3lame'],
  },
];

/** Position whose picture is compared: in the middle of one. */
export const POSITION = 1 + 0.5 / RATE;
/** A position just before that picture, for ffmpeg, which returns the next one. */
export const BEFORE = 1 - 0.25 / RATE;
