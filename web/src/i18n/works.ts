/** Adds the texts of the forms of a title; imported by each file that uses one of them. */
import { register } from '.';
import { enWorks } from './texts/works/en.works';

register(enWorks, { de: async () => (await import('./texts/works/de.works')).deWorks });
