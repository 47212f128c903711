import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Rule } from '../../../src/api/lists/rule';
import type { CardPage } from '../../../src/api/models';
import { PAUSE, RulePreview } from '../../../src/components/rules/preview.svelte';

const ruleOf = (limit: number): Rule => ({ all: [], limit });
const pageOf = (total: number) => ({ items: [], total, offset: 0, limit: 24 }) as unknown as CardPage;

/** Requests that the test answers. */
function requests() {
  const sent: {
    rule: Rule;
    signal: AbortSignal;
    answer: (page: CardPage) => void;
    fail: (e: unknown) => void;
  }[] = [];
  const preview = new RulePreview(
    (rule, signal) =>
      new Promise((answer, fail) => {
        sent.push({ rule, signal, answer, fail });
      }),
  );
  return { sent, preview };
}

describe('the preview of a rule', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is requested after a pause, with the latest rule', async () => {
    const { sent, preview } = requests();
    preview.show(ruleOf(1));
    await vi.advanceTimersByTimeAsync(PAUSE - 1);
    preview.show(ruleOf(2));
    await vi.advanceTimersByTimeAsync(PAUSE - 1);
    expect(sent).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.map(({ rule }) => rule.limit)).toEqual([2]);
    sent[0]?.answer(pageOf(5));
    await vi.advanceTimersByTimeAsync(0);
    expect([preview.page?.total, preview.isCurrent]).toEqual([5, true]);
  });

  it('ignores responses to earlier rules, in any order', async () => {
    const { sent, preview } = requests();
    preview.show(ruleOf(1), 0);
    await vi.advanceTimersByTimeAsync(0);
    preview.show(ruleOf(2), 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    sent[1]?.answer(pageOf(2));
    await vi.advanceTimersByTimeAsync(0);
    sent[0]?.answer(pageOf(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(preview.page?.total).toBe(2);
    preview.show(ruleOf(3), 0);
    await vi.advanceTimersByTimeAsync(0);
    preview.show(ruleOf(4), 0);
    sent[2]?.fail(new Error('late'));
    await vi.advanceTimersByTimeAsync(0);
    expect(preview.error).toBeUndefined();
  });

  it('keeps the items of the last rule without errors', async () => {
    const { sent, preview } = requests();
    preview.show(ruleOf(1), 0);
    await vi.advanceTimersByTimeAsync(0);
    sent[0]?.answer(pageOf(7));
    await vi.advanceTimersByTimeAsync(0);
    preview.show(null);
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect([sent.length, preview.page?.total, preview.isCurrent]).toEqual([1, 7, false]);
    preview.show(ruleOf(2), 0);
    await vi.advanceTimersByTimeAsync(0);
    sent[1]?.fail(new Error('refused'));
    await vi.advanceTimersByTimeAsync(0);
    expect([preview.page?.total, (preview.error as Error).message]).toEqual([7, 'refused']);
  });
});
