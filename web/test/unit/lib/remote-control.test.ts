/** Gamepads as remotes, on a page that records the received keys. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as spatial from '../../../src/lib/spatial';

const step = vi.fn(() => true);
vi.mock('../../../src/lib/spatial', async (original) => ({ ...(await original<typeof spatial>()), step }));

class Key extends Event {
  readonly key: string;
  constructor(type: string, init: KeyboardEventInit) {
    super(type, init);
    this.key = init.key ?? '';
  }
}

/** The focused element: it receives keys, handles some of them, and can be pressed. */
class Thing extends EventTarget {
  tabIndex = 0;
  click = vi.fn();
  readonly heard: string[] = [];
  constructor(
    readonly inside = '',
    own: readonly string[] = [],
  ) {
    super();
    this.addEventListener('keydown', (event) => {
      const { key } = event as Key;
      this.heard.push(key);
      if (own.includes(key)) event.preventDefault();
    });
  }
  closest(selector: string) {
    return selector === this.inside ? this : null;
  }
}

interface Pad {
  index: number;
  mapping: string;
  axes: number[];
  buttons: { pressed: boolean }[];
}
const [A, B, UP, RIGHT] = [0, 1, 12, 15];
const pad = (index: number): Pad => ({
  index,
  mapping: 'standard',
  axes: [0, 0],
  buttons: Array.from({ length: 17 }, () => ({ pressed: false })),
});

let pads: Pad[];
let focused: Thing;
let page: { body: Thing; fullscreenElement: object | null; exitFullscreen: () => Promise<void> };
let isAt: boolean;
let connected: () => void;
let next: FrameRequestCallback | null;
let now: number;
let remotes: typeof import('../../../src/lib/remote-control');

/** A picture is drawn, 16 ms after the last one. */
function draw(count = 1) {
  for (let at = 0; at < count; at += 1) {
    const due = next;
    next = null;
    due?.((now += 16));
  }
}
function hold(one: Pad | undefined, button: number, pressed = true) {
  one!.buttons[button]!.pressed = pressed;
  draw();
}
function push(one: Pad | undefined, button: number) {
  hold(one, button);
  hold(one, button, false);
}
function tilt(x: number, y = 0) {
  pads[0]!.axes = [x, y];
  draw();
}
function plugIn(one: Pad) {
  pads.push(one);
  connected();
}
function focus(thing: Thing) {
  focused = thing;
  return thing;
}

beforeEach(async () => {
  [pads, isAt, next, now] = [[pad(0)], true, null, 1000];
  const body = new Thing();
  page = { body, fullscreenElement: null, exitFullscreen: vi.fn(async () => {}) };
  focus(body);
  vi.stubGlobal('document', {
    ...page,
    get fullscreenElement() {
      return page.fullscreenElement;
    },
    get activeElement() {
      return focused;
    },
    hasFocus: () => isAt,
    querySelector: () => null,
  });
  vi.stubGlobal('HTMLElement', Thing);
  vi.stubGlobal('HTMLInputElement', class {});
  vi.stubGlobal('HTMLSelectElement', class {});
  vi.stubGlobal('KeyboardEvent', Key);
  vi.stubGlobal('navigator', { getGamepads: () => [null, ...pads] });
  vi.stubGlobal('addEventListener', (_: string, listener: () => void) => (connected = listener));
  vi.stubGlobal('requestAnimationFrame', (turn: FrameRequestCallback) => {
    next = turn;
    return 1;
  });
  step.mockClear();
  vi.resetModules();
  remotes = await import('../../../src/lib/remote-control');
  remotes.navigateByGamepads();
  draw();
});
afterEach(() => vi.unstubAllGlobals());

