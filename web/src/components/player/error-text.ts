/** The texts of playback errors. */
import type { MediaFile } from '../../api/models';
import { t } from '../../i18n';
import '../../i18n/player';
import { codecName, formatName } from '../../catalogue/codecs';
import type { Trouble } from '../../playback/watchdog';

/** Returns true if a retry can help. */
export function isTemporary(trouble: Trouble): boolean {
  return ['unreachable', 'missing', 'interrupted', 'changed', 'unloaded', 'graphics', 'crashed'].includes(
    trouble,
  );
}

/** `share` is the decoding speed as a share of the speed that the film needs. */
export function playbackErrorText(trouble: Trouble, file: MediaFile, share = 0): string {
  switch (trouble) {
    case 'missing':
      return t('play.missing');
    case 'session':
      return t('login.ended');
    case 'unreachable':
      return t('error.unreachable');
    case 'interrupted':
      return t('play.interrupted');
    case 'silence':
      return t('play.silence');
    case 'no-picture':
      return t('play.noPicture', { codec: codecName(file.vcodec) });
    case 'changed':
      return t('play.changed');
    case 'empty':
      return t('play.empty');
    case 'damaged':
      return t('play.damaged');
    case 'unloaded':
      return t('play.unloaded');
    case 'graphics':
      return t('play.graphics');
    case 'crashed':
      return t('play.crashed');
    case 'slow':
      return t('play.slow', { codec: codecName(file.vcodec), percent: Math.round(share * 100) });
    case 'unsupported':
    case 'refused':
      return t('play.refused', { format: formatName(file) });
  }
}
