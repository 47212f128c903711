import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PdfFile } from '../../../src/viewers/pdf/pdf-file';

const { made } = vi.hoisted(() => ({
  made: {
    workers: [] as { destroy: () => void }[],
    /** Ends the loading task. */
    ending: (): Promise<void> => Promise.resolve(),
    told: 0,
  },
}));

vi.mock('pdfjs-dist/legacy/build/pdf.worker.min.mjs?url', () => ({ default: '/worker.mjs' }));
vi.mock('pdfjs-dist/legacy/build/pdf.mjs', () => ({
  GlobalWorkerOptions: {},
  PDFWorker: class {
    destroy = vi.fn();
    constructor() {
      made.workers.push(this);
    }
  },
  getDocument: () => {
    let fail: (error: Error) => void;
    return {
      promise: new Promise((_, reject) => (fail = reject)),
      destroy: () => {
        made.told += 1;
        fail(new Error('Loading aborted'));
        return made.ending();
      },
    };
  },
}));

describe('a PDF that is closed while it loads', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(made, { workers: [], told: 0 });
  });
  afterEach(() => vi.useRealTimers());

  async function left(ending: () => Promise<void>) {
    made.ending = ending;
    const stop = new AbortController();
    const opened = PdfFile.open('/content', stop.signal);
    const failure = expect(opened).rejects.toThrow('Loading aborted');
    expect(made.workers.map(({ destroy }) => vi.mocked(destroy).mock.calls.length)).toEqual([0]);
    stop.abort();
    await failure;
    await vi.advanceTimersByTimeAsync(0);
    return vi.mocked(made.workers[0]!.destroy);
  }

  it.each([
    ['ends its worker', () => Promise.resolve()],
    ['ends its worker even if the termination fails', () => Promise.reject(new Error('no'))],
  ])('%s, and leaves no timer', async (_, ending) => {
    const ended = await left(ending);
    expect([made.told, ended.mock.calls.length, vi.getTimerCount()]).toEqual([1, 1, 0]);
  });

  it('terminates a worker that does not respond', async () => {
    const ended = await left(() => new Promise(() => {}));
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5000);
    expect(ended).toHaveBeenCalledOnce();
  });
});
