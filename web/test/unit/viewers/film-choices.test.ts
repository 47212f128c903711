/** The choices of the video player: skipped chapters, audio tracks, remembered settings, the search in subtitles. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Subtitles } from '../../../src/api/models';
import { preferredAudio } from '../../../src/viewers/video/player/audio-tracks';
import { segmentOf } from '../../../src/viewers/video/player/segments';
import { FilmSettings, PLAIN_STYLE } from '../../../src/viewers/video/saved/settings';
import { parseVtt, search } from '../../../src/viewers/video/subtitles/vtt';

describe('the name of a chapter', () => {
  it.each([
    ['Intro', 'intro'],
    ['OP', 'intro'],
    ['Opening Credits', 'intro'],
    ['Main Titles', 'intro'],
    ['Vorspann', 'intro'],
    ['Générique de début', 'intro'],
    ['Chapter 2: Intro', 'intro'],
    ['Recap', 'recap'],
    ['Previously on Farpoint', 'recap'],
    ['Was bisher geschah …', 'recap'],
    ['Rückblick', 'recap'],
    ['End Credits', 'credits'],
    ['08 - Credits', 'credits'],
    ['Kapitel 12 Abspann', 'credits'],
    ['ED', 'credits'],
    ['Credits 2', 'credits'],
    ['Preview', 'preview'],
    ['In der nächsten Folge', 'preview'],
  ])('%s is skipped as %s', (title, segment) => expect(segmentOf(title)).toBe(segment));

  it.each([
    '',
    'Chapter 1',
    '12',
    'Opening night',
    'The credits of war',
    'Introduction',
    'Operation',
    'Edna',
    'Titles of honour',
  ])('%s is that of a scene', (title) => expect(segmentOf(title)).toBeNull());
});

describe('the audio track at the start', () => {
  const track = (id: string, language: string | null, label = '') => ({ id, language, label });
  const tracks = [
    track('1', 'nor', 'Original'),
    track('2', 'en'),
    track('3', 'en', 'Commentary'),
    track('4', 'de'),
  ];

  it('is the one chosen for the show, or one in its language', () => {
    const choice = { language: 'en', label: 'Commentary' };
    expect(preferredAudio(tracks, choice, ['de'], '1')?.id).toBe('3');
    expect(preferredAudio(tracks.slice(0, 2), choice, ['de'], '1')?.id).toBe('2');
    expect(preferredAudio(tracks.slice(0, 1), choice, ['de'], '1')).toBeNull();
  });

  it('is in the first language of the user that the film has', () => {
    expect(preferredAudio(tracks, null, ['fr', 'de-AT', 'en'], '1')?.id).toBe('4');
    expect(preferredAudio(tracks, null, ['fr'], '1')).toBeNull();
  });

  it('stays that of the file where the user speaks its language', () => {
    expect(preferredAudio(tracks, null, ['en', 'no'], '1')).toBeNull();
    expect(preferredAudio(tracks, null, ['en', 'de'], '4')).toBeNull();
  });
});

describe('remembered settings', () => {
  const shelf = new Map<string, string>();
  beforeEach(() => {
    shelf.clear();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => shelf.get(name) ?? null,
      setItem: (name: string, value: string) => void shelf.set(name, value),
    });
  });
  const english = { language: 'en', forced: false, label: 'English' } as Subtitles;

  it('are those of a show, and of a user', () => {
    const mine = new FilmSettings(1, 7);
    mine.speed = 1.5;
    mine.delay = -0.4;
    mine.audio = { language: 'de', label: '' };
    const again = new FilmSettings(1, 7);
    expect([again.speed, again.delay, again.audio?.language]).toEqual([1.5, -0.4, 'de']);
    for (const other of [new FilmSettings(1, 8), new FilmSettings(2, 7)])
      expect([other.speed, other.delay, other.audio]).toEqual([1, 0, null]);
  });

  it('of earlier versions apply until the user chooses others', () => {
    localStorage.setItem('ledge.film', JSON.stringify({ item: 7, speed: 2, subtitles: 'none' }));
    expect(new FilmSettings(1, 7).subtitles).toBe('none');
    new FilmSettings(1, 7).chooseSubtitles(english);
    expect(new FilmSettings(1, 8).subtitles).toEqual(english);
    expect(new FilmSettings(2, 7).subtitles).toBe('none');
  });

  it('of subtitles apply to a show without a choice, too', () => {
    new FilmSettings(1, 7).chooseSubtitles(null);
    new FilmSettings(1, 8).chooseSubtitles(english);
    expect(new FilmSettings(1, 7).subtitles).toBe('none');
    expect(new FilmSettings(1, 9).subtitles).toEqual(english);
    expect(new FilmSettings(2, 9).subtitles).toBeNull();
  });

  it('of the latest 200 shows are kept', () => {
    for (let show = 1; show <= 201; show += 1) new FilmSettings(1, show).speed = 2;
    expect([new FilmSettings(1, 1).speed, new FilmSettings(1, 2).speed]).toEqual([1, 2]);
  });

  it('are the usual ones where the stored ones are invalid', () => {
    for (const text of [
      '{',
      'null',
      '[]',
      '{"shows":5,"style":"big"}',
      '{"shows":[[7]],"style":{"size":"vast"}}',
    ]) {
      shelf.set('ledge.film.1', text);
      const { speed, delay, style, subtitles, audio } = new FilmSettings(1, 7);
      expect([speed, delay, style, subtitles, audio]).toEqual([1, 0, PLAIN_STYLE, null, null]);
    }
  });
});

describe('the search in subtitles', () => {
  const source = [
    'WEBVTT',
    'NOTE the times of a note are no cue\n00:09.000 --> 00:10.000',
    '1\n00:01.500 --> 00:03.000 line:10%\n<i>Où est</i> la gare &amp; le\ntrain?',
    '01:00:02.000 --> 01:00:04.000\nThe train leaves.',
    '00:05.000 --> 00:06.000\n',
  ].join('\r\n\r\n');

  it('reads times and texts without markup', () => {
    expect(parseVtt(source)).toEqual([
      { start: 1.5, end: 3, text: 'Où est la gare & le train?' },
      { start: 3602, end: 3604, text: 'The train leaves.' },
    ]);
  });

  it('finds all words, whatever their accents and case', () => {
    const cues = parseVtt(source);
    expect(search(cues, 'TRAIN').length).toBe(2);
    expect(search(cues, 'gare ou').map((cue) => cue.start)).toEqual([1.5]);
    expect(search(cues, 'train bus')).toEqual([]);
    expect(search(cues, '  ')).toEqual([]);
  });
});
