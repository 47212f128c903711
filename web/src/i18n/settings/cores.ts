/** Adds the texts of emulator cores; imported by each file that uses one of them. */
import { register } from '..';
import { enCores } from '../texts/settings/en.cores';

register(enCores, { de: async () => (await import('../texts/settings/de.cores')).deCores });
