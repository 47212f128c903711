/** A PDF on the server: read in ranges as its pages are wanted, by pdf.js in a worker. */
import {
  getDocument,
  GlobalWorkerOptions,
  PDFWorker,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import worker from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

GlobalWorkerOptions.workerSrc = worker;

const RANGE = 65_536;
/** Milliseconds that the worker has to end by itself: one that is deep in a page hears nothing. */
const GRACE = 2000;
const ASSETS = import.meta.env.PDF_ASSETS;

export interface Size {
  width: number;
  height: number;
}

export interface Heading {
  title: string;
  page: number | null;
  items: Heading[];
}

export class PdfFile {
  private constructor(
    private readonly pdf: PDFDocumentProxy,
    /** Of the first page, in points; the others are taken to be like it until they are seen. */
    readonly size: Size,
  ) {}

  /** Open until `signal` says so: what is loaded, drawn or looked for by then comes to nothing. */
  static async open(url: string, signal: AbortSignal): Promise<PdfFile> {
    const worker = new PDFWorker();
    const task = getDocument({
      url,
      worker,
      rangeChunkSize: RANGE,
      disableAutoFetch: true,
      disableStream: true,
      cMapUrl: `${ASSETS}cmaps/`,
      standardFontDataUrl: `${ASSETS}standard_fonts/`,
      wasmUrl: `${ASSETS}wasm/`,
      iccUrl: `${ASSETS}iccs/`,
      enableXfa: false,
    });
    signal.addEventListener('abort', () => void end(task, worker), { once: true });
    const pdf = await task.promise;
    const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
    return new PdfFile(pdf, { width, height });
  }

  get count(): number {
    return this.pdf.numPages;
  }

  /** Pages are counted from 0 here. */
  page(n: number): Promise<PDFPageProxy> {
    return this.pdf.getPage(n + 1);
  }

  /** Gives back what was kept for drawing a page. */
  async drop(n: number): Promise<void> {
    (await this.page(n)).cleanup();
  }

  async text(n: number): Promise<string> {
    const page = await this.page(n);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? ' ' : '') : '')).join('');
  }

  async outline(): Promise<Heading[]> {
    type Node = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number];
    const heading = async ({ title, dest, items }: Node): Promise<Heading> => ({
      title: title.trim(),
      page: await this.#pageOf(dest).catch(() => null),
      items: await Promise.all(items.map(heading)),
    });
    return Promise.all(((await this.pdf.getOutline()) ?? []).map(heading));
  }

  async #pageOf(dest: string | unknown[] | null): Promise<number | null> {
    const explicit = typeof dest === 'string' ? await this.pdf.getDestination(dest) : dest;
    const [target] = explicit ?? [];
    if (typeof target === 'number') return target;
    if (typeof target !== 'object' || target === null) return null;
    return this.pdf.getPageIndex(target as { num: number; gen: number });
  }
}

async function end(task: PDFDocumentLoadingTask, worker: PDFWorker): Promise<void> {
  let late: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise((resolve) => (late = setTimeout(resolve, GRACE)));
  // What it was about is of no use any more, and neither is a failure of that.
  await Promise.race([task.destroy().catch(() => {}), patience]);
  clearTimeout(late);
  worker.destroy();
}
