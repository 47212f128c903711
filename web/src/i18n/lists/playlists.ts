/** Adds the texts of playlists; imported by each file that uses one of them. */
import { register } from '..';
import { enPlaylists } from '../texts/lists/own/en.playlists';

register(enPlaylists, { de: async () => (await import('../texts/lists/own/de.playlists')).dePlaylists });
