/** Settings of this device: theme, text size, card size. They are not sent to the server. */
import { storage } from '../lib/env';

export type Theme = 'dark' | 'light' | 'system';

export const TEXT = { low: 0.85, high: 1.5, step: 0.05, normal: 1 } as const;
export const CARD = { low: 112, high: 260, step: 4, normal: 168 } as const;

const themes: readonly Theme[] = ['dark', 'light', 'system'];

export class Prefs {
  #theme = $state<Theme>('system');
  #text = $state<number>(TEXT.normal);
  #card = $state<number>(CARD.normal);
  #systemLight = $state(false);
  #onward = $state(true);

  constructor() {
    const theme = storage.get('theme');
    this.#theme = themes.find((one) => one === theme) ?? 'system';
    this.#text = within(storage.get('text'), TEXT);
    this.#card = within(storage.get('card'), CARD);
    this.#onward = storage.get('onward') !== 'off';
    const light = matchMedia('(prefers-color-scheme: light)');
    this.#systemLight = light.matches;
    light.addEventListener('change', () => {
      this.#systemLight = light.matches;
      this.#apply();
    });
    this.#apply();
  }

  get theme(): Theme {
    return this.#theme;
  }
  set theme(theme: Theme) {
    this.#theme = theme;
    storage.set('theme', theme);
    this.#apply();
  }

  /** The effective theme. */
  get appearance(): 'dark' | 'light' {
    if (this.#theme !== 'system') return this.#theme;
    return this.#systemLight ? 'light' : 'dark';
  }

  get text(): number {
    return this.#text;
  }
  set text(scale: number) {
    this.#text = scale;
    storage.set('text', String(scale));
    this.#apply();
  }

  get card(): number {
    return this.#card;
  }
  set card(width: number) {
    this.#card = width;
    storage.set('card', String(width));
    this.#apply();
  }

  /** True if the next episode begins automatically. */
  get onward(): boolean {
    return this.#onward;
  }
  set onward(on: boolean) {
    this.#onward = on;
    storage.set('onward', on ? 'on' : 'off');
  }

  #apply(): void {
    const root = document.documentElement;
    root.dataset.theme = this.appearance;
    root.style.setProperty('--text-scale', String(this.#text));
    root.style.setProperty('--card', `${this.#card}px`);
    const bar = document.querySelector('meta[name="theme-color"]');
    bar?.setAttribute('content', this.appearance === 'dark' ? '#0f1518' : '#f2f6f7');
  }
}

function within(text: string | null, bounds: { low: number; high: number; normal: number }): number {
  const value = Number.parseFloat(text ?? '');
  return value >= bounds.low && value <= bounds.high ? value : bounds.normal;
}
