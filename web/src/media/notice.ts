/** The words for what a browser cannot play. */
import type { MediaFile } from '../api/types';
import { t } from '../i18n';
import type { Trouble } from './watchdog';

/** A codec's name as people know it. */
export function codecName(codec: string | null): string {
  if (codec === null) return t('codec.unknown');
  const names: Record<string, string> = {
    h264: 'H.264',
    hevc: 'HEVC (H.265)',
    av1: 'AV1',
    vp8: 'VP8',
    vp9: 'VP9',
    mpeg4: 'MPEG-4 ASP',
    mpeg2video: 'MPEG-2',
    ac3: 'AC-3',
    eac3: 'E-AC-3',
    dts: 'DTS',
    truehd: 'TrueHD',
    aac: 'AAC',
    alac: 'ALAC',
    mp3: 'MP3',
    opus: 'Opus',
    vorbis: 'Vorbis',
    flac: 'FLAC',
  };
  return names[codec] ?? codec.toUpperCase();
}

export function troubleText(trouble: Trouble, file: MediaFile): string {
  switch (trouble) {
    case 'missing':
      return t('play.missing');
    case 'session':
      return t('login.ended');
    case 'unreachable':
      return t('error.unreachable');
    case 'silence':
      return t('play.silence');
    case 'no-picture':
      return t('play.noPicture', { codec: codecName(file.vcodec) });
    case 'refused':
      return t('play.refused', { format: formatName(file) });
  }
}

/** The file's ending and its codecs, as far as they are known: `AVI, MPEG-4 ASP, MP3`. */
export function formatName(file: MediaFile): string {
  const codecs = [file.vcodec, file.acodec].filter((codec) => codec !== null).map(codecName);
  const extension = file.name.includes('.') ? (file.name.split('.').pop() ?? '').toUpperCase() : '';
  const parts = [extension || (file.container ?? ''), ...codecs].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : t('codec.unknown');
}
