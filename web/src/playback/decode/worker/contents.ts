/** Turns the module's description of a file into the contents that the page knows. */
import type { Contents, Stream } from '../protocol';
import { mimeOf, type RawStream } from './mime';

interface RawContents {
  readonly format: string;
  readonly duration: number;
  readonly streams: readonly RawStream[];
  readonly chapters: readonly { readonly start: number; readonly title: string }[];
}

export function contentsOf(json: string): Contents {
  const raw = JSON.parse(json) as RawContents;
  return {
    format: raw.format,
    duration: raw.duration > 0 ? raw.duration : null,
    streams: raw.streams.map((stream) => streamOf(stream, raw.format)),
    chapters: raw.chapters.map(({ start, title }) => ({ start, title })),
  };
}

function streamOf(raw: RawStream, format: string): Stream {
  const { index, type, codec, title, width, height, pixelFormat, rate, sampleRate, channels } = raw;
  return {
    ...{ index, type, codec, title, width, height, pixelFormat, rate, sampleRate, channels },
    mime: mimeOf(raw, format),
    decodable: raw.decodable !== 0,
    language: languageOf(raw.language),
    isDefault: raw.default !== 0,
    isForced: raw.forced !== 0,
    header: raw.header ?? '',
  };
}

/** Returns the tag of BCP 47 of a language of a container, mostly three letters of ISO 639-2. */
export function languageOf(written: string): string {
  try {
    const tag = Intl.getCanonicalLocales(written.replaceAll('_', '-'))[0] ?? '';
    return /^(und|mis|zxx)\b/.test(tag) ? '' : tag;
  } catch {
    return '';
  }
}
