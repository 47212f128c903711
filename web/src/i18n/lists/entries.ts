/** Adds the texts of entries of playlists and collections; imported by each file that uses one of them. */
import { register } from '..';
import { enEntries } from '../texts/lists/own/en.entries';

register(enEntries, { de: async () => (await import('../texts/lists/own/de.entries')).deEntries });
