/** The texts of collections. */
export const enCollections = {
  'collections.create': 'New collection',
  'collections.createSmart': 'New smart collection',
  'collections.search': 'Search collections',
  'collections.none.title': 'No collections yet',
  'collections.none.text': 'Group items of any kind by hand, or let a rule select them.',
  'collections.noMatch': 'No collection has this name.',
  'collections.items': { one: '{count} item', other: '{count} items' },
  'collections.smart': 'Smart collection',
  'collection.sort.own': 'Own order',
  'collection.sort.owner': 'Order of the owner',
  'collection.sort.rule': 'Order of the rule',
  'collection.editRule': 'Edit rule',
  'collection.delete': 'Delete collection',
} as const;
