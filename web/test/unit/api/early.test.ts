import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiClient } from '../../../src/api/client';

type Page = { ledgeEarly?: Record<string, Promise<Response>> };
const page = globalThis as Page;

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
}

describe('early responses', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    delete page.ledgeEarly;
  });

  it('are used once', async () => {
    const request = vi.fn(async () => json(200, { id: 2 }));
    vi.stubGlobal('fetch', request);
    page.ledgeEarly = { '/api/v1/auth/me': Promise.resolve(json(200, { id: 1 })) };
    const api = new ApiClient();
    expect(await api.me()).toEqual({ id: 1 });
    expect(await api.me()).toEqual({ id: 2 });
    expect(request).toHaveBeenCalledTimes(1);
  });

  it('are not used after a login if their session ended', async () => {
    const request = vi.fn(async () => json(200, { user: { id: 1 } }));
    vi.stubGlobal('fetch', request);
    page.ledgeEarly = {
      '/api/v1/auth/me': Promise.resolve(json(401, { error: { code: 'unauthenticated', message: '' } })),
      '/api/v1/libraries': Promise.resolve(json(401, { error: { code: 'unauthenticated', message: '' } })),
    };
    const api = new ApiClient();
    const ended = vi.fn();
    api.onUnauthenticated = ended;
    await api.login('ada', 'secret');
    expect(page.ledgeEarly).toBeUndefined();
    await api.libraries();
    expect(ended).not.toHaveBeenCalled();
  });

  it('are requested again if they failed', async () => {
    vi.stubGlobal(
      'fetch',
      vi.fn(async () => json(200, { id: 2 })),
    );
    page.ledgeEarly = { '/api/v1/auth/me': Promise.resolve(json(503, {})) };
    expect(await new ApiClient().me()).toEqual({ id: 2 });
  });
});
