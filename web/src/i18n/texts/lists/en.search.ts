/** The texts of the search page. */
export const enSearch = {
  'search.prompt.title': 'What are you looking for?',
  'search.prompt.text': 'Type a title, a name or a part of one. Results come as you type.',
  'search.recent': 'Recent searches',
  'search.results': { one: '{count} result', other: '{count} results' },
  'search.all': 'All',
  'search.more': { other: 'Show all {count}' },
  'search.moreOf': { other: 'Show all {count}: {what}' },
  'search.kinds': 'Show results of',
  'search.corrected': 'Showing results for “{q}”.',
  'search.exactly': 'Search for exactly “{q}”',
  'search.exact': 'Only exact matches of “{q}” are shown.',
  'search.similar': 'Include similar words',
  'search.suggestions': 'Similar searches',
} as const;
