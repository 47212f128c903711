/** Adds the texts of collections; imported by each file that uses one of them. */
import { register } from '..';
import { enCollections } from '../texts/lists/own/en.collections';

register(enCollections, {
  de: async () => (await import('../texts/lists/own/de.collections')).deCollections,
});
