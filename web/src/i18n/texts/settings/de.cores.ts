/** The German texts of emulator cores in the settings. */
import type { Translation } from '../translation';
import type { enCores } from './en.cores';

export const deCores: Translation<typeof enCores> = {
  'cores.about':
    'Cores spielen Spiele im Browser. Freie sind in Ledge enthalten, andere kannst du hinzufügen. Hinzugefügte Dateien haben Vorrang.',
  'cores.embedded': 'Mitgeliefert',
  'cores.added': 'Hinzugefügt',
  'cores.missing': 'Fehlt',
  'cores.incomplete': 'Eine Datei fehlt',
  'cores.sources': 'Quelltext',
  'cores.addon': 'Zusatz: Die Lizenz verbietet das Mitliefern',
  'cores.upload': 'Dateien hinzufügen',
  'cores.upload.about':
    'Core-Dateien heißen wie {example}, BIOS-Dateien wie unten. Core-Skripte laufen in jedem Browser: Füge nur hinzu, wem du vertraust.',
  'cores.choose': 'Dateien wählen',
  'cores.taken': { one: '{count} Datei hinzugefügt', other: '{count} Dateien hinzugefügt' },
  'cores.not-script': '{name} ist nicht das Skript eines Cores: Es definiert kein EJS_Runtime.',
  'cores.not-wasm': '{name} ist kein WebAssembly-Modul.',
  'cores.unknown': '{name} ist keine bekannte Datei eines Cores oder BIOS.',
  'cores.remove': '{name} entfernen',
  'cores.remove.title': '{name} entfernen?',
  'cores.remove.text': 'Sie wird von diesem Server gelöscht. Spiele, die sie brauchen, starten nicht mehr.',
  'cores.remove.action': 'Entfernen',
  'cores.list': 'Cores',
  'cores.bios': 'BIOS-Dateien',
  'cores.bios.about': 'Manche Systeme brauchen eine BIOS-Datei. Kopiere sie von deiner eigenen Konsole.',
  'cores.bios.required': 'Nötig',
  'cores.bios.optional': 'Freiwillig',
  'cores.bios.other': 'Nicht die übliche Fassung',
};
