/**
 * An equalizer with presets. An element whose sound passes through Web Audio cannot leave it again. So nothing is created
 * before the user chooses a preset, and nothing is routed before the audio context runs: a suspended one is silent.
 */

export const PRESETS = ['off', 'bass', 'treble', 'voice', 'soft'] as const;
export type Preset = (typeof PRESETS)[number];

const BANDS = [
  { type: 'lowshelf', frequency: 120 },
  { type: 'peaking', frequency: 400 },
  { type: 'peaking', frequency: 1500 },
  { type: 'peaking', frequency: 3500 },
  { type: 'highshelf', frequency: 8000 },
] as const;

/** Gains of the bands in decibels. */
const LEVELS: Readonly<Record<Preset, readonly number[]>> = {
  off: [0, 0, 0, 0, 0],
  bass: [6, 2, 0, 0, 0],
  treble: [0, 0, 0, 2, 5],
  voice: [-6, -2, 2, 4, 0],
  soft: [0, 0, 0, -2, -6],
};

/** Time constant of a change in seconds, so that it does not click. */
const GLIDE = 0.03;

/** True if the browser has Web Audio. On iPhones and iPads, it falls silent when the screen is locked. */
export function hasEqualizer(): boolean {
  const isTouchSafari = 'GestureEvent' in globalThis && navigator.maxTouchPoints > 1;
  return 'AudioContext' in globalThis && !isTouchSafari;
}

export class Equalizer {
  #context: AudioContext | null = null;
  #nodes: { volume: GainNode; bands: BiquadFilterNode[] } | null = null;
  #preset: Preset = 'off';

  constructor(private readonly elements: readonly HTMLMediaElement[]) {}

  /** Changes the sound to a preset. Calls without a change cost nothing. */
  apply(preset: Preset): void {
    if (this.#context?.state === 'suspended') void this.#run(this.#context);
    if (preset === this.#preset || !hasEqualizer()) return;
    this.#preset = preset;
    if (!this.#context) {
      this.#context = new AudioContext({ latencyHint: 'playback' });
      void this.#run(this.#context);
    } else this.#set();
  }

  close(): void {
    // A context that is already closed refuses to close.
    void this.#context?.close().catch(() => {});
    this.#context = this.#nodes = null;
    this.#preset = 'off';
  }

  /** Browsers start a context only after a click. Until then, the elements play without it. */
  async #run(context: AudioContext): Promise<void> {
    await context.resume().catch(() => {});
    if (context !== this.#context || context.state !== 'running') return;
    this.#nodes ??= this.#route(context);
    this.#set();
  }

  #route(context: AudioContext) {
    const volume = context.createGain();
    const bands = BANDS.map((band) => new BiquadFilterNode(context, band));
    for (const element of this.elements) context.createMediaElementSource(element).connect(volume);
    let last: AudioNode = volume;
    for (const band of bands) last = last.connect(band);
    last.connect(context.destination);
    return { volume, bands };
  }

  #set(): void {
    if (!this.#nodes || !this.#context) return;
    const { currentTime } = this.#context;
    const levels = LEVELS[this.#preset];
    for (const [at, band] of this.#nodes.bands.entries())
      band.gain.setTargetAtTime(levels[at] ?? 0, currentTime, GLIDE);
    // Raised bands need headroom, otherwise loud recordings clip.
    const headroom = 10 ** (-Math.max(...levels) / 20);
    this.#nodes.volume.gain.setTargetAtTime(headroom, currentTime, GLIDE);
  }
}
