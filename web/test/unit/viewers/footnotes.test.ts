/** Footnotes with delayed content. */
import { describe, expect, it } from 'vitest';
import type { Book } from '../../../src/viewers/epub/book/book';
import { Footnotes } from '../../../src/viewers/epub/footnotes.svelte';
import type { Note } from '../../../src/viewers/epub/book/footnote-links';

const box = {} as DOMRect;

describe('a footnote', () => {
  const link = { getAttribute: () => 'noteref', getAttributeNS: () => null } as unknown as Element;
  function asked() {
    const arrivals: ((note: Note | null) => void)[] = [];
    const footnotes = new Footnotes(() => new Promise((resolve) => arrivals.push(resolve)));
    const follow = (href: string) => footnotes.follow({} as Book, link, href, box);
    const note = (href: string) => ({ href }) as Note;
    return { arrivals, footnotes, follow, note };
  }

  it('is shown when it arrives, and is not a note if the link leads into the text', async () => {
    const { arrivals, footnotes, follow, note } = asked();
    const first = follow('a');
    arrivals[0]!(note('a'));
    expect([await first, footnotes.shown?.note.href]).toEqual([true, 'a']);
    footnotes.close();
    const second = follow('b');
    arrivals[1]!(null);
    expect([await second, footnotes.shown]).toEqual([false, null]);
  });

  it('does not open over a later page, and does not navigate away from it', async () => {
    const { arrivals, footnotes, follow, note } = asked();
    const followed = [follow('a'), follow('b')];
    footnotes.close();
    arrivals[0]!(note('a'));
    arrivals[1]!(null);
    expect([await Promise.all(followed), footnotes.shown]).toEqual([[true, true], null]);
  });

  it('is the latest requested one', async () => {
    const { arrivals, footnotes, follow, note } = asked();
    const followed = [follow('a'), follow('b')];
    arrivals[1]!(note('b'));
    arrivals[0]!(note('a'));
    await Promise.all(followed);
    expect(footnotes.shown?.note.href).toBe('b');
  });
});
