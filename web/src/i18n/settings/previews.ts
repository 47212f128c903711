/** Adds the texts of previews of metadata; imported by each file that uses one of them. */
import { register } from '..';
import { enPreviews } from '../texts/settings/en.previews';

register(enPreviews, { de: async () => (await import('../texts/settings/de.previews')).dePreviews });
