/** Why this browser does not play a thing, in words. */
import { t } from '../i18n';
import { decodes } from '../lib/engines';
import { codecName } from '../media/codecs';

interface Judged {
  plays?: boolean | null;
  plays_reason?: string | null;
}

/** The server's obstacle, such as `vcodec:hevc`, as a part of a sentence; empty where it says nothing of codecs. */
export function obstacle(reason: string | null | undefined): string {
  const [what, name] = parts(reason);
  if (what === 'vcodec' || what === 'acodec') return t('plays.codec', { codec: codecName(name) });
  if (what === 'container') return t('plays.container', { container: name.toUpperCase() });
  return '';
}

/** What stands in the way, in a word or two: for the foot of a card. */
export function hindrance(card: Judged): string {
  const [what, name] = parts(card.plays_reason);
  return t('plays.not.short', { what: what === 'container' ? name.toUpperCase() : codecName(name) });
}

/**
 * Whether a card should say so before it is opened. What is merely not examined yet may well play, and so does what
 * this browser decodes beyond what the server expects of browsers.
 */
export function refused(card: Judged): boolean {
  return card.plays === false && obstacle(card.plays_reason) !== '' && !decodes(card.plays_reason ?? '');
}

function parts(reason: string | null | undefined): [string, string] {
  const [what = '', name = ''] = (reason ?? '').split(/:(.*)/s);
  return [what, name];
}
