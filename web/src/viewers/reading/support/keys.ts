/** Keys of a reader's page. */

/** Runs the action of a key, unless a field, a button, a dialog or the browser handles it. */
export function press(
  event: KeyboardEvent,
  keys: Readonly<Record<string, () => void>>,
  onspace: (way: 1 | -1) => void,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as Element;
  if (target.matches('input, textarea, select') || target.closest('dialog')) return;
  if (event.key === ' ' && target.matches('button, a, summary')) return;
  if (event.shiftKey && event.key.startsWith('Arrow')) return; // selects
  const action = event.key === ' ' ? () => onspace(event.shiftKey ? -1 : 1) : keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
