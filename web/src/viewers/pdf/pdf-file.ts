/** A PDF on the server. pdf.js reads it in ranges on demand, in a worker. */
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
/** Milliseconds that the worker has to exit. A worker that is busy with a page does not react. */
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

/** Longest side of the picture of a page, in pixels. */
const PICTURE = 1600;

export class PdfFile {
  private constructor(
    private readonly pdf: PDFDocumentProxy,
    /** Size of the first page in points. The others are assumed to be equal until they are loaded. */
    readonly size: Size,
  ) {}

  /** Opened until `signal` aborts, which also ends all loading, drawing and searching. */
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

  /** Page numbers start at 0 here. */
  page(n: number): Promise<PDFPageProxy> {
    return this.pdf.getPage(n + 1);
  }

  /** Draws a page for a cover. */
  async picture(n: number): Promise<HTMLCanvasElement> {
    const page = await this.page(n);
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: PICTURE / Math.max(width, height) });
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(viewport.width);
    canvas.height = Math.round(viewport.height);
    await page.render({ canvas, viewport }).promise;
    return canvas;
  }

  /** Releases the resources of a drawn page. */
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
  // The result is not needed any more, and neither is an error.
  await Promise.race([task.destroy().catch(() => {}), patience]);
  clearTimeout(late);
  worker.destroy();
}
