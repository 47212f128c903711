/**
 * Adds the texts of select mode; imported by each file that uses one of them. Both languages load with it, after the
 * first content of a page: a part of its own would add its name to every page.
 */
import { register } from '..';
import { deSelect } from '../texts/lists/de.select';
import { enSelect } from '../texts/lists/en.select';

register(enSelect, { de: () => Promise.resolve(deSelect) });
