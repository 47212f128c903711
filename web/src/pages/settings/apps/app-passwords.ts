/** Scopes and uses of app passwords. */
import type { AppPassword, AppScope, Protocol } from '../../../api/models';
import { t } from '../../../i18n';
import '../../../i18n/settings/apps';
import { ago } from '../../../i18n/format';

/** Order in which scopes are shown. */
const SCOPES: readonly AppScope[] = ['publications', 'recordings', 'places'];
/** Scope of the requests for single pages. */
export const PAGE_SCOPE: AppScope = 'publications';

/** Returns the scopes that at least one protocol uses. */
export function usedScopes(protocols: readonly Pick<Protocol, 'scope'>[]): AppScope[] {
  const used = new Set(protocols.map(({ scope }) => scope));
  return SCOPES.filter((scope) => used.has(scope));
}

export const scopeText = (scope: AppScope) => t(`apps.scope.${scope}`);

/** `Books and comics, Progress in books`. */
export function scopesText(scopes: readonly AppScope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope))
    .map(scopeText)
    .join(', ');
}

/** `Used 5 minutes ago · KOReader · OPDS · 192.168.1.20`. */
export function lastUse(
  password: AppPassword,
  protocols: readonly Pick<Protocol, 'id' | 'label'>[],
  now: Date = new Date(),
): string {
  if (password.last_used_at === null || password.last_used_at === undefined) return t('apps.unused');
  const protocol = protocols.find(({ id }) => id === password.last_protocol);
  const parts = [
    t('apps.used', { when: ago(password.last_used_at, now) }),
    password.last_client,
    protocol?.label ?? password.last_protocol,
    password.last_address,
  ];
  return parts.filter(Boolean).join(' · ');
}
