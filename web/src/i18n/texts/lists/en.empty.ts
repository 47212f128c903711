/** The texts of empty lists of items. */
export const enEmpty = {
  'empty.fresh.title': 'No libraries yet',
  'empty.fresh.text': 'Add a folder with books, music, films or games, and they will appear here.',
  'empty.fresh.action': 'Add a folder',
  'empty.scanning.title': 'The first scan is running',
  'empty.scanning.text': 'Items appear here as soon as the scan finds them.',
  'empty.some.title': 'Nothing here yet',
  'empty.admin.text':
    'Check the libraries: are the folders right, have they been scanned, and are they shared with you?',
  'empty.kind.title': 'Nothing here yet: {kind}',
  'empty.kind.text': 'Items added to your libraries will appear here.',
  'favourites.none.title': 'No favourites yet',
  'favourites.none.text': 'Select the heart on the page of an item to add it here.',
  'empty.user.title': 'Nothing is shared with you yet',
  'empty.user.text': 'Ask the person who runs this server to share a library with you.',
} as const;
