/** Types of the used parts of foliate-js; the package has none. */

declare module 'foliate-js/epub.js' {
  export class EPUB {
    constructor(loader: {
      loadText: (path: string) => Promise<string | null>;
      loadBlob: (path: string, type?: string) => Promise<Blob | null>;
      getSize: (path: string) => number;
      sha1: (text: string) => Promise<Uint8Array>;
    });
    init(): Promise<import('./book').Book>;
  }
}

declare module 'foliate-js/mobi.js' {
  export function isMOBI(file: import('./remote-file').Slices): Promise<boolean>;
  export class MOBI {
    constructor(tools: { unzlib: (bytes: Uint8Array) => Uint8Array });
    open(file: import('./remote-file').Slices): Promise<import('./book').Book>;
  }
}

declare module 'foliate-js/fb2.js' {
  export function makeFB2(file: Blob): Promise<import('./book').Book>;
}

declare module 'foliate-js/vendor/fflate.js' {
  export function unzlibSync(bytes: Uint8Array): Uint8Array;
}

declare module 'foliate-js/vendor/zip.js' {
  interface Entry {
    filename: string;
    uncompressedSize: number;
    getData(writer: unknown): Promise<Blob>;
  }
  export function configure(options: { useWebWorkers: boolean }): void;
  export class BlobReader {
    constructor(blob: Blob);
  }
  export class BlobWriter {
    constructor(type?: string);
  }
  export class ZipReader {
    constructor(reader: BlobReader);
    getEntries(): Promise<Entry[]>;
  }
}

declare module 'foliate-js/epubcfi.js' {
  export function compare(a: string, b: string): number;
  export function collapse(cfi: string, toEnd?: boolean): string;
}

declare module 'foliate-js/overlayer.js' {
  type Draw = (rects: DOMRect[], options?: Record<string, unknown>) => SVGElement;
  export const Overlayer: { highlight: Draw; outline: Draw; underline: Draw };
}

declare module 'foliate-js/search.js' {
  export function searchMatcher(
    walker: unknown,
    options: { defaultLocale?: string; matchCase?: boolean; matchDiacritics?: boolean },
  ): (
    document: Document,
    query: string,
  ) => Iterable<{ range: Range; excerpt: { pre: string; match: string; post: string } }>;
}

declare module 'foliate-js/text-walker.js' {
  export const textWalker: unknown;
}

declare module 'foliate-js/view.js' {
  export const View: unknown;
}
