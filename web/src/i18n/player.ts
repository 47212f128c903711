/** Registers the texts of the players; imported by each file that uses one of them. */
import { register } from '.';
import { enPlayer } from './texts/en.player';

register(enPlayer, { de: async () => (await import('./texts/de.player')).dePlayer });
