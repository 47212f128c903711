/** Adds the texts of actions in the menus of items and files; imported by each file that uses one of them. */
import { register } from '..';
import { enMenus } from '../texts/lists/en.menus';

register(enMenus, { de: async () => (await import('../texts/lists/de.menus')).deMenus });
