/** Adds the texts of filters; imported by each file that uses one of them. */
import { register } from '..';
import { enFilters } from '../texts/lists/en.filters';

register(enFilters, { de: async () => (await import('../texts/lists/de.filters')).deFilters });
