/** What the page and the frame of a game say to each other. The frame is one game's whole life. */

export interface GameFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Start {
  script: string;
  wasm: ArrayBuffer;
  /** The file that is started; the others, of a disc, lie beside it. */
  game: GameFile;
  beside: GameFile[];
  bios: GameFile[];
  battery: Uint8Array<ArrayBuffer> | null;
  volume: number;
}

/** What the page asks; each is answered. */
export interface Asks {
  start: { with: Start; answer: void };
  run: { with: boolean; answer: void };
  state: { with: null; answer: Uint8Array<ArrayBuffer> };
  load: { with: Uint8Array<ArrayBuffer>; answer: void };
  battery: { with: null; answer: Uint8Array<ArrayBuffer> | null };
  /** The screen, if it is drawn within so many milliseconds. */
  picture: { with: number; answer: Uint8Array<ArrayBuffer> | null };
  restart: { with: null; answer: void };
}

export type Ask = keyof Asks;

/** What needs no answer. */
export type Tell =
  { tell: 'input'; player: number; button: number; value: number } | { tell: 'volume'; volume: number };

export type ToFrame = { ask: Ask; id: number; with: unknown } | Tell;

export type FromFrame =
  | { id: number; answer: unknown }
  | { id: number; error: string }
  | { trouble: string }
  | { key: string; code: string; down: boolean }
  | { blurred: true };

/** Said by the frame once it listens, and the answer that brings the line. */
export const READY = 'ledge-game-ready';
export const LINE = 'ledge-game-line';
