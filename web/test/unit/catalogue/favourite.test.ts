import { describe, expect, it, vi } from 'vitest';
import { Favourite } from '../../../src/catalogue/favourite.svelte';

/** A server that answers on command. */
function slow() {
  const sent: boolean[] = [];
  const waiting: { done: () => void; fail: () => void }[] = [];
  const send = vi.fn((marked: boolean) => {
    sent.push(marked);
    return new Promise<void>((done, reject) =>
      waiting.push({ done: () => done(), fail: () => reject(new Error('no')) }),
    );
  });
  return { sent, waiting, send };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a favourite', () => {
  it('sends one thing at a time, and the last click counts', async () => {
    const { sent, waiting, send } = slow();
    const heart = new Favourite(() => false, send);
    void heart.toggle();
    void heart.toggle();
    expect(heart.marked).toBe(false);
    expect(sent).toEqual([true]);
    waiting[0]!.done();
    await settle();
    expect(sent).toEqual([true, false]);
    waiting[1]!.done();
    await settle();
    expect(sent).toHaveLength(2);
    expect(heart.marked).toBe(false);
  });

  it('sends nothing more where three clicks come to one', async () => {
    const { sent, waiting, send } = slow();
    const heart = new Favourite(() => false, send);
    for (let click = 0; click < 3; click += 1) void heart.toggle();
    waiting[0]!.done();
    await settle();
    expect(sent).toEqual([true]);
    expect(heart.marked).toBe(true);
  });

  it('is again what the server last said where it refuses', async () => {
    const { waiting, send } = slow();
    const heart = new Favourite(() => true, send);
    const asked = heart.toggle();
    expect(heart.marked).toBe(false);
    waiting[0]!.fail();
    await expect(asked).rejects.toThrow('no');
    expect(heart.marked).toBe(true);
  });
});
