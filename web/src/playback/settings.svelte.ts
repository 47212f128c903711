/** Playback settings of a listener on this device. */
import { storage } from '../lib/env';
import { PRESETS, type Preset } from './sound/equalizer';
import { GAINS, outputVolume, UNCHANGED, type Gain, type GainMode } from './sound/gain';

export const SPEEDS = [0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
export const SKIPS = [5, 10, 15, 30, 60] as const;

interface PlaybackSetting {
  volume: number;
  muted: boolean;
  /** Speed of long works without a speed of their own; everything else starts at speed 1. */
  speed: number;
  back: number;
  forward: number;
  gain: GainMode;
  equalizer: Preset;
}

const usual: PlaybackSetting = {
  volume: 1,
  muted: false,
  speed: 1,
  back: 15,
  forward: 30,
  gain: 'auto',
  equalizer: 'off',
};
const NAME = 'sound';

export class PlaybackSettings {
  #value = $state.raw<PlaybackSetting>(read());

  get value(): Readonly<PlaybackSetting> {
    return this.#value;
  }

  change(part: Partial<PlaybackSetting>): void {
    this.#value = { ...this.#value, ...part };
    storage.set(NAME, JSON.stringify(this.#value));
  }

  /** Applies volume and speed to an element. `fade` scales the volume. */
  apply(element: HTMLMediaElement, speed: number, fade: number, gain: Gain = UNCHANGED): void {
    const { volume, muted } = this.value;
    element.defaultPlaybackRate = speed;
    element.playbackRate = speed;
    element.volume = outputVolume(volume * fade, gain);
    element.muted = muted;
  }
}

function read(): PlaybackSetting {
  let kept: Partial<PlaybackSetting> | null = null;
  try {
    kept = JSON.parse(storage.get(NAME) ?? 'null') as Partial<PlaybackSetting> | null;
  } catch {
    // Not written by this version: use the defaults.
  }
  const number = (name: 'volume' | 'speed' | 'back' | 'forward', fits: (value: number) => boolean) => {
    const value = kept?.[name];
    return typeof value === 'number' && fits(value) ? value : usual[name];
  };
  const isSkip = (value: number) => SKIPS.some((skip) => skip === value);
  return {
    volume: number('volume', (value) => value >= 0 && value <= 1),
    muted: kept?.muted === true,
    speed: number('speed', (value) => SPEEDS.some((speed) => speed === value)),
    back: number('back', isSkip),
    forward: number('forward', isSkip),
    gain: GAINS.find((mode) => mode === kept?.gain) ?? usual.gain,
    equalizer: PRESETS.find((preset) => preset === kept?.equalizer) ?? usual.equalizer,
  };
}
