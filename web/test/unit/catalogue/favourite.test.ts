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
  it('sends one request at a time, and the last click counts', async () => {
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

  it('sends nothing if three clicks equal one', async () => {
    const { sent, waiting, send } = slow();
    const heart = new Favourite(() => false, send);
    for (let click = 0; click < 3; click += 1) void heart.toggle();
    waiting[0]!.done();
    await settle();
    expect(sent).toEqual([true]);
    expect(heart.marked).toBe(true);
  });

  it('is reverted to the server’s state after a rejection', async () => {
    const { waiting, send } = slow();
    const heart = new Favourite(() => true, send);
    const asked = heart.toggle();
    expect(heart.marked).toBe(false);
    waiting[0]!.fail();
    await expect(asked).rejects.toThrow('no');
    expect(heart.marked).toBe(true);
  });
});
