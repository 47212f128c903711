/** The German texts of the metadata settings. */
import type { Translation } from '../translation';
import type { enProviders } from './en.metadata';

export const deProviders: Translation<typeof enProviders> = {
  'providers.about':
    'Anbieter ergänzen Cover, Beschreibungen und Personen. Ledge verbindet sich nur mit einem Anbieter, wenn ein Administrator es verlangt, oder nach dem Durchsuchen, wenn du das einschaltest.',
  'providers.lookups': 'Anfragen',
  'providers.remote': 'Anfragen an entfernte Anbieter erlauben',
  'providers.remote.hint':
    'Sonst wird kein Anbieter gefragt, auch nicht bei einem Klick auf „Metadaten aktualisieren“.',
  'providers.afterScans': 'Metadaten nach jedem Durchsuchen anfragen',
  'providers.afterScans.hint': 'Neue und geänderte Titel werden im Hintergrund nachgeschlagen.',
  'providers.environment':
    'Durch {name} in der Umgebung des Servers festgelegt und deshalb hier nicht änderbar.',

  'providers.languages': 'Sprachen',
  'providers.languages.hint':
    'Titel und Beschreibungen kommen in der ersten dieser Sprachen, die ein Anbieter hat.',
  'providers.languages.add': 'Sprache hinzufügen',
  'providers.languages.choose': 'Sprache wählen',
  'providers.languages.remove': '{name} entfernen',

  'providers.order': 'Reihenfolge',
  'providers.order.hint': 'Ledge fragt die Anbieter eines Titels von oben nach unten, bis einer ihn kennt.',
  'providers.order.of': 'Reihenfolge für {kind}',
  'providers.order.off': 'aus',
  'providers.order.incomplete': 'braucht einen Schlüssel',
  'providers.up': '{name} nach oben',
  'providers.down': '{name} nach unten',
  'providers.moved': '{name} ist jetzt Nummer {n}.',

  'providers.providers': 'Anbieter',
  'providers.enabled': '{name} verwenden',
  'providers.for': 'Für {kinds}',
  'providers.local': 'Liest Dateien neben deinen Medien. Es wird nichts gesendet.',
  'providers.sends': 'Ledge sendet an {hosts}: {data}.',
  'providers.always':
    'Jede Anfrage enthält außerdem die Adresse dieses Servers und die Version von Ledge. Sie enthält nie Dateinamen, Pfade, Benutzer oder Fortschritt.',
  'providers.pace': {
    one: 'Höchstens {count} Anfrage pro Sekunde an jeden Host.',
    other: 'Höchstens {count} Anfragen pro Sekunde an jeden Host.',
  },
  'providers.sent.title': 'Titel',
  'providers.sent.people': 'Autoren oder Interpreten',
  'providers.sent.year': 'Jahr',
  'providers.sent.isbn': 'ISBN',
  'providers.sent.series': 'Reihe',
  'providers.sent.platform': 'Plattform',
  'providers.sent.external_ids': 'Kennungen in anderen Datenbanken',
  'providers.sent.parts': 'Nummern, Titel und Längen von Folgen oder Stücken',
  'providers.sent.languages': 'Sprachen',
  'providers.address': 'Adresse',

  'providers.key.set': 'Gespeichert. Ein neuer Wert ersetzt ihn.',
  'providers.key.unreadable':
    'Der gespeicherte Wert lässt sich nicht entschlüsseln, weil die Schlüsseldatei des Servers ersetzt wurde. Gib ihn erneut ein.',
  'providers.key.write': 'Ledge verschlüsselt den Wert und zeigt ihn nie wieder an.',
  'providers.key.save': 'Speichern',
  'providers.key.saveOf': '{name} speichern',
  'providers.key.delete': 'Löschen',
  'providers.key.deleteOf': '{name} löschen',
  'providers.test': 'Testen',
  'providers.test.key': 'Schlüssel testen',
  'providers.test.running': 'Wird getestet …',
  'providers.test.accepted': 'Es funktioniert.',
  'providers.test.local': 'Es ist keine Verbindung nötig.',
  'providers.test.incomplete': 'Ein Wert fehlt.',
  'providers.test.off': 'Anfragen an entfernte Anbieter sind abgeschaltet.',
  'providers.test.rejected': 'Der Anbieter lehnt den Schlüssel ab.',
  'providers.test.limited': 'Der Anbieter nimmt zurzeit keine weiteren Anfragen an.',
  'providers.test.limitedFor': {
    one: 'Der Anbieter nimmt {count} Minute lang keine weiteren Anfragen an.',
    other: 'Der Anbieter nimmt {count} Minuten lang keine weiteren Anfragen an.',
  },
  'providers.test.timeout': 'Der Anbieter antwortet nicht.',

  'providers.left': { one: 'Noch {count} Titel', other: 'Noch {count} Titel' },
  'providers.progress': 'Bibliotheken',
  'providers.progress.none': 'Es gibt noch keine Bibliotheken.',
};
