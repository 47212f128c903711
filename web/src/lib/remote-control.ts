/** Gamepads as remote controls. Their buttons arrive as key events on every page, unless a game owns the gamepads. */
import { directionOf, step } from './spatial';

/** Buttons of the standard layout by index. */
const KEYS: Readonly<Record<number, string>> = {
  ...{ 0: 'Enter', 1: 'Escape', 2: ' ', 3: 'f' },
  ...{ 12: 'ArrowUp', 13: 'ArrowDown', 14: 'ArrowLeft', 15: 'ArrowRight' },
};
/** Thresholds (hysteresis) at which a stick enters and leaves a direction, because sticks drift. */
const PUSHED = 0.6;
const RELEASE_BELOW = 0.4;
/** Delay and interval of key repeat, in milliseconds. */
const FIRST = 420;
const NEXT = 120;

/** The held keys, and the time of their next repeat. */
const held = new Map<string, number>();
/** The connected gamepads by index, with the direction of each stick. */
const tilted = new Map<number, string | null>();
let games = 0;
let frame = 0;

/** Gives the gamepads to a game until the returned function is called. */
export function claimGamepads(): () => void {
  games += 1;
  return () => (games -= 1);
}

export function navigateByGamepads(): void {
  addEventListener('gamepadconnected', begin);
  begin();
}

function begin(): void {
  read();
  if (frame === 0 && tilted.size > 0) frame = requestAnimationFrame(look);
}

function look(now: number): void {
  const down = read();
  // Browsers also report gamepads to windows without focus.
  const isOurs = games === 0 && document.hasFocus();
  for (const key of held.keys()) if (!down.has(key)) held.delete(key);
  for (const key of down) {
    const due = held.get(key);
    if (due !== undefined && now < due) continue;
    // A button that was pressed for another owner is ignored until its release.
    const repeats = isOurs && directionOf(key) !== null;
    held.set(key, repeats ? now + (due === undefined ? FIRST : NEXT) : Number.POSITIVE_INFINITY);
    if (isOurs) press(key);
  }
  frame = tilted.size > 0 ? requestAnimationFrame(look) : 0;
}

/** Other layouts have unknown button positions. */
function standard(): Gamepad[] {
  const there = navigator.getGamepads?.() ?? [];
  return there.filter((pad): pad is Gamepad => pad?.mapping === 'standard');
}

/** Returns the keys that are down on all gamepads. */
function read(): Set<string> {
  const pads = standard();
  for (const index of tilted.keys()) if (!pads.some((pad) => pad.index === index)) tilted.delete(index);
  const down = new Set<string>();
  for (const pad of pads) {
    const before = tilted.get(pad.index);
    const leans = tilt(pad.axes, before ?? null);
    tilted.set(pad.index, leans);
    const keys = pad.buttons.flatMap((button, index) => (button.pressed ? (KEYS[index] ?? []) : []));
    for (const key of leans === null ? keys : [...keys, leans]) {
      down.add(key);
      // The press that makes a gamepad known is ignored.
      if (before === undefined && !held.has(key)) held.set(key, Number.POSITIVE_INFINITY);
    }
  }
  return down;
}

/** Returns the direction of a stick: the previous one until its release, then the axis with the largest deflection. */
function tilt([x = 0, y = 0]: readonly number[], before: string | null): string | null {
  const pushes: Readonly<Record<string, number>> = {
    ArrowLeft: -x,
    ArrowRight: x,
    ArrowUp: -y,
    ArrowDown: y,
  };
  if (before !== null && (pushes[before] ?? 0) >= RELEASE_BELOW) return before;
  const [key, push] = Object.entries(pushes).reduce((far, one) => (one[1] > far[1] ? one : far));
  return push > PUSHED ? key : null;
}

/** Dispatches a key event; false if the page handled it. */
function tell(key: string): boolean {
  const target = document.activeElement ?? document.body;
  return target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** Performs the browser's default action of a key. */
function press(key: string): void {
  // Pages leave these keys to the browser, which performs them for keyboards only.
  if (key === 'Escape' && document.fullscreenElement) return void document.exitFullscreen();
  if (!tell(key)) return;
  const direction = directionOf(key);
  const focused = document.activeElement;
  // A menu handles its own keys, and only Escape leaves it.
  const inMenu = focused?.closest('[role=menu]') != null;
  if (direction) {
    if (inMenu) return;
    if (!slide(direction === 'right' ? 1 : direction === 'left' ? -1 : 0)) step(direction);
  } else if (key === 'Enter') {
    const isPressable = focused instanceof HTMLElement && (focused.tabIndex >= 0 || inMenu);
    if (isPressable && focused !== document.body) focused.click();
    else tell(' ');
  } else if (key === 'Escape') {
    const dialog = document.querySelector<HTMLDialogElement>('dialog[open]');
    if (dialog) dialog.close();
    else tell('Backspace');
  }
}

/** Moves a slider or a select by one step; false if neither has the focus. */
function slide(by: number): boolean {
  const focused = document.activeElement;
  if (by === 0) return false;
  if (focused instanceof HTMLInputElement && focused.type === 'range') {
    if (by > 0) focused.stepUp();
    else focused.stepDown();
  } else if (focused instanceof HTMLSelectElement) {
    const to = focused.selectedIndex + by;
    if (to < 0 || to >= focused.length) return true;
    focused.selectedIndex = to;
  } else return false;
  for (const name of ['input', 'change']) focused.dispatchEvent(new Event(name, { bubbles: true }));
  return true;
}
