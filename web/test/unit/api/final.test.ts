/** Rejections after which the outbox drops a change. */
import { expect, it } from 'vitest';
import { ApiError, isFinal, Unreachable } from '../../../src/api/client';

it.each([404, 409, 412, 413, 415, 422])('drops a change that the server rejects with %d', (status) => {
  expect(isFinal(new ApiError(status, 'x', ''))).toBe(true);
});

// A slow body, an expired session, a wrong proxy, a proxy's timeout, a limit, and a server that cannot answer.
it.each([400, 401, 403, 408, 429, 500, 502, 503])('keeps a change after the answer %d', (status) => {
  expect(isFinal(new ApiError(status, 'x', ''))).toBe(false);
});

it('keeps a change without an answer', () => {
  expect(isFinal(new Unreachable('No answer.'))).toBe(false);
});
