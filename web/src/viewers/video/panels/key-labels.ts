/** The texts on keys, for the help. */
import type { Key } from '../../../i18n';
import '../../../i18n/player';

/** Symbols of keys whose names are too long for the help. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};
const NAMES: Readonly<Record<string, Key>> = {
  ' ': 'player.keys.space',
  Home: 'player.keys.home',
  End: 'player.keys.endKey',
  PageUp: 'player.keys.pageUp',
  PageDown: 'player.keys.pageDown',
};

/** Returns the text on a key: a symbol, or the key of its name in the language of the interface. */
export function labelOf(key: string): { text: string } | { name: Key } {
  const name = NAMES[key];
  if (name) return { name };
  return { text: SYMBOLS[key] ?? (/^[a-z]$/.test(key) ? key.toUpperCase() : key) };
}
