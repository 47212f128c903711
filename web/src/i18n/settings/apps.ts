/** Adds the texts of app passwords; imported by each file that uses one of them. */
import { register } from '..';
import { enApps } from '../texts/settings/en.apps';

register(enApps, { de: async () => (await import('../texts/settings/de.apps')).deApps });
