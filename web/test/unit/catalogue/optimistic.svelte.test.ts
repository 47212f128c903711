import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { Optimistic } from '../../../src/catalogue/optimistic.svelte';

let end = () => {};
afterEach(() => end());

/** A value on a page, and a server that answers when the test says so. */
function shown<T>(known: T) {
  const server = $state({ value: known });
  const page = $state({ text: '' });
  const sent: T[] = [];
  const answers: ((error?: Error) => void)[] = [];
  let one!: Optimistic<T>;
  end = $effect.root(() => {
    one = new Optimistic(
      () => server.value as T,
      (wanted) => {
        sent.push(wanted);
        return new Promise((done, fail) => answers.push((error) => (error ? fail(error) : done())));
      },
    );
    $effect(() => {
      page.text = String(one.value);
    });
  });
  const text = () => {
    flushSync();
    return page.text;
  };
  /** The item arrives again. */
  const arrive = (value: T) => {
    server.value = value;
    flushSync();
  };
  return { one, sent, answers, text, arrive };
}

describe('an optimistic value', () => {
  it('is shown at once, and sent one request at a time: the last one counts', async () => {
    const { one, sent, answers, text } = shown<number | null>(null);
    const first = one.set(5);
    void one.set(6);
    void one.set(8);
    expect(text()).toBe('8');
    expect(sent).toEqual([5]);
    answers[0]?.();
    await expect.poll(() => sent).toEqual([5, 8]);
    answers[1]?.();
    await first;
    expect(text()).toBe('8');
  });

  it('sends nothing more if three changes equal one', async () => {
    const { one, sent, answers, text } = shown(false);
    const first = one.set(true);
    void one.set(false);
    void one.set(true);
    answers[0]?.();
    await first;
    expect(sent).toEqual([true]);
    expect(text()).toBe('true');
  });

  it('follows the known value after a success', async () => {
    const { one, answers, text, arrive } = shown(false);
    const done = one.set(true);
    answers[0]?.();
    await done;
    expect(text()).toBe('true');
    arrive(true);
    expect(text()).toBe('true');
    arrive(false);
    expect(text()).toBe('false');
  });

  it('follows a known value that differs from the one it had before', async () => {
    const { one, answers, text, arrive } = shown<number | null>(3);
    const done = one.set(7);
    answers[0]?.();
    await done;
    arrive(9);
    expect(text()).toBe('9');
  });

  it('stays during a request, and sends no other value, if the item arrives meanwhile', async () => {
    const { one, sent, answers, text, arrive } = shown<number | null>(null);
    const done = one.set(7);
    arrive(2);
    expect(text()).toBe('7');
    answers[0]?.();
    await done;
    expect(sent).toEqual([7]);
    expect(text()).toBe('7');
  });

  it('returns to the known value if the server rejects it', async () => {
    const { one, answers, text } = shown<number | null>(7);
    const done = one.set(null);
    expect(text()).toBe('null');
    answers[0]?.(new Error('no'));
    await expect(done).rejects.toThrow('no');
    expect(text()).toBe('7');
  });

  it('returns to the last stored value if the server rejects a later one', async () => {
    const { one, sent, answers, text } = shown<number | null>(7);
    const done = one.set(8);
    void one.set(9);
    answers[0]?.();
    await expect.poll(() => sent).toEqual([8, 9]);
    answers[1]?.(new Error('no'));
    await expect(done).rejects.toThrow('no');
    expect(text()).toBe('8');
  });
});