describe('a gamepad', () => {
  it('belongs to a game while it is open, and to the page afterwards', () => {
    const giveBack = remotes.claimGamepads();
    push(pads[0], RIGHT);
    push(pads[0], B);
    expect([step.mock.calls, page.body.heard]).toEqual([[], []]);
    giveBack();
    push(pads[0], RIGHT);
    expect(step.mock.calls).toEqual([['right']]);
    push(pads[0], B);
    expect(page.body.heard).toEqual(['ArrowRight', 'Escape', 'Backspace']);
  });

  it('ignores buttons that are still held when it returns to the page', () => {
    const giveBack = remotes.claimGamepads();
    hold(pads[0], RIGHT);
    giveBack();
    draw(60);
    expect(step).not.toHaveBeenCalled();
    hold(pads[0], RIGHT, false);
    hold(pads[0], RIGHT);
    expect(step).toHaveBeenCalledOnce();
  });

  it('is ignored in a window without focus', () => {
    isAt = false;
    push(pads[0], A);
    hold(pads[0], B);
    isAt = true;
    draw(60);
    expect(page.body.heard).toEqual([]);
    hold(pads[0], B, false);
    push(pads[0], B);
    expect(page.body.heard).toEqual(['Escape', 'Backspace']);
  });

  it('leaves full screen by B, and the page by the next B', () => {
    page.fullscreenElement = {};
    push(pads[0], B);
    expect(page.exitFullscreen).toHaveBeenCalledOnce();
    expect(page.body.heard).toEqual([]);
    page.fullscreenElement = null;
    push(pads[0], B);
    expect(page.exitFullscreen).toHaveBeenCalledOnce();
    expect(page.body.heard).toEqual(['Escape', 'Backspace']);
  });

  it('repeats a held direction, and not a held button', () => {
    hold(pads[0], UP);
    draw(25);
    expect(step).toHaveBeenCalledTimes(1);
    draw(5);
    expect(step).toHaveBeenCalledTimes(2);
    draw(8);
    expect(step).toHaveBeenCalledTimes(3);
    hold(pads[0], UP, false);
    const link = focus(new Thing());
    hold(pads[0], A);
    draw(60);
    expect(link.click).toHaveBeenCalledOnce();
  });

  it('ignores the first press of another gamepad', () => {
    const second = pad(1);
    second.buttons[A]!.pressed = true;
    plugIn(second);
    draw(3);
    expect(page.body.heard).toEqual([]);
    hold(second, A, false);
    push(second, A);
    expect(page.body.heard).toEqual(['Enter', ' ']);
  });

  it('continues with the remaining gamepad, and with a later one', () => {
    plugIn(pad(1));
    pads.shift();
    push(pads[0], RIGHT);
    expect(step).toHaveBeenCalledOnce();
    pads = [];
    draw();
    expect(next).toBeNull();
    plugIn(pad(0));
    push(pads[0], RIGHT);
    expect(step).toHaveBeenCalledTimes(2);
  });
});

describe('a gamepad in a menu', () => {
  const entry = () => {
    const thing = focus(new Thing('[role=menu]', ['ArrowUp', 'ArrowDown', 'Escape']));
    thing.tabIndex = -1;
    return thing;
  };

  it('does not leave it to the left or right', () => {
    const thing = entry();
    push(pads[0], RIGHT);
    push(pads[0], UP);
    expect(thing.heard).toEqual(['ArrowRight', 'ArrowUp']);
    expect(step).not.toHaveBeenCalled();
  });

  it('selects by A, and closes it by B without leaving the page', () => {
    const thing = entry();
    push(pads[0], A);
    expect(thing.click).toHaveBeenCalledOnce();
    push(pads[0], B);
    expect(thing.heard).toEqual(['Enter', 'Escape']);
  });

  it('does not activate a focused container: there, A is the space bar', () => {
    const title = focus(new Thing());
    title.tabIndex = -1;
    push(pads[0], A);
    expect([title.heard, title.click.mock.calls]).toEqual([['Enter', ' '], []]);
  });
});

describe('a gamepad stick', () => {
  it('is pushed once in spite of jitter at the threshold', () => {
    for (const x of [0.59, 0.62, 0.58, 0.63, 0.45, 0.61]) tilt(x);
    expect(step.mock.calls).toEqual([['right']]);
    tilt(0.39);
    tilt(0.59);
    expect(step).toHaveBeenCalledOnce();
    tilt(0.61);
    expect(step).toHaveBeenCalledTimes(2);
  });

  it('selects the direction of its largest deflection', () => {
    tilt(0.7, -0.8);
    tilt(0.8, -0.7);
    expect(step.mock.calls).toEqual([['up']]);
    tilt(0.9, -0.3);
    expect(step.mock.calls).toEqual([['up'], ['right']]);
  });

  it('crosses the centre from one side to the other', () => {
    tilt(-1);
    tilt(1);
    expect(step.mock.calls).toEqual([['left'], ['right']]);
  });
});
