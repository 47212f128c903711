/** The German texts of the forms of a title. */
import type { Translation } from '../translation';
import type { enWorks } from './en.works';

export const deWorks: Translation<typeof enWorks> = {
  'forms.title': 'Formen dieses Titels',
  'forms.this': 'Diese Seite',
  'forms.link.title': 'Weitere Form verknüpfen',
  'forms.link.about': 'Suche den Eintrag, der eine weitere Form von „{title}“ ist.',
  'forms.link.search': 'Einträge suchen',
  'forms.link.action': 'Verknüpfen',
  'forms.link.of': 'Verknüpfen: {title}, {kind}',
  'forms.link.linked': 'Verknüpft',
  'forms.link.done': 'Verknüpft: {title}',
  'forms.link.none': 'Keine Einträge gefunden.',
  'forms.unlink': 'Lösen',
  'forms.unlink.of': 'Lösen: {title}, {kind}',
  'forms.unlink.title': 'Diese Form lösen?',
  'forms.unlink.text':
    '„{title}“ ist dann ein eigener Titel. Ledge verknüpft ihn nicht wieder automatisch mit diesen Formen.',
  'forms.listen': 'Hier weiterhören',
  'forms.read': 'Hier weiterlesen',
  'forms.estimate.title': 'Ungefähre Stelle',
  'forms.estimate.text':
    'Die Kapitel der beiden Formen ließen sich nicht zuordnen. Die Stelle ist aus dem Anteil am Ganzen geschätzt: {percent}. Sie kann um mehrere Seiten oder Minuten abweichen.',
  'forms.estimate.action': 'Weiter bei {percent}',
};
