/** The reason why this browser does not play an item, as text. */
import { t } from '../i18n';
import { codecName } from './codecs';

interface Playability {
  plays?: boolean | null;
  plays_reason?: string | null;
}

/**
 * Formats the server's obstacleText, such as `vcodec:hevc`, as a part of a sentence; empty if it does not concern codecs.
 */
export function obstacleText(reason: string | null | undefined): string {
  const [what, name] = parts(reason);
  if (what === 'vcodec' || what === 'acodec') return t('plays.codec', { codec: codecName(name) });
  if (what === 'container') return t('plays.container', { container: name.toUpperCase() });
  return '';
}

/** A short form of the reason, for the bottom of a card. */
export function shortObstacle(card: Playability): string {
  const [what, name] = parts(card.plays_reason);
  return t('plays.not.short', { what: what === 'container' ? name.toUpperCase() : codecName(name) });
}

/**
 * Returns true if a card should show the reason before it is opened. A file that is not yet examined can play.
 */
export function isUnplayable(card: Playability): boolean {
  return card.plays === false && obstacleText(card.plays_reason) !== '';
}

function parts(reason: string | null | undefined): [string, string] {
  const [what = '', name = ''] = (reason ?? '').split(/:(.*)/s);
  return [what, name];
}
