/** The RetroPad, and the mapping of keys to its buttons. */
import { storage } from '../../../lib/env';

/** Buttons by the number that cores use. */
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

/** Directions of the stick at full deflection, for consoles that have one. */
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

/** Buttons of a console's gamepad, without the cross. */
export const buttonsOf = (platform: string): readonly Button[] => SETS[platform] ?? TWO;

/** The message to a core when a button is pressed or released. */
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

/** Keys that the page itself handles. */
export const OWN_KEYS: readonly string[] = ['F2', 'F4', 'Escape', 'Tab'];

const NAME = 'game.keys';

export function savedKeys(text: string | null = storage.get(NAME)): Keys {
  let kept: Record<string, unknown> | null;
  try {
    kept = JSON.parse(text ?? 'null') as typeof kept;
  } catch {
    kept = null; // not written by this version
  }
  const own = Object.entries(STANDARD_KEYS).map(([button, key]) => {
    const chosen = kept?.[button];
    return [button, typeof chosen === 'string' ? chosen : key];
  });
  return Object.fromEntries(own) as unknown as Keys;
}

/** Assigns a key to a button. The button that had it gets the previous key. */
export function withKey(keys: Keys, button: Button, code: string): Keys {
  const holder = (Object.keys(keys) as Button[]).find((other) => keys[other] === code);
  return { ...keys, ...(holder ? { [holder]: keys[button] } : {}), [button]: code };
}

export function saveKeys(keys: Keys): void {
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

/** Returns the label of a key. */
export function keyName(code: string): string {
  return ARROWS[code] ?? code.replace(/^(Key|Digit)/, '');
}
