/** The German texts of games. */
import type { Translation } from '../translation';
import type { enGame } from './en.game';

export const deGame: Translation<typeof enGame> = {
  'game.loading': 'Die Konsole wird geladen',
  'game.starting': 'Das Spiel startet',
  'game.pause': 'Pause',
  'game.resume': 'Fortsetzen',
  'game.paused': 'Angehalten',
  'game.sound': 'Ton',
  'game.silence': 'Stumm',
  'game.controls': 'Steuerung',
  'game.saves': 'Spielstände',
  'game.fullscreen': 'Vollbild',
  'game.exitFullscreen': 'Vollbild verlassen',
  'game.restart': 'Von vorn beginnen',
  'game.screen': 'Der Bildschirm des Spiels',
  'game.slot': 'Platz {n}',
  'game.slot.auto': 'Automatisch',
  'game.slot.empty': 'Leer',
  'game.slot.other': 'Von einem anderen Core',
  'game.slot.waiting': 'Nur auf diesem Gerät',
  'game.slot.refused': 'Nur auf diesem Gerät: Der Server nimmt ihn nicht an',
  'game.save': 'Speichern',
  'game.load': 'Laden',
  'game.saving': 'Wird gespeichert',
  'game.saved': 'Gespeichert',
  'game.saved.here': 'Auf diesem Gerät gespeichert. Zum Server kommt es, sobald der antwortet.',
  'game.loaded': 'Geladen',
  'game.tooLarge':
    'Dieser Stand ist größer als die 16 MB, die ein Spielstand haben darf. Er wurde nicht gespeichert.',
  'game.conflict':
    'Ein anderes Gerät hat inzwischen auf diesen Platz gespeichert. Speichere noch einmal, um deinen obenauf zu legen; der andere bleibt als ältere Fassung.',
  'game.cannotSave': 'Dieses Spiel kann jetzt nicht gespeichert werden.',
  'game.cannotLoad': 'Dieser Spielstand kann nicht geladen werden.',
  'game.move': 'Bewegen',
  'game.up': 'Hoch',
  'game.down': 'Runter',
  'game.left': 'Links',
  'game.right': 'Rechts',
  'game.select': 'Select',
  'game.start': 'Start',
  'game.controls.keys': 'Tastatur',
  'game.controls.pads': 'Gamepad',
  'game.pads.about': 'Wähle einen Knopf und drücke ihn dann auf dem Gamepad.',
  'game.pads.none':
    'Schließe ein Gamepad an und drücke einen seiner Knöpfe: Erst dann erfährt der Browser davon. Es geht so, wie es ist, und lässt sich hier belegen.',
  'game.pads.cannot': 'Dieser Browser unterstützt hier keine Gamepads. Manche brauchen https.',
  'game.pads.make': 'Gamepad',
  'game.pads.button': 'Knopf {n}',
  'game.pads.axis': 'Achse {n} {way}',
  'game.pads.wait': 'Jetzt drücken',
  'game.pads.chosen': '{button}: {control}',
  'game.pads.reset': 'Die üblichen Knöpfe',
  'game.pads.isReset': 'Das Gamepad ist wie üblich belegt.',
  'saves.slots': 'Plätze',
  'saves.memory': 'Speicher des Moduls',
  'saves.now': 'Jetzt',
  'saves.same': 'Dasselbe wie jetzt',
  'saves.picture': 'Der Bildschirm, {when}',
  'saves.none': 'Von diesem Spiel gibt es noch keinen Spielstand.',
  'saves.noOther': 'Es gibt noch keine früheren Stände.',
  'saves.about':
    'Die letzten zehn Stände jedes Platzes werden hier aufgehoben, wenn darüber gespeichert wird.',
  'saves.about.memory':
    'Was das Spiel selbst gespeichert hat, wie es ein Modul mit Batterie behielte. Die letzten zehn werden aufgehoben.',
  'saves.restore': 'Wiederherstellen',
  'saves.restoreOf': 'Wiederherstellen: {when}',
  'saves.restored': '{slot} wiederhergestellt: {when}',
  'saves.download': 'Herunterladen: {when}',
  'saves.ask': 'Den Stand vom {when} wiederherstellen?',
  'saves.ask.text': 'Der jetzige Inhalt von {slot} bleibt als früherer Stand erhalten.',
  'saves.ask.playing':
    'Das laufende Spiel endet, ohne gespeichert zu werden, und beginnt mit dem, was zurückgeholt wird.',
  'saves.conflict':
    'Ein anderes Gerät hat dort inzwischen gespeichert. Sieh es dir an und versuche es dann noch einmal.',
  'saves.anew': 'Das Spiel damit beginnen',
  'saves.anew.text':
    'Es ist in der Konsole, wenn das Spiel von vorn begonnen wird. Wer dort weiterspielt, wo er aufgehört hat, bekommt den neueren Speicher zurück.',
  'game.keys.about': 'Wähle einen Knopf und drücke dann seine Taste.',
  'game.keys.wait': 'Drücke eine Taste',
  'game.keys.reset': 'Die üblichen Tasten',
  'game.pad': 'Pad',
  'game.failed': 'Dieses Spiel startet nicht',
  'game.stalled':
    'Der Server oder der Core antwortet nicht. Versuch es noch einmal, oder öffne die Datei mit einem anderen Programm.',
  'game.failed.text':
    'Der Core kann das Spiel nicht ausführen. Vielleicht ist die Datei beschädigt oder von einer Art, die er nicht unterstützt.',
  'game.missing': 'Die Datei ist nicht dort, wo die letzte Suche sie fand.',
  'game.webgl': 'Dieser Browser kann keine Spiele zeichnen',
  'game.webgl.text':
    'Spiele brauchen WebGL 2, das hier fehlt oder abgeschaltet ist. Ein anderer Browser oder ein anderes Gerät hat es vielleicht.',
  'game.core': 'Der Core für {platform} ist nicht auf diesem Server',
  'game.core.admin':
    'Füge die Dateien {script} und {wasm} unter Einstellungen → Spiele hinzu. „make cores-addons“ holt sie für dich.',
  'game.core.free':
    'Veröffentlichungen von Ledge enthalten ihn, diese hier nicht. Füge {script} und {wasm} unter Einstellungen → Spiele hinzu.',
  'game.core.user':
    'Die Person, die diesen Server betreibt, kann ihn hinzufügen. Bis dahin kannst du das Spiel herunterladen.',
  'game.core.none': 'Kein Core spielt {platform} in einem Browser',
  'game.core.none.text': 'Du kannst das Spiel herunterladen und anderswo spielen.',
  'game.core.settings': 'Cores und BIOS-Dateien',
  'game.bios': '{platform} braucht eine BIOS-Datei',
  'game.bios.admin':
    'Füge {names} unter Einstellungen → Spiele hinzu, kopiert von einer Konsole, die dir gehört.',
  'game.bios.user':
    'Die Person, die diesen Server betreibt, kann {names} hinzufügen. Bis dahin kannst du das Spiel herunterladen.',
};
