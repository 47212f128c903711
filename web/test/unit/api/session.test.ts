import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiClient, isAbort, Unreachable } from '../../../src/api/client';
import { Session } from '../../../src/api/session.svelte';

const user = { id: 1, username: 'marit', role: 'admin' };
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

afterEach(() => vi.unstubAllGlobals());

/** A response whose body fails with this error. */
const brokenBody = (error: Error) =>
  new Response(new ReadableStream({ start: (controller) => controller.error(error) }));

describe('an incomplete response', () => {
  it('is an error like a missing one', async () => {
    const answers = [() => brokenBody(new TypeError('network error')), () => Promise.reject(new TypeError())];
    for (const answer of answers) {
      vi.stubGlobal('fetch', async () => answer());
      await expect(new ApiClient().version()).rejects.toBeInstanceOf(Unreachable);
    }
  });

  it('is reported as aborted if the caller cancelled it', async () => {
    vi.stubGlobal('fetch', async () => brokenBody(new DOMException('given up', 'AbortError')));
    await expect(new ApiClient().version()).rejects.toSatisfy(isAbort);
  });
});

describe('logging out', () => {
  it('does not count as an expired session, whatever is rejected meanwhile', async () => {
    let logOut: (response: Response) => void = () => {};
    vi.stubGlobal('fetch', async (url: string) => {
      if (url.endsWith('/auth/me')) return json(user);
      if (url.endsWith('/auth/logout')) return new Promise((resolve) => (logOut = resolve));
      return json({ error: { code: 'unauthenticated', message: 'Log in.' } }, 401);
    });
    const api = new ApiClient();
    const session = new Session(api);
    await session.resume();
    const changed = vi.fn();
    session.onchange = changed;
    const leaving = session.logout();
    await expect(api.version()).rejects.toMatchObject({ status: 401 });
    logOut(new Response(null, { status: 204 }));
    await leaving;
    expect([session.state, session.user, changed.mock.calls.length]).toEqual(['anonymous', null, 1]);
  });
});
