/** Adds the texts of the home page; imported by each file that uses one of them. */
import { register } from '..';
import { enHome } from '../texts/lists/en.home';

register(enHome, { de: async () => (await import('../texts/lists/de.home')).deHome });
