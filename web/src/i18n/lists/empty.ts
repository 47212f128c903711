/** Adds the texts of empty libraries; imported by each file that uses one of them. */
import { register } from '..';
import { enEmpty } from '../texts/lists/en.empty';

register(enEmpty, { de: async () => (await import('../texts/lists/de.empty')).deEmpty });
