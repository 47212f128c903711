/** The texts of actions in the menus of items and files. */
export const enMenus = {
  'queue.next': 'Play next',
  'queue.add': 'Add to queue',
  'queue.menu': 'More for {title}',
  'playlist.add': 'Add to playlist',
  'collection.add': 'Add to collection',
  'play.otherApp': 'Open in another app',
} as const;
