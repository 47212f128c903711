/** The German texts of collections. */
import type { Translation } from '../../translation';
import type { enCollections } from './en.collections';

export const deCollections: Translation<typeof enCollections> = {
  'collections.create': 'Neue Sammlung',
  'collections.createSmart': 'Neue smarte Sammlung',
  'collections.search': 'Sammlungen durchsuchen',
  'collections.none.title': 'Noch keine Sammlungen',
  'collections.none.text': 'Stelle Titel jeder Art von Hand zusammen, oder wähle sie mit einer Regel aus.',
  'collections.noMatch': 'Keine Sammlung heißt so.',
  'collections.items': { one: '{count} Titel', other: '{count} Titel' },
  'collections.smart': 'Smarte Sammlung',
  'collection.sort.own': 'Eigene Reihenfolge',
  'collection.sort.owner': 'Reihenfolge des Besitzers',
  'collection.sort.rule': 'Reihenfolge der Regel',
  'collection.editRule': 'Regel bearbeiten',
  'collection.delete': 'Sammlung löschen',
};
