/** Error messages for users. */
import { ApiError, Unreachable } from './client';
import { t } from '../i18n';

export function errorText(error: unknown): string {
  if (error instanceof Unreachable) return t('error.unreachable');
  if (error instanceof ApiError) {
    if (error.status === 429) return t('login.throttled', { count: error.retryAfter ?? 60 });
    return error.message;
  }
  return t('error.unknown');
}

/** Returns the message of an error about `field`, to show next to it. */
export function fieldError(error: unknown, field: string): string {
  return error instanceof ApiError && error.field === field ? error.message : '';
}

/** Returns the rest of the message, after the named fields have shown theirs. */
export function generalError(error: unknown, fields: readonly string[]): string {
  if (error === undefined) return '';
  if (error instanceof ApiError && error.field !== null && fields.includes(error.field)) return '';
  return errorText(error);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
