/** The buttons of a console's gamepad, in display order and with their display names. */
import { t } from '../../../i18n';
import '../../../i18n/game';
import { buttonsOf, type Button } from './retropad';

export const buttonsOn = (platform: string): readonly Button[] => [
  'up',
  'down',
  'left',
  'right',
  ...buttonsOf(platform),
];

export function buttonName(button: Button): string {
  switch (button) {
    case 'up':
      return t('game.up');
    case 'down':
      return t('game.down');
    case 'left':
      return t('game.left');
    case 'right':
      return t('game.right');
    case 'select':
      return t('game.select');
    case 'start':
      return t('game.start');
    default:
      return button.toUpperCase();
  }
}
