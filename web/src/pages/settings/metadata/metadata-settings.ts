/** Texts and changes of the metadata settings. */
import type { MetadataSettings, ProviderSetting, ProviderSettings, ProviderTest } from '../../../api/models';
import { t, type Key } from '../../../i18n';
import '../../../i18n/settings/metadata';
import { format } from '../../../i18n/locale';

const list = (texts: readonly string[]) => format(Intl.ListFormat, { type: 'conjunction' }).format(texts);

/** Returns a copy of a list with one entry moved by one place. */
export function moved<T>(entries: readonly T[], at: number, by: -1 | 1): T[] {
  const copy = [...entries];
  const [entry] = copy.splice(at, 1);
  if (entry !== undefined) copy.splice(at + by, 0, entry);
  return copy;
}

const sent: Readonly<Record<ProviderSettings['sends'][number], Key>> = {
  title: 'metadata.sent.title',
  people: 'metadata.sent.people',
  year: 'metadata.sent.year',
  isbn: 'metadata.sent.isbn',
  series: 'metadata.sent.series',
  platform: 'metadata.sent.platform',
  external_ids: 'metadata.sent.external_ids',
  parts: 'metadata.sent.parts',
  languages: 'metadata.sent.languages',
};

/** States the data that a provider receives, and its hosts. */
export function sentText({ hosts, sends }: Pick<ProviderSettings, 'hosts' | 'sends'>): string {
  return t('metadata.sends', { hosts: list(hosts), data: list(sends.map((one) => t(sent[one]))) });
}

const outcomes: Readonly<Partial<Record<ProviderTest['outcome'], Key>>> = {
  accepted: 'metadata.test.accepted',
  local: 'metadata.test.local',
  incomplete: 'metadata.test.incomplete',
  off: 'metadata.test.off',
  rejected: 'metadata.test.rejected',
  limited: 'metadata.test.limited',
  timeout: 'metadata.test.timeout',
};

/** Returns the result of a test. Other failures have the sentence of the server, in English. */
export function testText({ outcome, message, retry_after }: Omit<ProviderTest, 'ok'>): string {
  if (outcome === 'limited' && retry_after !== null)
    return t('metadata.test.limitedFor', { count: Math.ceil(retry_after / 60) });
  const key = outcomes[outcome];
  return key === undefined ? message : t(key);
}

/** Returns the reason why a provider of an order is not asked, or an empty text. */
export function idleText(
  { enabled, is_remote, missing }: Pick<ProviderSettings, 'enabled' | 'is_remote' | 'missing'>,
  remote: boolean,
): string {
  if (!enabled || (is_remote && !remote)) return t('metadata.order.off');
  return missing.length > 0 ? t('metadata.order.incomplete') : '';
}

/** Returns the name of a setting for its field. The server describes settings in English. */
export const settingLabel = ({ help }: Pick<ProviderSetting, 'help'>) =>
  help.charAt(0).toUpperCase() + help.slice(1);

/** Returns the providers of a kind in their query order. */
export function inOrder(settings: MetadataSettings, kind: string): ProviderSettings[] {
  const ids = settings.order[kind] ?? [];
  return ids.flatMap((id) => settings.providers.find((provider) => provider.id === id) ?? []);
}
