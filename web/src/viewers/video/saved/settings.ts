/** Playback settings of films on this device, for one user. Choices for a show apply to its other episodes. */
import type { Subtitles } from '../../../api/models';
import { storage } from '../../../lib/env';
import { SPEEDS as SOUND_SPEEDS } from '../../../playback/settings.svelte';
import { isPicture, type SubtitleTrack } from './subtitle-track';

export const SPEEDS: readonly number[] = [0.5, ...SOUND_SPEEDS];

/** The chosen subtitles: none, or a similar track. Null without a choice. */
export type SubtitleChoice =
  'none' | (Pick<Subtitles, 'language' | 'forced' | 'label'> & { picture?: true }) | null;
/** The chosen audio track, or a similar one. */
export interface AudioChoice {
  language: string | null;
  label: string;
}

export const SIZES = ['small', 'medium', 'large', 'huge'] as const;
export const COLOURS = ['white', 'yellow', 'green', 'blue', 'grey'] as const;
export const BACKGROUNDS = ['none', 'shade', 'solid'] as const;
export const POSITIONS = ['top', 'raised', 'bottom'] as const;
export const EDGES = ['none', 'shadow', 'outline'] as const;

export interface SubtitleStyle {
  size: (typeof SIZES)[number];
  colour: (typeof COLOURS)[number];
  background: (typeof BACKGROUNDS)[number];
  position: (typeof POSITIONS)[number];
  edge: (typeof EDGES)[number];
}

export const PLAIN_STYLE: SubtitleStyle = {
  size: 'medium',
  colour: 'white',
  background: 'shade',
  position: 'bottom',
  edge: 'none',
};

/** The choices for one show. */
interface ShowChoices {
  speed: number;
  subtitles: SubtitleChoice;
  second: SubtitleChoice;
  audio: AudioChoice | null;
  /** Seconds by which the subtitles are shown later. */
  delay: number;
}

interface Saved {
  /** The latest shows with choices, oldest first. */
  shows: [number, Partial<ShowChoices>][];
  /** The latest choice of any show. */
  subtitles: SubtitleChoice;
  style: Partial<SubtitleStyle>;
}

/** Earlier versions had one entry for all users. Its subtitles apply until a user chooses others. */
const OLD_NAME = 'film';
/** Number of shows whose choices are kept. */
const KEPT = 200;
const FARTHEST_DELAY = 3600;

export class FilmSettings {
  readonly #name: string;

  constructor(
    user: number,
    private readonly show: number,
  ) {
    this.#name = `film.${user}`;
  }

  get speed(): number {
    return SPEEDS.find((one) => one === this.#choices.speed) ?? 1;
  }
  set speed(speed: number) {
    this.#choose({ speed });
  }

  /** The choice for this show; otherwise the latest choice for any show. */
  get subtitles(): SubtitleChoice {
    return choiceOf(this.#choices.subtitles) ?? choiceOf(this.#read().subtitles);
  }
  get second(): SubtitleChoice {
    return choiceOf(this.#choices.second);
  }
  get audio(): AudioChoice | null {
    const { audio } = this.#choices;
    return typeof audio === 'object' && typeof audio?.label === 'string' ? audio : null;
  }
  set audio(audio: AudioChoice | null) {
    this.#choose({ audio });
  }

  get delay(): number {
    const { delay } = this.#choices;
    return typeof delay === 'number' && Math.abs(delay) <= FARTHEST_DELAY ? delay : 0;
  }
  set delay(delay: number) {
    this.#choose({ delay });
  }

  get style(): SubtitleStyle {
    const { style } = this.#read();
    const one = <T extends string>(known: readonly T[], value: unknown, usual: T): T =>
      known.find((name) => name === value) ?? usual;
    return {
      size: one(SIZES, style?.size, PLAIN_STYLE.size),
      colour: one(COLOURS, style?.colour, PLAIN_STYLE.colour),
      background: one(BACKGROUNDS, style?.background, PLAIN_STYLE.background),
      position: one(POSITIONS, style?.position, PLAIN_STYLE.position),
      edge: one(EDGES, style?.edge, PLAIN_STYLE.edge),
    };
  }
  set style(style: SubtitleStyle) {
    this.#write({ style });
  }

  chooseSubtitles(track: SubtitleTrack | null): void {
    const subtitles = trackChoice(track);
    this.#choose({ subtitles }, { subtitles });
  }

  chooseSecond(track: SubtitleTrack | null): void {
    this.#choose({ second: trackChoice(track) });
  }

  get #choices(): Partial<ShowChoices> {
    return this.#shows.find(([show]) => show === this.show)?.[1] ?? {};
  }

  get #shows(): Saved['shows'] {
    const { shows } = this.#read();
    return Array.isArray(shows) ? shows.filter((one) => Array.isArray(one) && one.length === 2) : [];
  }

  #choose(part: Partial<ShowChoices>, more: Partial<Saved> = {}): void {
    const others = this.#shows.filter(([show]) => show !== this.show);
    const shows: Saved['shows'] = [...others, [this.show, { ...this.#choices, ...part }]];
    this.#write({ ...more, shows: shows.slice(-KEPT) });
  }

  #read(): Partial<Saved> {
    try {
      const kept = JSON.parse(
        storage.get(this.#name) ?? storage.get(OLD_NAME) ?? '{}',
      ) as Partial<Saved> | null;
      return typeof kept === 'object' && kept !== null ? kept : {};
    } catch {
      return {}; // invalid content: use the defaults
    }
  }

  #write(part: Partial<Saved>): void {
    storage.set(this.#name, JSON.stringify({ ...this.#read(), ...part }));
  }
}

function choiceOf(saved: unknown): SubtitleChoice {
  if (saved === 'none') return saved;
  const track = saved as Exclude<SubtitleChoice, 'none'> | undefined;
  return typeof track === 'object' && typeof track?.label === 'string' ? track : null;
}

function trackChoice(track: SubtitleTrack | null): SubtitleChoice {
  if (track === null) return 'none';
  const { language, forced, label } = track;
  return { language, forced, label, ...(isPicture(track) && { picture: true }) };
}
