/** Texts and changes of the metadata settings. */
import type { MetadataSettings, ProviderSetting, ProviderSettings, ProviderTest } from '../../../api/models';
import { t, translate, type Key } from '../../../i18n';
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
  title: 'providers.sent.title',
  people: 'providers.sent.people',
  year: 'providers.sent.year',
  isbn: 'providers.sent.isbn',
  series: 'providers.sent.series',
  platform: 'providers.sent.platform',
  external_ids: 'providers.sent.external_ids',
  parts: 'providers.sent.parts',
  languages: 'providers.sent.languages',
};

/** States the data that a provider receives, and its hosts. */
export function sentText({ hosts, sends }: Pick<ProviderSettings, 'hosts' | 'sends'>): string {
  return t('providers.sends', { hosts: list(hosts), data: list(sends.map((one) => t(sent[one]))) });
}

const outcomes: Readonly<Partial<Record<ProviderTest['outcome'], Key>>> = {
  accepted: 'providers.test.accepted',
  local: 'providers.test.local',
  incomplete: 'providers.test.incomplete',
  off: 'providers.test.off',
  rejected: 'providers.test.rejected',
  limited: 'providers.test.limited',
  timeout: 'providers.test.timeout',
};

/** Returns the result of a test. Other failures have the sentence of the server, in English. */
export function testText({ outcome, message, retry_after }: Omit<ProviderTest, 'ok'>): string {
  if (outcome === 'limited' && retry_after !== null)
    return t('providers.test.limitedFor', { count: Math.ceil(retry_after / 60) });
  const key = outcomes[outcome];
  return key === undefined ? message : t(key);
}

/** Returns the language of the result of a test, if it is not the language of the page. */
export const testLanguage = ({ outcome }: Pick<ProviderTest, 'outcome'>): 'en' | undefined =>
  outcomes[outcome] === undefined ? 'en' : undefined;

/** Returns the reason why a provider of an order is not asked, or an empty text. */
export function idleText(
  { enabled, is_remote, missing }: Pick<ProviderSettings, 'enabled' | 'is_remote' | 'missing'>,
  remote: boolean,
): string {
  if (!enabled || (is_remote && !remote)) return t('providers.order.off');
  return missing.length > 0 ? t('providers.order.incomplete') : '';
}

/** Returns the name of a setting for its field. */
export function settingLabel({ help }: Pick<ProviderSetting, 'help'>): string {
  const text = translate(help);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the providers of a kind in their query order. */
export function inOrder(settings: MetadataSettings, kind: string): ProviderSettings[] {
  const ids = settings.order[kind] ?? [];
  return ids.flatMap((id) => settings.providers.find((provider) => provider.id === id) ?? []);
}
