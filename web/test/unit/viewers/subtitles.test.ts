import { describe, expect, it } from 'vitest';
import type { Subtitles } from '../../../src/api/models';
import {
  styledUrl,
  defaultSubtitles,
  preferredSubtitles,
} from '../../../src/viewers/video/subtitles/subtitle-choice';

function track(id: string, more: Partial<Subtitles>): Subtitles {
  const defaultSubtitles = {
    label: id,
    language: null,
    format: 'srt',
    formats: ['vtt'],
    forced: false,
    default: false,
  };
  return { id, ...defaultSubtitles, hearing_impaired: false, embedded: false, url: `/${id}.vtt`, ...more };
}

it('forced subtitles of the user’s language are shown', () => {
  const tracks = [
    track('full', { language: 'de' }),
    track('french', { language: 'fr', forced: true }),
    track('german', { language: 'deu', forced: true }),
  ];
  expect(defaultSubtitles(tracks, ['de-AT', 'en'])?.id).toBe('german');
  expect(defaultSubtitles(tracks, ['en'])).toBeNull();
});

it('complete subtitles in a language of the user are shown for a film in another one', () => {
  const tracks = [
    track('sdh', { language: 'de', hearing_impaired: true }),
    track('german', { language: 'deu' }),
    track('english', { language: 'en', default: true }),
  ];
  expect(defaultSubtitles(tracks, ['de', 'en'], 'jpn')?.id).toBe('german');
  expect(defaultSubtitles(tracks, ['de', 'en'], 'en')?.id).toBe('english');
  expect(defaultSubtitles(tracks, ['de'], null)?.id).toBe('english');
});

it('subtitles named as forced are shown, and not merely the first stream', () => {
  const named = track('named', { default: true });
  const stream = track('stream', { default: true, embedded: true });
  expect(defaultSubtitles([stream, named], ['en'])?.id).toBe('named');
  expect(defaultSubtitles([stream], ['en'])).toBeNull();
});

describe('selected subtitles', () => {
  const track = (id: string, language: string | null, more: Partial<Subtitles> = {}) =>
    ({
      id,
      label: id,
      language,
      format: 'vtt',
      formats: ['vtt'],
      forced: false,
      default: false,
      hearing_impaired: false,
      embedded: false,
      url: '',
      ...more,
    }) satisfies Subtitles;
  const tracks = [track('English', 'en'), track('Deutsch', 'de'), track('Deutsch (SDH)', 'deu')];

  it('are selected for the next episode', () => {
    const wish = { language: 'de', forced: false, label: 'Deutsch (SDH)' };
    expect(preferredSubtitles(tracks, wish, ['en'])?.id).toBe('Deutsch (SDH)');
    expect(preferredSubtitles(tracks.slice(0, 2), wish, ['en'])?.id).toBe('Deutsch');
  });

  it('stay off if they were off, even if a stream is the default', () => {
    const meant = [track('English', 'en', { default: true })];
    expect(preferredSubtitles(meant, null, ['en'])?.id).toBe('English');
    expect(preferredSubtitles(meant, 'none', ['en'])).toBeNull();
  });

  it('are the default ones if the next episode lacks them', () => {
    const wish = { language: 'fr', forced: false, label: 'Français' };
    expect(preferredSubtitles([track('English', 'en', { default: true })], wish, ['en'])?.id).toBe('English');
  });
});

it('the styles of a track are found by its formats', () => {
  expect(styledUrl(track('a.vtt.e3', { formats: ['vtt', 'ass'] }))).toBe('/a.vtt.e3.ass');
  expect(styledUrl(track('plain', {}))).toBeNull();
});
