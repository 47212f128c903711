/** How gamepads become the pad every core knows: by what is usual, or as somebody laid it out for one make of them. */
import { storage } from '../../lib/env';
import type { Button } from './pad';

/** A button of a gamepad, or an axis pushed one way: `b3`, `a1-`. */
export type Control = `b${number}` | `a${number}${'+' | '-'}`;
/** What each button of the pad listens to. */
export type Layout = Readonly<Record<Button, readonly Control[]>>;
/** Layouts by the make of gamepad: the numbers of one mean nothing on another. */
export type Layouts = Readonly<Record<string, Layout>>;

type Pad = Pick<Gamepad, 'buttons' | 'axes'>;

/** That of a pad of the usual make; its left stick counts as the cross. */
export const STANDARD_LAYOUT: Layout = {
  b: ['b0'],
  a: ['b1'],
  y: ['b2'],
  x: ['b3'],
  l: ['b4'],
  r: ['b5'],
  l2: ['b6'],
  r2: ['b7'],
  select: ['b8'],
  start: ['b9'],
  up: ['b12', 'a1-'],
  down: ['b13', 'a1+'],
  left: ['b14', 'a0-'],
  right: ['b15', 'a0+'],
};

const TILTED = 0.5;
const CONTROL = /^(?:b(\d{1,3})|a(\d{1,3})([+-]))$/;

function isOn(pad: Pad, control: Control): boolean {
  const [, button, axis, way] = CONTROL.exec(control) ?? [];
  if (button !== undefined) return pad.buttons[Number(button)]?.pressed ?? false;
  const value = pad.axes[Number(axis)] ?? 0;
  return way === '+' ? value > TILTED : value < -TILTED;
}

/** The buttons that are down on a gamepad. */
export function downOn(pad: Pad, layout: Layout = STANDARD_LAYOUT): Set<Button> {
  const buttons = Object.keys(layout) as Button[];
  return new Set(buttons.filter((button) => layout[button].some((control) => isOn(pad, control))));
}

/** All that is pressed on a gamepad, buttons before axes: some pads tell of a trigger as both. */
export function pressedOn(pad: Pad): Control[] {
  const buttons = pad.buttons.flatMap((one, n): Control[] => (one.pressed ? [`b${n}`] : []));
  const axes = pad.axes.flatMap((value, n): Control[] =>
    Math.abs(value) > TILTED ? [`a${n}${value > 0 ? '+' : '-'}`] : [],
  );
  return [...buttons, ...axes];
}

/** The layout with a control given to another button; the button that had it takes what that one had. */
export function relaid(layout: Layout, button: Button, control: Control): Layout {
  const had = layout[button];
  const holder = (Object.keys(layout) as Button[]).find(
    (other) => other !== button && layout[other].includes(control),
  );
  if (!holder) return { ...layout, [button]: [control] };
  const rest = layout[holder].filter((other) => other !== control);
  // A direction that listens to cross and stick keeps the one when the other is taken from it.
  return { ...layout, [holder]: rest.length > 0 ? rest : had, [button]: [control] };
}

const NAME = 'game.pads';

export function keptLayouts(text: string | null = storage.get(NAME)): Layouts {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? 'null');
  } catch {
    kept = null; // written by something else
  }
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return {};
  return Object.fromEntries(Object.entries(kept).map(([id, layout]) => [id, fitting(layout)]));
}

function fitting(kept: unknown): Layout {
  const own = Object.entries(STANDARD_LAYOUT).map(([button, usual]) => {
    const chosen: unknown = (kept as Record<string, unknown> | null)?.[button];
    const isList = Array.isArray(chosen) && chosen.length > 0;
    const isChosen = isList && chosen.every((one) => CONTROL.test(String(one)));
    return [button, isChosen ? chosen : usual];
  });
  return Object.fromEntries(own) as unknown as Layout;
}

export function keepLayouts(layouts: Layouts): void {
  storage.set(NAME, JSON.stringify(layouts));
}

export function layoutOf(layouts: Layouts, pad: Pick<Gamepad, 'id'>): Layout {
  return (Object.hasOwn(layouts, pad.id) ? layouts[pad.id] : undefined) ?? STANDARD_LAYOUT;
}

const PLAYERS = 4;

/** Looks at the gamepads with every picture; the function returned ends that. */
export function watchPads(look: (pads: readonly Gamepad[]) => void): () => void {
  let next = 0;
  const turn = () => {
    const there = navigator.getGamepads?.() ?? [];
    look(there.filter((pad): pad is Gamepad => pad !== null && pad.index < PLAYERS));
    next = requestAnimationFrame(turn);
  };
  turn();
  return () => cancelAnimationFrame(next);
}

const NONE: ReadonlySet<Button> = new Set();

/** Tells what has changed on the gamepads. */
export function followPads(
  tell: (player: number, button: Button, down: boolean) => void,
  layoutFor: (pad: Gamepad) => Layout = () => STANDARD_LAYOUT,
): () => void {
  const before = new Map<number, ReadonlySet<Button>>();
  return watchPads((pads) => {
    const there = new Map(pads.map((pad) => [pad.index, downOn(pad, layoutFor(pad))]));
    // One that was unplugged holds nothing any more.
    for (const index of new Set([...before.keys(), ...there.keys()])) {
      const [old, now] = [before.get(index) ?? NONE, there.get(index) ?? NONE];
      for (const button of now) if (!old.has(button)) tell(index, button, true);
      for (const button of old) if (!now.has(button)) tell(index, button, false);
      before.set(index, now);
    }
  });
}

/** Waits for a press that begins now: what is held already, or rests at its end, is none. */
export class Presses {
  readonly #held = new Map<number, ReadonlySet<Control>>();

  /** The first control that was let go of and is pressed, with its gamepad. */
  look(pads: readonly Gamepad[]): { pad: Gamepad; control: Control } | null {
    let found: { pad: Gamepad; control: Control } | null = null;
    for (const pad of pads) {
      const now = pressedOn(pad);
      const held = this.#held.get(pad.index);
      const fresh = held && now.find((control) => !held.has(control));
      if (fresh) found ??= { pad, control: fresh };
      this.#held.set(pad.index, new Set(now));
    }
    return found;
  }
}
