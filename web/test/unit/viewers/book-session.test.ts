/** A book that opens late, fails, or lacks a chapter. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Book } from '../../../src/viewers/epub/book/book';
import { BookSession } from '../../../src/viewers/epub/book-session.svelte';
import { RequestFailed } from '../../../src/viewers/epub/book/remote-file';
import type { Place, Reader } from '../../../src/viewers/epub/reader.svelte';

/** A promise that the test settles. */
function deferred() {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((done, fail) => ([resolve, reject] = [done, fail]));
  return { promise, resolve, reject };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const at = (index: number) => ({ index, from: `line of ${index}` }) as Place;

function opening(load: () => Promise<string> = async () => 'blob:chapter') {
  vi.stubGlobal('URL', { createObjectURL: () => 'blob:placeholder', revokeObjectURL: () => {} });
  const createElement = () => ({ textContent: '' });
  vi.stubGlobal('document', {
    implementation: { createHTMLDocument: () => ({ createElement, body: { append: () => {} } }) },
  });
  vi.stubGlobal(
    'XMLSerializer',
    class {
      serializeToString = () => '<p/>';
    },
  );
  const books: { book: Book; destroy: ReturnType<typeof vi.fn> }[] = [];
  const readers: { close: ReturnType<typeof vi.fn> }[] = [];
  const fetched: ReturnType<typeof deferred>[] = [];
  const layOut = vi.fn<(book: Book, isRetry: boolean) => Promise<Reader>>(async () => {
    const reader = { close: vi.fn() };
    readers.push(reader);
    return reader as unknown as Reader;
  });
  const onUnauthenticated = vi.fn();
  const session = new BookSession({
    load: async () => {
      const wait = deferred();
      fetched.push(wait);
      await wait.promise;
      const destroy = vi.fn();
      const book = { sections: [{ id: 0, load }], destroy } as unknown as Book;
      books.push({ book, destroy });
      return book;
    },
    layOut,
    words: () => 'This chapter is missing.',
    onUnauthenticated,
  });
  return { session, books, readers, fetched, layOut, onUnauthenticated };
}

afterEach(() => vi.unstubAllGlobals());

it('a book is laid out once it is fetched, and closed with its viewer', async () => {
  const { session, fetched, readers, layOut } = opening();
  session.open();
  expect(session.reader).toBeNull();
  fetched[0]?.resolve();
  await settle();
  expect(session.reader).toBe(readers[0]);
  expect(layOut.mock.lastCall?.[1]).toBe(false);
  session.close();
  expect(session.reader).toBeNull();
  expect(readers[0]?.close).toHaveBeenCalledTimes(1);
});

it('a book that arrives after its viewer closed is not laid out', async () => {
  const { session, fetched, books, layOut } = opening();
  const signal = session.open();
  session.close();
  expect(signal.aborted).toBe(true);
  fetched[0]?.resolve();
  await settle();
  expect(layOut).not.toHaveBeenCalled();
  expect(books[0]?.destroy).toHaveBeenCalledTimes(1);
});

it('a failure is shown until the next attempt, which continues', async () => {
  const { session, fetched, layOut } = opening();
  session.open();
  const error = new Error('damaged');
  fetched[0]?.reject(error);
  await settle();
  expect(session.failure).toBe(error);
  session.open();
  expect(session.failure).toBeUndefined();
  fetched[1]?.resolve();
  await settle();
  expect(layOut.mock.lastCall?.[1]).toBe(true);
});

it('the failure of an earlier attempt does not replace the open book', async () => {
  const { session, fetched } = opening();
  session.open();
  session.open();
  fetched[0]?.reject(new Error('late'));
  fetched[1]?.resolve();
  await settle();
  expect(session.failure).toBeUndefined();
  expect(session.reader).not.toBeNull();
});

it('an expired session leads to the sign-in page', async () => {
  const { session, fetched, onUnauthenticated } = opening();
  session.open();
  fetched[0]?.reject(new RequestFailed(401));
  await settle();
  expect(onUnauthenticated).toHaveBeenCalledTimes(1);
});

it('a missing chapter is reported while it is visible, and has no lines', async () => {
  const { session, fetched, books } = opening(async () => Promise.reject(new RequestFailed(404)));
  session.open();
  fetched[0]?.resolve();
  await settle();
  await books[0]?.book.sections[0]?.load();
  expect(session.stuck).toBe(true);
  expect(session.lineOf(at(0))).toBeNull();
  session.moveTo(at(1));
  expect(session.stuck).toBe(false);
  expect(session.lineOf(at(1))).toBe('line of 1');
  session.moveTo(at(0));
  expect(session.stuck).toBe(true);
});
