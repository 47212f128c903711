/** Picture subtitles inside a film. The server lists their streams, and the page reads them from the file. */
import type { MediaFile } from '../../../../api/models';
import { t } from '../../../../i18n';
import '../../../../i18n/player';
import { locale } from '../../../../i18n/locale';
import { decide } from '../../../../playback/decode/decision';
import { readDevice } from '../../../../playback/decode/device';
import type { Contents } from '../../../../playback/decode/protocol';
import { browserSupport } from '../../../../playback/decode/supports';
import { languageName } from '../../saved/languages';
import type { PictureTrack } from '../../saved/subtitle-track';
import type { FilmReader } from './film';

/** Codecs of pictures, as FFmpeg names them, with the usual names of their formats. */
const FORMATS: Readonly<Record<string, string>> = {
  hdmv_pgs_subtitle: 'pgs',
  dvd_subtitle: 'vobsub',
  dvb_subtitle: 'dvb',
  xsub: 'xsub',
};

const isPicture = ({ type, codec }: { type: string; codec: string | null }) =>
  type === 'subtitle' && codec !== null && Object.hasOwn(FORMATS, codec);

/** Returns the tracks of the picture streams among `streams`, in order. */
export function pictureTracks(streams: MediaFile['streams']): PictureTrack[] {
  return streams.filter(isPicture).map((stream, picture) => ({
    id: `p${picture}`,
    picture,
    label: labelOf(stream),
    language: stream.language,
    format: FORMATS[stream.codec ?? ''] ?? '',
    formats: [],
    forced: stream.forced,
    default: stream.default,
    hearing_impaired: false,
    embedded: true,
    url: '',
  }));
}

/**
 * Returns the picture tracks that a film can show here: all of them, and those that may be selected without a wish of
 * the user. Decoding the picture only for subtitles needs such a wish.
 */
export function offeredTracks(
  { there, audio }: Pick<FilmReader, 'there' | 'audio'>,
  streams: MediaFile['streams'],
): { all: PictureTrack[]; cheap: PictureTrack[] } {
  const wayOf = (subtitles: boolean) =>
    there ? decide(there.reel, browserSupport(), readDevice(), { audio, subtitles }).way : 'no';
  const way = wayOf(true);
  const all = way === 'transmux' || way === 'decode' ? pictureTracks(streams) : [];
  return { all, cheap: way === 'transmux' || wayOf(false) === way ? all : [] };
}

function labelOf({ language, title, forced }: MediaFile['streams'][number]): string {
  const name = languageName(language, locale());
  const isNamed = title !== null && name !== '' && title.includes(name);
  const parts = isNamed ? [title] : [name, title].filter(Boolean);
  const label = parts.join(' – ') || t('player.subtitles');
  const mark = t('player.forced');
  const isMarked = !forced || /forced/i.test(label) || label.toLowerCase().includes(mark);
  return isMarked ? label : `${label} (${mark})`;
}

/**
 * Returns the number in the file of a picture track; null if the decoder does not find it. The numbers of all streams
 * would differ, because the server leaves some of them out.
 */
export function streamOf({ streams }: Pick<Contents, 'streams'>, picture: number): number | null {
  const stream = streams.filter(isPicture)[picture];
  return stream?.decodable === true ? stream.index : null;
}
