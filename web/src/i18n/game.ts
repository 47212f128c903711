/** Registers the texts of games; imported by each file that uses one of them. */
import { register } from '.';
import { enGame } from './texts/viewers/en.game';

register(enGame, { de: async () => (await import('./texts/viewers/de.game')).deGame });
