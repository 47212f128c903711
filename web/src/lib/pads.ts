/** Gamepads as remote controls: what they press arrives as keys on every page, unless a game has them. */
import { directionOf, step } from './spatial';

/** Buttons of the standard layout, by their numbers. */
const KEYS: Readonly<Record<number, string>> = {
  ...{ 0: 'Enter', 1: 'Escape', 3: 'f' },
  ...{ 12: 'ArrowUp', 13: 'ArrowDown', 14: 'ArrowLeft', 15: 'ArrowRight' },
};
/** How far a stick is pushed that means a direction, and how far it goes back that means none: no stick is still. */
const PUSHED = 0.6;
const LET_GO = 0.4;
/** Milliseconds until a direction that is held is pressed again, and from then on. */
const FIRST = 420;
const NEXT = 120;

/** The keys that are held, and when each is pressed again. */
const held = new Map<string, number>();
/** The gamepads that are there, by their index, and where the stick of each leans. */
const leaning = new Map<number, string | null>();
let games = 0;
let frame = 0;

/** Leaves gamepads to a game until the function returned is called. */
export function keepPads(): () => void {
  games += 1;
  return () => (games -= 1);
}

export function steerByPads(): void {
  addEventListener('gamepadconnected', begin);
  begin();
}

function begin(): void {
  read();
  if (frame === 0 && leaning.size > 0) frame = requestAnimationFrame(look);
}

function look(now: number): void {
  const down = read();
  // Browsers tell of gamepads in windows that nobody is at, too.
  const isOurs = games === 0 && document.hasFocus();
  for (const key of held.keys()) if (!down.has(key)) held.delete(key);
  for (const key of down) {
    const due = held.get(key);
    if (due !== undefined && now < due) continue;
    // What is pressed for somebody else means nothing here until it is let go.
    const repeats = isOurs && directionOf(key) !== null;
    held.set(key, repeats ? now + (due === undefined ? FIRST : NEXT) : Number.POSITIVE_INFINITY);
    if (isOurs) press(key);
  }
  frame = leaning.size > 0 ? requestAnimationFrame(look) : 0;
}

/** Others have their buttons anywhere. */
function standard(): Gamepad[] {
  const there = navigator.getGamepads?.() ?? [];
  return there.filter((pad): pad is Gamepad => pad?.mapping === 'standard');
}

/** The keys that are down on all of them. */
function read(): Set<string> {
  const pads = standard();
  for (const index of leaning.keys()) if (!pads.some((pad) => pad.index === index)) leaning.delete(index);
  const down = new Set<string>();
  for (const pad of pads) {
    const before = leaning.get(pad.index);
    const leans = lean(pad.axes, before ?? null);
    leaning.set(pad.index, leans);
    const keys = pad.buttons.flatMap((button, index) => (button.pressed ? (KEYS[index] ?? []) : []));
    for (const key of leans === null ? keys : [...keys, leans]) {
      down.add(key);
      // The press that makes a gamepad known means nothing yet.
      if (before === undefined && !held.has(key)) held.set(key, Number.POSITIVE_INFINITY);
    }
  }
  return down;
}

/** Where a stick leans: where it did until it is let go, then where it is pushed the farthest. */
function lean([x = 0, y = 0]: readonly number[], before: string | null): string | null {
  const pushes: Readonly<Record<string, number>> = {
    ArrowLeft: -x,
    ArrowRight: x,
    ArrowUp: -y,
    ArrowDown: y,
  };
  if (before !== null && (pushes[before] ?? 0) >= LET_GO) return before;
  const [key, push] = Object.entries(pushes).reduce((far, one) => (one[1] > far[1] ? one : far));
  return push > PUSHED ? key : null;
}

/** Tells the page of a key; false where it does something with it. */
function tell(key: string): boolean {
  const target = document.activeElement ?? document.body;
  return target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** What a browser does for a real key where the page does nothing with it is done here. */
function press(key: string): void {
  // The pages leave this to the browser, which looks at keys of keyboards only.
  if (key === 'Escape' && document.fullscreenElement) return void document.exitFullscreen();
  if (!tell(key)) return;
  const direction = directionOf(key);
  const focused = document.activeElement;
  // A menu is walked by its own keys, and left by Escape only.
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

/** Moves a slider or the choice of a list one step; false where neither has the focus. */
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
