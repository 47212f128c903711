/** Keyboard shortcuts of the player, active while the focus is in it. */
import { SPEEDS } from '../../playback/settings.svelte';
import type { Player } from '../../playback/player.svelte';

/** Keys that move a slider. */
const SLIDER = new Set([
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
  ...['Home', 'End', 'PageUp', 'PageDown'],
]);

/**
 * Returns true if the focused control uses a key itself. A slider uses only the keys that move it. The scrubber leaves
 * these to the player, so that every shortcut still works after a click on it.
 */
export function usesKey(target: HTMLElement, key: string): boolean {
  if (target.matches('input[type="range"]')) return SLIDER.has(key) && !isScrubber(target);
  if (target.matches('input, select, textarea')) return true;
  return key === ' ' && target.matches('button, a, summary');
}

function isScrubber(target: HTMLElement): boolean {
  return target.closest('[data-scrubber]') !== null;
}

export function press(player: Player, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (usesKey(target, event.key)) return;
  const { back, forward } = player.settings.value;
  const actions: Record<string, () => void> = {
    ' ': () => player.toggle(),
    k: () => player.toggle(),
    j: () => player.skip(-back),
    l: () => player.skip(forward),
    m: () => player.mute(),
    n: () => player.next(),
    p: () => player.previous(),
    ...(player.hasOrder && { s: () => player.shuffle() }),
    ...(!player.whole && { r: () => player.order.cycle() }),
    '<': () => change(player, -1),
    '>': () => change(player, 1),
    // Elsewhere, arrows move the focus.
    ...(isScrubber(target) && {
      ArrowLeft: () => player.skip(-back),
      ArrowRight: () => player.skip(forward),
    }),
  };
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
  if (!action) return;
  event.preventDefault();
  action();
}

function change(player: Player, step: number): void {
  const at = SPEEDS.findIndex((speed) => speed === player.speed) + step;
  const speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
  if (speed !== undefined) player.setSpeed(speed);
}
