/** Spatial navigation: finds the nearest element in a direction, for arrow keys, remote controls and gamepads. */

export type Direction = 'left' | 'right' | 'up' | 'down';
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;

const OFF_AXIS = 4;
const CENTRE = 0.4;
/** Tolerance: boxes with a common edge can overlap by a fraction of a pixel. */
const HAIR = 2;

const turned: Record<Direction, (box: Box) => Box> = {
  right: (box) => box,
  left: ({ left, right, top, bottom }) => ({ left: -right, right: -left, top, bottom }),
  down: ({ left, right, top, bottom }) => ({ left: top, right: bottom, top: left, bottom: right }),
  up: ({ left, right, top, bottom }) => ({ left: -bottom, right: -top, top: left, bottom: right }),
};

/** Returns the index of the nearest of `boxes` in that direction, or -1. */
export function nearest(from: Box, boxes: readonly Box[], direction: Direction): number {
  const turn = turned[direction];
  const here = turn(from);
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, box] of boxes.entries()) {
    const far = distance(here, turn(box), direction === 'left' || direction === 'right');
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

/** Distance to `to`, seen to the right. For sideways moves, boxes in the same row come first. */
function distance(from: Box, to: Box, sideways: boolean): number {
  if (to.left < from.right - HAIR && middle(to.left, to.right) <= middle(from.left, from.right) + HAIR)
    return Number.POSITIVE_INFINITY;
  if (to.right <= from.right) return Number.POSITIVE_INFINITY;
  const gap = Math.max(0, to.left - from.right);
  const off = Math.max(0, to.top - from.bottom, from.top - to.bottom);
  const centres = Math.abs(middle(to.top, to.bottom) - middle(from.top, from.bottom));
  const elsewhere = sideways && off > 0 ? 10_000 : 0;
  return gap + OFF_AXIS * off + CENTRE * centres + elsewhere;
}

function middle(a: number, b: number): number {
  return (a + b) / 2;
}

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

export function directionOf(key: string): Direction | null {
  return (Object.hasOwn(directions, key) ? directions[key] : undefined) ?? null;
}

const FOCUSABLE = 'a[href], button:not(:disabled), input, select, textarea, [tabindex="0"]';

/** Moves the focus; false if there is no target. */
export function step(direction: Direction): boolean {
  const from = document.activeElement ?? document.body;
  // An open dialog keeps the focus.
  const root = document.querySelector('dialog[open]') ?? document.body;
  const things = [...root.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) => one !== from && !one.contains(from) && isShown(one),
  );
  const start = from === document.body || from.id === 'main' ? beginning() : from.getBoundingClientRect();
  const to =
    things[
      nearest(
        start,
        things.map((one) => one.getBoundingClientRect()),
        direction,
      )
    ];
  if (!to) return false;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return true;
}

function isShown(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return (
    width > 1 &&
    height > 1 &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.matches('.skip')
  );
}

/** The first target if nothing has the focus: above the content. */
function beginning(): Box {
  const { left, top, right } = (
    document.querySelector('main h1, main') ?? document.body
  ).getBoundingClientRect();
  return { left, right: Math.min(right, left + 200), top, bottom: top };
}

/** Returns true if the focused control uses the key itself: letters in fields, arrows in sliders and lists. */
export function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target as HTMLElement;
  if (target.isContentEditable || target.matches('textarea, select, [role=slider], [role=menuitem]'))
    return true;
  if (!target.matches('input')) return false;
  const { type } = target as HTMLInputElement;
  if (type === 'radio') return true;
  // A slider uses the keys that move it; letters are shortcuts.
  if (type === 'range') return /^(Arrow|Home|End|Page)/.test(event.key);
  const isPlain = type === 'checkbox' || type === 'button' || type === 'file';
  // Up and Down leave a single-line field.
  return !isPlain && event.key !== 'ArrowUp' && event.key !== 'ArrowDown';
}
