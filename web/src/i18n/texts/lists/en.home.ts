/** The texts of the home page. */
export const enHome = {
  'home.newest': 'New in your library',
  'home.look': 'Take a look',
  'home.recently': 'Recently added',
  'home.resume': 'Pick up where you left off',
  'home.continue': 'Continue',
  'home.continueOf': 'Continue {title}',
  'home.details': 'Details',
  'home.suggestions': 'Suggestions',
  'home.suggestions.note': 'From what you have been reading, watching and playing',
  'home.viewed': 'Most viewed',
  'home.explore': 'Explore',
  'home.explore.note': 'Random items',
  'home.shuffle': 'Shuffle',
  'reason.kind': 'More {kind}',
  'reason.recent': 'New here',
  'views.count': { one: 'Opened once', other: 'Opened {count} times' },
} as const;
