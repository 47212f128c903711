/** The number of items that a rule selects, as text. */
import type { CardPage } from '../../api/models';
import { t } from '../../i18n';
import '../../i18n/lists/rules';

/** The server stops counting at a bound; its total is then the least number. */
export function totalText({ total, ...page }: CardPage): string {
  const isBound = (page as { approximate?: boolean }).approximate === true;
  return t(isBound ? 'rule.totalAbout' : 'rule.total', { count: total });
}
