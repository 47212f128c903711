/** The words for what a browser cannot play. */
import type { MediaFile } from '../api/types';
import { t } from '../i18n';
import '../i18n/player';
import { codecName, formatName } from './codecs';
import type { Trouble } from './watchdog';

/** Whether to try again may help. */
export function mayPass(trouble: Trouble): boolean {
  return trouble === 'unreachable' || trouble === 'missing' || trouble === 'interrupted';
}

export function troubleText(trouble: Trouble, file: MediaFile): string {
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
    case 'refused':
      return t('play.refused', { format: formatName(file) });
  }
}
