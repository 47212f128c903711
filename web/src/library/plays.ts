/** Why this browser does not play a thing, in words. */
import { t } from '../i18n';
import { codecName } from '../media/notice';

/** The server's obstacle, such as `vcodec:hevc`, as a part of a sentence; empty where it says nothing of codecs. */
export function obstacle(reason: string | null | undefined): string {
  const [what, name = ''] = (reason ?? '').split(/:(.*)/s);
  if (what === 'vcodec' || what === 'acodec') return t('plays.codec', { codec: codecName(name) });
  if (what === 'container') return t('plays.container', { container: name.toUpperCase() });
  return '';
}

/** Whether a card should say so before it is opened; what is merely not examined yet may well play. */
export function refused(card: { plays?: boolean | null; plays_reason?: string | null }): boolean {
  return card.plays === false && obstacle(card.plays_reason) !== '';
}
