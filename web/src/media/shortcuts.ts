/** Keys of the player, heard while the focus is in it. */
import { SPEEDS } from './habits.svelte';
import type { Player } from './player.svelte';

export function press(player: Player, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  // A focused control keeps its own keys.
  if (target.matches('select, input') || (event.key === ' ' && target.matches('button, a'))) return;
  const { back, forward } = player.habits.value;
  const actions: Record<string, () => void> = {
    ' ': () => player.toggle(),
    k: () => player.toggle(),
    j: () => player.skip(-back),
    l: () => player.skip(forward),
    m: () => player.mute(),
    n: () => player.next(),
    p: () => player.previous(),
    '<': () => change(player, -1),
    '>': () => change(player, 1),
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
