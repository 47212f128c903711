/** The German texts of actions in the menus of items and files. */
import type { Translation } from '../translation';
import type { enMenus } from './en.menus';

export const deMenus: Translation<typeof enMenus> = {
  'queue.next': 'Als Nächstes spielen',
  'queue.add': 'In die Warteschlange',
  'queue.menu': 'Mehr zu {title}',
  'playlist.add': 'Zu Playlist hinzufügen',
  'collection.add': 'Zu Sammlung hinzufügen',
  'play.otherApp': 'In anderem Programm öffnen',
};
