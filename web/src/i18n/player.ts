/** Registers the texts of the players; imported by each file that uses one of them. */
import { register } from '.';
import { enPlayer } from './texts/viewers/en.player';

register(enPlayer, { de: async () => (await import('./texts/viewers/de.player')).dePlayer });
