/** The pad every core knows, and how keys become its buttons. */
import { storage } from '../../lib/env';

/** The buttons by the number the cores give them. */
export const BUTTON = {
  b: 0,
  y: 1,
  select: 2,
  start: 3,
  up: 4,
  down: 5,
  left: 6,
  right: 7,
  a: 8,
  x: 9,
  l: 10,
  r: 11,
  l2: 12,
  r2: 13,
} as const;
export type Button = keyof typeof BUTTON;

/** The stick's directions, where a console has one; pushed all the way. */
const STICK: Partial<Record<Button, number>> = { right: 16, left: 17, down: 18, up: 19 };
const PUSHED = 0x7fff;
const STICK_PLATFORMS: readonly string[] = ['n64'];

const TWO: readonly Button[] = ['b', 'a', 'select', 'start'];
const SHOULDERS: readonly Button[] = ['b', 'a', 'l', 'r', 'select', 'start'];
const FOUR: readonly Button[] = ['b', 'a', 'y', 'x', 'l', 'r', 'select', 'start'];
const ALL: readonly Button[] = ['b', 'a', 'y', 'x', 'l', 'r', 'l2', 'r2', 'select', 'start'];
const SETS: Readonly<Record<string, readonly Button[]>> = {
  gba: SHOULDERS,
  virtualboy: SHOULDERS,
  snes: FOUR,
  nds: FOUR,
  megadrive: ['y', 'b', 'a', 'x', 'l', 'r', 'select', 'start'],
  sega32x: ['y', 'b', 'a', 'x', 'l', 'r', 'select', 'start'],
  segacd: ['y', 'b', 'a', 'x', 'l', 'r', 'select', 'start'],
  psx: ALL,
  n64: ALL,
  jaguar: FOUR,
};

/** The buttons a console's pad has beside its cross. */
export const buttonsOf = (platform: string): readonly Button[] => SETS[platform] ?? TWO;

/** What a core is told when a button goes down or up. */
export function signal(button: Button, down: boolean, platform: string): { button: number; value: number } {
  const stick = STICK_PLATFORMS.includes(platform) ? STICK[button] : undefined;
  if (stick !== undefined) return { button: stick, value: down ? PUSHED : 0 };
  return { button: BUTTON[button], value: down ? 1 : 0 };
}

export type Keys = Readonly<Record<Button, string>>;

export const STANDARD_KEYS: Keys = {
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  a: 'KeyX',
  b: 'KeyZ',
  x: 'KeyS',
  y: 'KeyA',
  l: 'KeyQ',
  r: 'KeyW',
  l2: 'KeyE',
  r2: 'KeyR',
  select: 'ShiftRight',
  start: 'Enter',
};

/** Keys that the page itself answers to. */
export const OWN_KEYS: readonly string[] = ['F2', 'F4', 'Escape', 'Tab'];

const NAME = 'game.keys';

export function keptKeys(text: string | null = storage.get(NAME)): Keys {
  let kept: Record<string, unknown> | null;
  try {
    kept = JSON.parse(text ?? 'null') as typeof kept;
  } catch {
    kept = null; // written by something else
  }
  const own = Object.entries(STANDARD_KEYS).map(([button, key]) => {
    const chosen = kept?.[button];
    return [button, typeof chosen === 'string' ? chosen : key];
  });
  return Object.fromEntries(own) as unknown as Keys;
}

/** The keys with one given to another button; the button that had it takes the old one. */
export function rebound(keys: Keys, button: Button, code: string): Keys {
  const holder = (Object.keys(keys) as Button[]).find((other) => keys[other] === code);
  return { ...keys, ...(holder ? { [holder]: keys[button] } : {}), [button]: code };
}

export function keepKeys(keys: Keys): void {
  storage.set(NAME, JSON.stringify(keys));
}

export function buttonOf(keys: Keys, code: string): Button | undefined {
  return (Object.keys(keys) as Button[]).find((button) => keys[button] === code);
}

const ARROWS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  ShiftLeft: 'Shift',
  ShiftRight: 'Shift',
  ControlLeft: 'Ctrl',
  ControlRight: 'Ctrl',
};

/** What is printed on a key. */
export function keyName(code: string): string {
  return ARROWS[code] ?? code.replace(/^(Key|Digit)/, '');
}
