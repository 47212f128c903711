/** Adds the texts of details; imported by each file that uses one of them. */
import { register } from '.';
import { enDetails } from './texts/en.details';

register(enDetails, { de: async () => (await import('./texts/de.details')).deDetails });
