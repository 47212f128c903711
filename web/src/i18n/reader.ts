/** Registers the texts of the readers; imported by each file that uses one of them. */
import { register } from '.';
import { enReader } from './texts/viewers/en.reader';

register(enReader, { de: async () => (await import('./texts/viewers/de.reader')).deReader });
