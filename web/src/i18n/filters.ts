/** Adds the texts of filters; imported by each file that uses one of them. */
import { register } from '.';
import { enFilters } from './texts/filters/en.filters';

register(enFilters, { de: async () => (await import('./texts/filters/de.filters')).deFilters });
