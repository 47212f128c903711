import { describe, expect, it } from 'vitest';
import type { MediaFile } from '../../../src/api/models';
import { isGlance } from '../../../src/progress/glance';

const film = { unit: 'second', extent: 7200 } as const satisfies Partial<MediaFile>;
const seen = { finished: true };

describe('a glance at a finished film', () => {
  it('ends after a minute, or a twentieth of its length', () => {
    expect(isGlance(film, seen, { position: 0 })).toBe(true);
    expect(isGlance(film, seen, { position: 59 })).toBe(true);
    expect(isGlance(film, seen, { position: 60 })).toBe(false);
    expect(isGlance({ ...film, extent: 200 }, seen, { position: 9 })).toBe(true);
    expect(isGlance({ ...film, extent: 200 }, seen, { position: 10 })).toBe(false);
    expect(isGlance({ ...film, extent: null }, seen, { position: 59 })).toBe(true);
  });

  it('is no glance if the film is not finished, or ends again, or is a book', () => {
    expect(isGlance(film, { finished: false }, { position: 5 })).toBe(false);
    expect(isGlance(film, null, { position: 5 })).toBe(false);
    expect(isGlance(film, seen, { position: 5, finished: true })).toBe(false);
    expect(isGlance({ ...film, unit: 'page' }, seen, { position: 5 })).toBe(false);
  });
});
