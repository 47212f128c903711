import { describe, expect, it } from 'vitest';
import type { Subtitles } from '../../src/api/types';
import { styledUrl, usual, wished } from '../../src/viewers/video/subtitles';

function track(id: string, more: Partial<Subtitles>): Subtitles {
  const usual = { label: id, language: null, format: 'srt', formats: ['vtt'], forced: false, default: false };
  return { id, ...usual, hearing_impaired: false, embedded: false, url: `/${id}.vtt`, ...more };
}

it('shows forced subtitles of a language that is read here', () => {
  const tracks = [
    track('full', { language: 'de' }),
    track('french', { language: 'fr', forced: true }),
    track('german', { language: 'deu', forced: true }),
  ];
  expect(usual(tracks, ['de-AT', 'en'])?.id).toBe('german');
  expect(usual(tracks, ['en'])).toBeNull();
});

it('shows those whose name says so, and no stream that is only the first', () => {
  const named = track('named', { default: true });
  const stream = track('stream', { default: true, embedded: true });
  expect(usual([stream, named], ['en'])?.id).toBe('named');
  expect(usual([stream], ['en'])).toBeNull();
});

describe('subtitles that were chosen before', () => {
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

  it('are chosen for the next episode', () => {
    const wish = { language: 'de', forced: false, label: 'Deutsch (SDH)' };
    expect(wished(tracks, wish, ['en'])?.id).toBe('Deutsch (SDH)');
    expect(wished(tracks.slice(0, 2), wish, ['en'])?.id).toBe('Deutsch');
  });

  it('are none where none were wanted, though some say they are meant to be shown', () => {
    const meant = [track('English', 'en', { default: true })];
    expect(wished(meant, null, ['en'])?.id).toBe('English');
    expect(wished(meant, 'none', ['en'])).toBeNull();
  });

  it('are the usual ones where the next episode lacks them', () => {
    const wish = { language: 'fr', forced: false, label: 'Français' };
    expect(wished([track('English', 'en', { default: true })], wish, ['en'])?.id).toBe('English');
  });
});

it('finds the styles of a track where its formats tell of them', () => {
  expect(styledUrl(track('a.vtt.e3', { formats: ['vtt', 'ass'] }))).toBe('/a.vtt.e3.ass');
  expect(styledUrl(track('plain', {}))).toBeNull();
});
