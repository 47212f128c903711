import { expect, it } from 'vitest';
import { AudioSelection } from '../../../src/viewers/video/player/audio-selection.svelte';
import type { FilmSettings } from '../../../src/viewers/video/saved/settings';
import { FilmAudio } from '../../../src/viewers/video/player/film-audio.svelte';

const stream = (type: string, language: string | null, title: string | null = null) => ({
  type,
  language,
  title,
  codec: null,
  default: false,
  forced: false,
});

it('offers the audio tracks by their number among the audio tracks', () => {
  const chosen: number[] = [];
  const film = { audio: 0, chooseAudio: (track: number) => chosen.push(track), keepsPicture: () => true };
  const streams = [
    stream('video', null),
    stream('audio', 'de'),
    stream('subtitle', 'en'),
    stream('audio', 'en', 'Comments'),
  ];
  const audio = new FilmAudio(film, streams);
  expect(audio.list).toEqual([
    { id: '0', label: '', language: 'de' },
    { id: '1', label: 'Comments', language: 'en' },
  ]);
  audio.choose('0');
  expect(chosen).toEqual([]);
  audio.choose('1');
  expect(chosen).toEqual([1]);
});

it.each([true, false])(
  'selects a language by itself only if the picture is not decoded for it: %s',
  (keepsPicture) => {
    const chosen: number[] = [];
    const film = {
      audio: 0,
      chooseAudio: (track: number) => chosen.push(track),
      keepsPicture: () => keepsPicture,
    };
    const selection = new AudioSelection({ audio: null } as FilmSettings);
    selection.offer(new FilmAudio(film, [stream('audio', 'en'), stream('audio', 'de')]));
    selection.select(['de']);
    expect(chosen).toEqual(keepsPicture ? [1] : []);
  },
);
