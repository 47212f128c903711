/** Adds the texts of lists; imported by each file that uses one of them. */
import { register } from '..';
import { enLists } from '../texts/lists/en.lists';

register(enLists, { de: async () => (await import('../texts/lists/de.lists')).deLists });
