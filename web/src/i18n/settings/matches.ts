/** Adds the texts of matches; imported by each file that uses one of them. */
import { register } from '..';
import { enMatches } from '../texts/settings/en.matches';

register(enMatches, { de: async () => (await import('../texts/settings/de.matches')).deMatches });
