/** The German texts of playlists. */
import type { Translation } from '../../translation';
import type { enPlaylists } from './en.playlists';

export const dePlaylists: Translation<typeof enPlaylists> = {
  'playlists.create': 'Neue Playlist',
  'playlists.search': 'Playlists durchsuchen',
  'playlists.sort': 'Sortieren nach',
  'playlists.sort.updated': 'Zuletzt geändert',
  'playlists.sort.created': 'Zuletzt angelegt',
  'playlists.whose': 'Besitzer',
  'playlists.own': 'Meine',
  'playlists.others': 'Von anderen',
  'playlists.public': 'Öffentlich',
  'playlists.by': 'von {name}',
  'playlists.entries': { one: '{count} Eintrag', other: '{count} Einträge' },
  'playlists.changed': 'Geändert {when}',
  'playlists.none.title': 'Noch keine Playlists',
  'playlists.none.text': 'Sammle Titel, Alben und Filme in deiner eigenen Reihenfolge.',
  'playlists.noMatch.title': 'Keine Treffer',
  'playlists.noMatch.text': 'Keine Playlist heißt so.',
  'playlists.empty.title': 'Diese Playlist ist leer',
  'playlists.empty.text':
    '„Zu Playlist hinzufügen“ findest du in den Menüs von Alben, Titeln, Hörbüchern und Filmen.',
  'playlists.others.empty': 'Du kannst keinen ihrer Einträge sehen.',
  'playlist.playAll': 'Abspielen',
  'playlist.shuffle': 'Zufällig',
  'playlist.more': 'Weitere Aktionen',
  'playlist.edit': 'Angaben bearbeiten',
  'playlist.download': 'Alle herunterladen',
  'playlist.export': 'Als .m3u8 herunterladen',
  'playlist.delete': 'Playlist löschen',
  'playlist.name': 'Name',
  'playlist.nothing': 'Nichts in dieser Playlist lässt sich hier abspielen.',
};
