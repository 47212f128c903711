/**
 * Gamepads as controls of a film. They are read only while one is connected and the page is visible, has the focus, and
 * shows no dialog: in a dialog, gamepads navigate as on every page.
 */
import { claimGamepads } from '../../../lib/remote-control';
import type { VideoPlayer } from '../player/player.svelte';

/** Buttons of the standard layout by index. */
const BUTTONS: Readonly<Record<number, (player: VideoPlayer) => void>> = {
  0: (player) => player.toggle(),
  1: (player) => player.leave(),
  2: (player) => (player.panel = 'options'),
  3: (player) => player.toggleSubtitles(),
  4: (player) => player.chapterStep(-1),
  5: (player) => player.chapterStep(1),
  9: (player) => player.toggle(),
  12: (player) => player.louder(0.1),
  13: (player) => player.louder(-0.1),
  14: (player) => player.skip(-10),
  15: (player) => player.skip(10),
};

/** Controls a player by gamepads until the returned function is called. `onpress` is called after each press. */
export function followGamepads(player: VideoPlayer, onpress: () => void): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let before: ReadonlySet<number> | null = null;
  let release: (() => void) | null = null;
  let frame = 0;

  function look() {
    const pads = standard();
    if (pads.length === 0 || document.visibilityState !== 'visible') return stop();
    frame = requestAnimationFrame(look);
    const isOurs = document.hasFocus() && player.panel === null;
    if (isOurs) release ??= claimGamepads();
    else free();
    const down = pressed(pads);
    // The press that makes a gamepad known is ignored, as are those for a dialog.
    for (const button of down) if (before && isOurs && !before.has(button)) act(button);
    before = down;
  }
  function act(button: number) {
    const command = BUTTONS[button];
    if (!command) return;
    command(player);
    onpress();
  }
  function start() {
    if (frame === 0) look();
  }
  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    before = null;
    free();
  }
  function free() {
    release?.();
    release = null;
  }

  addEventListener('gamepadconnected', start, { signal });
  document.addEventListener('visibilitychange', start, { signal });
  start();
  return () => {
    listening.abort();
    stop();
  };
}

/** Other layouts have unknown button positions. */
function standard(): Gamepad[] {
  const pads = navigator.getGamepads?.() ?? [];
  return pads.filter((pad): pad is Gamepad => pad?.mapping === 'standard');
}

function pressed(pads: readonly Gamepad[]): Set<number> {
  return new Set(
    pads.flatMap(({ buttons }) => buttons.flatMap((button, index) => (button.pressed ? [index] : []))),
  );
}
