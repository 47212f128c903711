/** Adds the texts of the metadata settings; imported by each file that uses one of them. */
import { register } from '..';
import { enProviders } from '../texts/settings/en.metadata';

register(enProviders, { de: async () => (await import('../texts/settings/de.metadata')).deProviders });
