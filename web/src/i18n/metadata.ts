/** Adds the texts of metadata and of people; imported by each file that uses one of them. */
import { register } from '.';
import { enMetadata } from './texts/works/en.metadata';

register(enMetadata, { de: async () => (await import('./texts/works/de.metadata')).deMetadata });
