/** Annotations with a server that answers late, or not at all. */
import { describe, expect, it, vi } from 'vitest';
import type { Annotation } from '../../../src/api/models';
import { Unreachable } from '../../../src/api/client';
import { AnnotationEditor } from '../../../src/viewers/epub/marking.svelte';
import { AnnotationStore } from '../../../src/viewers/epub/annotations.svelte';
import type { Place, Selected } from '../../../src/viewers/epub/reader.svelte';

const box = {} as DOMRect;
const cfi = (step: number) => `epubcfi(/6/4!/4/${step}/1:0)`;
const page = (step: number) =>
  ({ index: 2, from: cfi(step), to: cfi(step + 6), words: 'Call me Ishmael.' }) as Place;
const words = (step: number): Selected => ({ index: 2, cfi: cfi(step), text: 'Ishmael', box });

function reading(at = page(4)) {
  let next = 1;
  const api = {
    annotations: vi.fn(async () => ({ items: [] })),
    annotate: vi.fn(async (_: number, body: object) => ({ id: next++, note: null, ...body }) as Annotation),
    changeAnnotation: vi.fn(async (_: number, id: number, body: object) => ({
      ...marks.all.find((one) => one.id === id)!,
      ...body,
    })),
    removeAnnotation: vi.fn(async () => undefined),
  };
  const marks: AnnotationStore = new AnnotationStore(api, 7, 70);
  const reader = { deselect: vi.fn() };
  const here = { place: at };
  const marking = new AnnotationEditor(marks, () => ({ reader, place: here.place, chapter: 'Loomings' }));
  return { api, marks, marking, reader, here };
}

describe('a note', () => {
  it('is saved with its selected words in one request', async () => {
    const { api, marking } = reading();
    marking.select(words(4));
    marking.note = '  A name?  ';
    await marking.annotate();
    expect(api.annotate.mock.calls).toEqual([
      [7, expect.objectContaining({ type: 'highlight', text: 'Ishmael', color: 'yellow', note: 'A name?' })],
    ]);
    expect(api.changeAnnotation).not.toHaveBeenCalled();
    expect([marking.box, marking.note]).toEqual([null, null]);
  });

  it('stays in its field if the request fails, and is sent again', async () => {
    const { api, marks, marking, reader } = reading();
    marking.select(words(4));
    marking.note = 'A name?';
    api.annotate.mockRejectedValueOnce(new Unreachable('away'));
    await marking.annotate();
    expect([marking.box, marking.note]).toEqual([box, 'A name?']);
    expect(marking.problem).not.toBe('');
    expect(reader.deselect).not.toHaveBeenCalled();
    await marking.annotate();
    expect([marking.box, marking.problem]).toEqual([null, '']);
    expect(marks.all.map(({ note }) => note)).toEqual(['A name?']);
  });

  it('stays in its field on a highlight, too', async () => {
    const { api, marks, marking } = reading();
    const { id } = await marks.add({ position: 2, locator: cfi(4), type: 'highlight', text: 'Ishmael' });
    marking.open(id, box);
    marking.note = 'A name?';
    api.changeAnnotation.mockRejectedValueOnce(new Unreachable('away'));
    await marking.annotate();
    expect([marking.mark?.id, marking.note, marking.problem !== '']).toEqual([id, 'A name?', true]);
    await marking.annotate();
    expect([marking.mark, marks.all[0]?.note]).toEqual([null, 'A name?']);
  });

  it('stays through page turns, taps and other selections until it is saved or dismissed', async () => {
    const { marks, marking } = reading();
    marking.select(words(4));
    marking.note = 'A name?';
    marking.turn();
    marking.leave();
    marking.select(null);
    marking.open(99, box);
    await marking.paint('blue');
    expect(marks.all).toMatchObject([{ locator: cfi(4), color: 'blue', note: 'A name?' }]);
    marking.select(words(8));
    marking.note = 'Another?';
    marking.close();
    expect([marking.box, marking.note]).toEqual([null, null]);
    marking.select(words(8));
    marking.turn();
    expect(marking.box).toBeNull();
  });
});

