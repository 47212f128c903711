/** Adds the texts of imports; imported by each file that uses one of them. */
import { register } from '..';
import { enImport } from '../texts/settings/en.import';

register(enImport, { de: async () => (await import('../texts/settings/de.import')).deImport });
