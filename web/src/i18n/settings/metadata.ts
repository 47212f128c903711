/** Adds the texts of the metadata settings; imported by each file that uses one of them. */
import { register } from '..';
import { enMetadata } from '../texts/settings/en.metadata';

register(enMetadata, { de: async () => (await import('../texts/settings/de.metadata')).deMetadata });
