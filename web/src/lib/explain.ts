/** What happened, in a sentence for the person at the screen. */
import { ApiError, Unreachable } from '../api/client';
import { t } from '../i18n';

export function explain(error: unknown): string {
  if (error instanceof Unreachable) return t('error.unreachable');
  if (error instanceof ApiError) {
    if (error.status === 429) return t('login.throttled', { count: error.retryAfter ?? 60 });
    return error.message;
  }
  return t('error.unknown');
}

/** The message of a refusal that names `field`, for showing beside it. */
export function fieldError(error: unknown, field: string): string {
  return error instanceof ApiError && error.field === field ? error.message : '';
}

/** What is left to say once the named fields have shown theirs. */
export function generalError(error: unknown, fields: readonly string[]): string {
  if (error === undefined) return '';
  if (error instanceof ApiError && error.field !== null && fields.includes(error.field)) return '';
  return explain(error);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
