import { afterAll, expect, test } from 'vitest';
import { packed, psnr, ssim } from './compare';
import { Fixtures, frames, picture } from './ffmpeg';
import { play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** Pictures that are compared. */
const COUNT = 10;

/** Name, format of pixels as the page receives it, and options of the encoder. */
const FILMS: [string, string, ...string[]][] = [
  ['mpeg1.mpg', 'yuv420p', '-c:v', 'mpeg1video'],
  ['mpeg2.vob', 'yuv420p', '-c:v', 'mpeg2video', '-bf', '2'],
  ['mpeg2.ts', 'yuv420p', '-c:v', 'mpeg2video'],
  ['asp.avi', 'yuv420p', '-c:v', 'mpeg4', '-bf', '2'],
  ['msmpeg.avi', 'yuv420p', '-c:v', 'msmpeg4v2'],
  ['wmv.wmv', 'yuv420p', '-c:v', 'wmv2'],
  ['h263.3gp', 'yuv420p', '-s', '352x288', '-c:v', 'h263'],
  ['avc.mkv', 'yuv420p', '-c:v', 'libx264'],
  ['avc.avi', 'yuv420p', '-c:v', 'libx264'],
  ['high10.mkv', 'yuv420p10le', '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le'],
  ['high444.mkv', 'yuv444p', '-c:v', 'libx264', '-pix_fmt', 'yuv444p'],
  ['hevc.mp4', 'yuv420p', '-c:v', 'libx265', '-x265-params', 'log-level=none'],
  ['vp8.webm', 'yuv420p', '-c:v', 'libvpx', '-deadline', 'realtime'],
  ['vp9.webm', 'yuv420p', '-c:v', 'libvpx-vp9', '-deadline', 'realtime'],
  ['theora.ogv', 'yuv420p', '-c:v', 'libtheora'],
  ['prores.mov', 'yuv422p10le', '-c:v', 'prores'],
  ['dnxhd.mov', 'yuv422p', '-s', '1280x720', '-pix_fmt', 'yuv422p', '-c:v', 'dnxhd', '-b:v', '90M'],
  ['mjpeg.avi', 'yuvj420p', '-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg'],
  ['ffv1.mkv', 'yuv420p', '-c:v', 'ffv1'],
  ['huffyuv.avi', 'yuv422p', '-c:v', 'huffyuv'],
  ['flash.flv', 'yuv420p', '-c:v', 'flv'],
  ['raw.avi', 'yuv422p', '-c:v', 'rawvideo', '-pix_fmt', 'yuyv422'],
  ['nv12.nut', 'yuv420p', '-c:v', 'rawvideo', '-pix_fmt', 'nv12'],
  ['gray.nut', 'gray', '-c:v', 'rawvideo', '-pix_fmt', 'gray'],
  ['yuv410.nut', 'yuv410p', '-c:v', 'rawvideo', '-pix_fmt', 'yuv410p'],
  ['rgb24.nut', 'rgba', '-c:v', 'rawvideo', '-pix_fmt', 'rgb24'],
  ['rgb555.avi', 'rgba', '-c:v', 'rawvideo', '-pix_fmt', 'rgb555le'],
  [
    'pal8.avi',
    'rgba',
    '-filter_complex',
    'split[a][b];[a]palettegen[p];[b][p]paletteuse',
    '-c:v',
    'rawvideo',
    '-pix_fmt',
    'pal8',
  ],
  ['qtrle.mov', 'rgba', '-c:v', 'qtrle'],
  ['png.mov', 'rgba', '-c:v', 'png'],
  ['mono.nut', 'rgba', '-c:v', 'rawvideo', '-pix_fmt', 'monow'],
];

test.each(FILMS)('%s decodes as in ffmpeg', async (name, format, ...options) => {
  const path = fixtures.make(name, ...picture('320x240', 1), ...options);
  const played = await play(path, { audio: null, clock: 0 });
  expect(played.failure).toBeNull();
  expect(played.pictures.length).toBeGreaterThanOrEqual(COUNT);
  const theirs = frames(path, format, COUNT);
  const [first] = played.pictures;
  const { width = 0, height = 0 } = first ?? {};
  expect(first?.layout).toBe(format === 'rgba' ? 'rgba' : 'planar');
  const size = theirs.length / COUNT;
  for (const [index, one] of played.pictures.slice(0, COUNT).entries()) {
    const ours = packed(one);
    const their = theirs.subarray(index * size, (index + 1) * size);
    expect(psnr(ours, their)).toBeGreaterThan(38);
    if (one.depth === 8) expect(ssim(ours, their, width, height)).toBeGreaterThan(0.98);
  }
});
