/** Maps gamepads to the RetroPad, by the standard layout or by the user's layout for a model. */
import { storage } from '../../../lib/env';
import type { Button } from './retropad';

/** A button of a gamepad, or an axis in one direction: `b3`, `a1-`. */
export type Control = `b${number}` | `a${number}${'+' | '-'}`;
/** The gamepad inputs of each RetroPad button. */
export type Layout = Readonly<Record<Button, readonly Control[]>>;
/** Layouts by model, because button numbers differ between models. */
export type Layouts = Readonly<Record<string, Layout>>;

type Pad = Pick<Gamepad, 'buttons' | 'axes'>;

/** The standard layout; its left stick also acts as the cross. */
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

/** Returns the pressed inputs of a gamepad. */
export function downOn(pad: Pad, layout: Layout = STANDARD_LAYOUT): Set<Button> {
  const buttons = Object.keys(layout) as Button[];
  return new Set(buttons.filter((button) => layout[button].some((control) => isOn(pad, control))));
}

/** Returns all pressed inputs, buttons before axes: some gamepads report a trigger as both. */
export function pressedOn(pad: Pad): Control[] {
  const buttons = pad.buttons.flatMap((one, n): Control[] => (one.pressed ? [`b${n}`] : []));
  const axes = pad.axes.flatMap((value, n): Control[] =>
    Math.abs(value) > TILTED ? [`a${n}${value > 0 ? '+' : '-'}`] : [],
  );
  return [...buttons, ...axes];
}

/** Assigns an input to a control. The control that had it gets the previous input. */
export function withControl(layout: Layout, button: Button, control: Control): Layout {
  const had = layout[button];
  const holder = (Object.keys(layout) as Button[]).find(
    (other) => other !== button && layout[other].includes(control),
  );
  if (!holder) return { ...layout, [button]: [control] };
  const rest = layout[holder].filter((other) => other !== control);
  // A direction with cross and stick keeps one if the other is reassigned.
  return { ...layout, [holder]: rest.length > 0 ? rest : had, [button]: [control] };
}

const NAME = 'game.pads';

export function savedLayouts(text: string | null = storage.get(NAME)): Layouts {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? 'null');
  } catch {
    kept = null; // not written by this version
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

export function saveLayouts(layouts: Layouts): void {
  storage.set(NAME, JSON.stringify(layouts));
}

export function layoutOf(layouts: Layouts, pad: Pick<Gamepad, 'id'>): Layout {
  return (Object.hasOwn(layouts, pad.id) ? layouts[pad.id] : undefined) ?? STANDARD_LAYOUT;
}

const PLAYERS = 4;

/** Polls the gamepads with every frame. The returned function stops that. */
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

/** Reports changed inputs of the gamepads. */
export function followPads(
  tell: (player: number, button: Button, down: boolean) => void,
  layoutFor: (pad: Gamepad) => Layout = () => STANDARD_LAYOUT,
): () => void {
  const before = new Map<number, ReadonlySet<Button>>();
  return watchPads((pads) => {
    const there = new Map(pads.map((pad) => [pad.index, downOn(pad, layoutFor(pad))]));
    // A disconnected gamepad releases all its inputs.
    for (const index of new Set([...before.keys(), ...there.keys()])) {
      const [old, now] = [before.get(index) ?? NONE, there.get(index) ?? NONE];
      for (const button of now) if (!old.has(button)) tell(index, button, true);
      for (const button of old) if (!now.has(button)) tell(index, button, false);
      before.set(index, now);
    }
  });
}

/** Waits for a new press. Held inputs, and axes that rest at an end, are ignored. */
export class Presses {
  readonly #held = new Map<number, ReadonlySet<Control>>();

  /** Returns the first input that was released and then pressed, with its gamepad. */
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
