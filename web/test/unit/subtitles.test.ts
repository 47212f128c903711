import { expect, it } from 'vitest';
import type { Subtitles } from '../../src/api/types';
import { usual } from '../../src/viewers/video/subtitles';

function track(id: string, more: Partial<Subtitles>): Subtitles {
  const usual = { label: id, language: null, format: 'srt', forced: false, default: false };
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