describe('a pending note', () => {
  /** A server that answers on command. */
  function sending() {
    const all = reading();
    const answer = { come: () => {}, fail: () => {} };
    all.api.annotate.mockImplementationOnce(
      (_, body) =>
        new Promise((resolve, reject) => {
          answer.come = () => resolve({ id: 5, note: null, ...body } as Annotation);
          answer.fail = () => reject(new Unreachable('away'));
        }),
    );
    all.marking.select(words(4));
    all.marking.note = 'A name?';
    return { ...all, answer, sent: all.marking.annotate() };
  }

  it('cannot be dismissed, and stays in its field if the request fails', async () => {
    const { marking, answer, sent } = sending();
    marking.close();
    expect([marking.box, marking.note]).toEqual([box, 'A name?']);
    answer.fail();
    await sent;
    expect([marking.box, marking.note, marking.problem !== '']).toEqual([box, 'A name?', true]);
    marking.close();
    expect([marking.box, marking.note]).toEqual([null, null]);
  });

  it('is not sent twice if the book is closed meanwhile', async () => {
    const { api, marks, marking, answer, sent, reader } = sending();
    marking.end();
    answer.come();
    await sent;
    expect(api.annotate).toHaveBeenCalledOnce();
    expect(marks.all.map(({ note }) => note)).toEqual(['A name?']);
    expect(reader.deselect).not.toHaveBeenCalled();
  });

  it('does not block the dismissal of a colour', async () => {
    const { marking } = reading();
    marking.select(words(4));
    const sent = marking.paint('pink');
    marking.close();
    expect(marking.box).toBeNull();
    await sent;
  });
});

describe('a written note', () => {
  it('is sent when the book is closed', async () => {
    const { api, marking } = reading();
    marking.select(words(4));
    marking.note = 'A name?';
    marking.end();
    await vi.waitFor(() => expect(api.annotate).toHaveBeenCalledOnce());
    expect(api.annotate.mock.calls[0]?.[1]).toMatchObject({ note: 'A name?' });
  });

  it('does not block other words if its highlight is gone', async () => {
    const { marks, marking } = reading();
    const { id } = await marks.add({ position: 2, locator: cfi(4), type: 'highlight', text: 'Ishmael' });
    marking.open(id, box);
    marking.note = 'A name?';
    expect(marking.isWriting).toBe(true);
    await marks.remove(id);
    expect(marking.isWriting).toBe(false);
    marking.select(words(8));
    expect([marking.box, marking.note]).toEqual([box, null]);
  });
});

describe('the error of an annotation', () => {
  const failed = vi.fn(async () => Promise.reject(new Unreachable('away')));

  it('disappears with its bar after a dismissal or the end of the selection', async () => {
    const { api, marks, marking } = reading();
    const { id } = await marks.add({ position: 2, locator: cfi(4), type: 'highlight', text: 'Ishmael' });
    api.changeAnnotation.mockImplementation(failed);
    api.annotate.mockImplementation(failed);
    marking.open(id, box);
    await marking.paint('pink');
    expect([marking.box, marking.problem !== '']).toEqual([box, true]);
    marking.leave();
    expect([marking.box, marking.problem]).toEqual([null, '']);
    marking.select(words(8));
    await marking.paint('pink');
    expect([marking.box, marking.problem !== '']).toEqual([box, true]);
    marking.select(null);
    expect([marking.box, marking.problem]).toEqual([null, '']);
  });

  it('is shown without a bar if that was dismissed, until the page turns', async () => {
    const { api, marking } = reading();
    api.annotate.mockImplementation(failed);
    marking.select(words(4));
    const sent = marking.paint('pink');
    marking.turn();
    await sent;
    marking.leave();
    expect([marking.box, marking.problem !== '']).toEqual([null, true]);
    marking.turn();
    expect(marking.problem).toBe('');
  });

  it('stays in the bar of an open note', async () => {
    const { api, marking } = reading();
    api.annotate.mockImplementation(failed);
    marking.select(words(4));
    marking.note = 'A name?';
    await marking.annotate();
    marking.leave();
    marking.turn();
    expect([marking.note, marking.problem !== '']).toEqual(['A name?', true]);
  });
});

describe('a bookmark', () => {
  it('is created once, however often it is requested before the response', async () => {
    const { api, marks, marking } = reading();
    await Promise.all([marking.toggleBookmark(), marking.toggleBookmark(), marking.toggleBookmark()]);
    expect(api.annotate).toHaveBeenCalledOnce();
    expect(marks.bookmarks).toHaveLength(1);
    await marking.toggleBookmark();
    expect(marks.bookmarks).toEqual([]);
  });

  it('does not wait for the bookmark of another page', async () => {
    const { marks, marking, here } = reading();
    const first = marking.toggleBookmark();
    here.place = page(20);
    await Promise.all([first, marking.toggleBookmark()]);
    expect(marks.bookmarks.map(({ locator }) => locator)).toEqual([cfi(4), cfi(20)]);
  });
});

describe('a highlight', () => {
  it('is created once, however often it is requested before the response', async () => {
    const { marks, marking } = reading();
    marking.select(words(4));
    await Promise.all([marking.paint('pink'), marking.paint('pink')]);
    expect(marks.highlights).toHaveLength(1);
  });

  it('shows an error if its words cannot be marked', async () => {
    const { api, marking } = reading();
    marking.select({ ...words(4), cfi: `epubcfi(${'/4'.repeat(600)})` });
    await marking.paint('pink');
    expect(api.annotate).not.toHaveBeenCalled();
    expect(marking.problem).not.toBe('');
  });
});
