/** Adds the texts of shows and series; imported by each file that uses one of them. */
import { register } from '..';
import { enShows } from '../texts/works/en.shows';

register(enShows, { de: async () => (await import('../texts/works/de.shows')).deShows });
