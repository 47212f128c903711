/** Adds the texts of collections; imported by each file that uses one of them. */
import { register } from '..';
import { enCollections } from '../texts/lists/en.collections';

register(enCollections, { de: async () => (await import('../texts/lists/de.collections')).deCollections });
