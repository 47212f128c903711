/** The messages between the page and the frame of a game. A frame runs one game. */

export interface GameFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Start {
  script: string;
  wasm: ArrayBuffer;
  /** The file to start; other files of the disc are next to it. */
  game: GameFile;
  companions: GameFile[];
  bios: GameFile[];
  battery: Uint8Array<ArrayBuffer> | null;
  volume: number;
}

/** Requests of the page; each has a response. */
export interface Asks {
  start: { with: Start; answer: void };
  run: { with: boolean; answer: void };
  state: { with: null; answer: Uint8Array<ArrayBuffer> };
  load: { with: Uint8Array<ArrayBuffer>; answer: void };
  battery: { with: null; answer: Uint8Array<ArrayBuffer> | null };
  /** The screen, if it is rendered within this many milliseconds. */
  picture: { with: number; answer: Uint8Array<ArrayBuffer> | null };
  restart: { with: null; answer: void };
}

export type Ask = keyof Asks;

/** Messages without a response. */
export type Tell =
  { tell: 'input'; player: number; button: number; value: number } | { tell: 'volume'; volume: number };

export type ToFrame = { ask: Ask; id: number; with: unknown } | Tell;

export type FromFrame =
  | { id: number; answer: unknown }
  | { id: number; error: string }
  | { trouble: string }
  | { key: string; code: string; down: boolean }
  | { blurred: true };

/** Sent by the frame when it is ready, and the response with the port. */
export const READY = 'ledge-game-ready';
export const LINE = 'ledge-game-line';
