/** Adds the texts of items; imported by each file that uses one of them. */
import { register } from '.';
import { enItem } from './texts/en.item';

register(enItem, { de: async () => (await import('./texts/de.item')).deItem });
