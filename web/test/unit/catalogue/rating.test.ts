import { describe, expect, it } from 'vitest';
import { Rating } from '../../../src/components/items/rating.svelte';

/** A rating whose requests end when the test says so. */
function rated(known: number | null) {
  const sent: (number | null)[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const rating = new Rating(
    () => known,
    (wanted) => {
      sent.push(wanted);
      return new Promise((done, fail) => ends.push((error) => (error ? fail(error) : done())));
    },
  );
  return { rating, sent, ends };
}

describe('a rating', () => {
  it('is shown at once, and sent one request at a time', async () => {
    const { rating, sent, ends } = rated(null);
    const first = rating.set(5);
    void rating.set(6);
    void rating.set(8);
    expect(rating.value).toBe(8);
    expect(sent).toEqual([5]);
    ends[0]?.();
    await expect.poll(() => sent).toEqual([5, 8]);
    ends[1]?.();
    await first;
    expect(rating.value).toBe(8);
  });

  it('is cleared', async () => {
    const { rating, sent, ends } = rated(7);
    const done = rating.set(null);
    ends[0]?.();
    await done;
    expect([sent, rating.value]).toEqual([[null], null]);
  });

  it('returns to the stored one if the server rejects it', async () => {
    const { rating, ends } = rated(7);
    const done = rating.set(9);
    ends[0]?.(new Error('no'));
    await expect(done).rejects.toThrow('no');
    expect(rating.value).toBe(7);
  });
});
