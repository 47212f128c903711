/** Adds the texts of the search page; imported by each file that uses one of them. */
import { register } from '..';
import { enSearch } from '../texts/lists/en.search';

register(enSearch, { de: async () => (await import('../texts/lists/de.search')).deSearch });
