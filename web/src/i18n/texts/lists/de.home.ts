/** The German texts of the home page. */
import type { Translation } from '../translation';
import type { enHome } from './en.home';

export const deHome: Translation<typeof enHome> = {
  'home.newest': 'Neu in deiner Bibliothek',
  'home.look': 'Ansehen',
  'home.recently': 'Neu hinzugekommen',
  'home.resume': 'Dort weiter, wo du aufgehört hast',
  'home.continue': 'Weiter',
  'home.continueOf': 'Weiter mit {title}',
  'home.next.note': 'In deinen Reihen',
  'home.alsoAs': 'Auch als {kind}',
  'home.continueAs': 'Als {kind} fortsetzen',
  'home.details': 'Einzelheiten',
  'home.suggestions': 'Vorschläge',
  'home.suggestions.note': 'Nach dem, was du gelesen, gesehen und gespielt hast',
  'home.viewed': 'Am häufigsten geöffnet',
  'home.explore': 'Entdecken',
  'home.explore.note': 'Zufällige Titel',
  'home.shuffle': 'Mischen',
  'reason.kind': 'Mehr: {kind}',
  'reason.recent': 'Neu hier',
  'views.count': { one: 'Einmal geöffnet', other: '{count}-mal geöffnet' },
};
