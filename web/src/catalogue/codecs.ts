/** Display names of codecs and formats. */
import type { MediaFile } from '../api/models';
import { t } from '../i18n';

const names: Readonly<Record<string, string>> = {
  h264: 'H.264',
  hevc: 'HEVC (H.265)',
  mpeg4: 'MPEG-4 ASP',
  mpeg2video: 'MPEG-2',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  truehd: 'TrueHD',
  opus: 'Opus',
  vorbis: 'Vorbis',
  wavpack: 'WavPack',
  wmav1: 'WMA',
  wmav2: 'WMA',
  theora: 'Theora',
};

/** Returns the display name of a codec. */
export function codecName(codec: string | null): string {
  if (codec === null) return t('codec.unknown');
  if (codec.startsWith('pcm_')) return 'PCM';
  return (Object.hasOwn(names, codec) ? names[codec] : undefined) ?? codec.toUpperCase();
}

/** Returns the extension of a file and its known codecs: `AVI, MPEG-4 ASP, MP3`. */
export function formatName(file: Pick<MediaFile, 'name' | 'container' | 'vcodec' | 'acodec'>): string {
  const codecs = [file.vcodec, file.acodec].filter((codec) => codec !== null).map(codecName);
  const extension = file.name.includes('.') ? (file.name.split('.').pop() ?? '').toUpperCase() : '';
  const parts = [extension || (file.container ?? ''), ...codecs].filter((part) => part !== '');
  // Some extensions are the name of the codec.
  const names = parts.filter((part, at) => at === 0 || part.toUpperCase() !== parts[0]);
  return names.length > 0 ? names.join(', ') : t('codec.unknown');
}
