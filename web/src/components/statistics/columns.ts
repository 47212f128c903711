/** The columns of tables of sums. */
import type { Entry } from '../../api/reports/statistics';
import { t } from '../../i18n';
import '../../i18n/lists/statistics';
import { count } from '../../i18n/format';
import { timeText } from '../charts/spans';

/** Titles of the columns; `name` is that of the first one. */
export const columnsOf = (name: string): string[] => [
  name,
  t('stats.time'),
  t('stats.pages'),
  t('stats.sessions'),
  t('stats.finished'),
];

/** Values of the columns after the name. */
export const cellsOf = ({ seconds, pages, sessions, finished }: Omit<Entry, 'key' | 'name'>): string[] => [
  timeText(seconds),
  ...[pages, sessions, finished].map(count),
];

/** The value that a list shows: time, or pages for entries without any. */
export const mainValue = ({ seconds, pages }: Pick<Entry, 'seconds' | 'pages'>): string =>
  seconds === 0 && pages > 0 ? t('stats.session.pages', { count: pages }) : timeText(seconds);
