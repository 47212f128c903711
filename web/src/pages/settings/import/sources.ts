/** Programs whose data the server imports. */
export interface Source {
  id: string;
  label: string;
  /** Name of the file or folder that is read. */
  input: string;
  /** True if it is a folder. */
  isFolder?: true;
  /** Name of a second database. */
  library?: string;
}

export const SOURCES: readonly Source[] = [
  { id: 'audiobookshelf', label: 'Audiobookshelf', input: 'absdatabase.sqlite' },
  { id: 'calibre-web', label: 'Calibre-Web', input: 'app.db', library: 'metadata.db' },
  { id: 'jellyfin', label: 'Jellyfin', input: 'jellyfin.db' },
  { id: 'kavita', label: 'Kavita', input: 'kavita.db' },
  { id: 'komga', label: 'Komga', input: 'database.sqlite' },
  { id: 'navidrome', label: 'Navidrome', input: 'navidrome.db' },
  { id: 'plex', label: 'Plex', input: 'com.plexapp.plugins.library.db' },
  { id: 'romm', label: 'RomM', input: 'assets', isFolder: true },
];

export const sourceOf = (id: string): Source | undefined => SOURCES.find((one) => one.id === id);
