import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable } from '../../../src/api/client';
import { isUnusable, pictureIn, sourceText, upload } from '../../../src/components/covers/candidates';

const file = (type: string) => new File(['x'], 'a', { type });
const api = () => ({ onUnauthenticated: vi.fn() }) as unknown as Parameters<typeof upload>[0];
const answer = (status: number, body: unknown) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json(body, { status }))),
  );

afterEach(() => vi.unstubAllGlobals());

describe('pasted files', () => {
  it('contain a picture if the server accepts the type of one', () => {
    const png = file('image/png');
    expect(pictureIn([file('text/plain'), file('image/gif'), png, file('image/jpeg')])).toBe(png);
    expect(pictureIn([file('image/svg+xml')])).toBeUndefined();
    expect(pictureIn(null)).toBeUndefined();
  });
});

describe('the source of a picture', () => {
  it('has a text, except for providers', () => {
    expect(sourceText('embedded')).toBe('cover.embedded');
    expect(sourceText('openlibrary')).toBeNull();
    expect(sourceText('constructor')).toBeNull();
  });
});

describe('an upload', () => {
  it('sends the bytes with their type', async () => {
    answer(200, { cover: null });
    await upload(api(), 7, file('image/webp'));
    const [url, init] = vi.mocked(fetch).mock.calls[0]!;
    expect(url).toBe('/api/v1/items/7/cover');
    expect(init).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'image/webp' } });
  });

  it('reports a rejected picture and the end of a session', async () => {
    answer(422, { error: { code: 'invalid', message: 'No.', field: 'cover' } });
    const refused = await upload(api(), 7, file('image/png')).catch((error: unknown) => error);
    expect(isUnusable(refused)).toBe(true);
    answer(401, { error: { code: 'unauthenticated', message: 'No.' } });
    const ended = api();
    const error = await upload(ended, 7, file('image/png')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(isUnusable(error)).toBe(false);
    expect(ended.onUnauthenticated).toHaveBeenCalledOnce();
  });

  it('reports a missing answer', async () => {
    vi.stubGlobal(
      'fetch',
      vi.fn(() => Promise.reject(new TypeError('network'))),
    );
    await expect(upload(api(), 7, file('image/png'))).rejects.toBeInstanceOf(Unreachable);
  });
});
