/** Adds the texts of the rule editor; imported by each file that uses one of them. */
import { register } from '..';
import { enRules } from '../texts/lists/own/en.rules';

register(enRules, { de: async () => (await import('../texts/lists/own/de.rules')).deRules });
