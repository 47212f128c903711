/** Decides when the memory of a cartridge is sent. */

/** Milliseconds between two requests for a memory that changes constantly. */
const MAX_WAIT = 60_000;

/**
 * A game that saves writes its memory at once and then leaves it unchanged, so it is sent after it stops changing.
 * Other games use it as work memory, and must not fill the server with versions.
 */
export class Battery {
  #sent: string | null;
  #seen: string | null;
  #sentAt: number;

  constructor(
    first: Uint8Array | null,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#sent = first ? digest(first) : null;
    this.#seen = this.#sent;
    this.#sentAt = now();
  }

  /** Returns true if it contains data that the server does not have. */
  isNew(bytes: Uint8Array | null): bytes is Uint8Array<ArrayBuffer> {
    return bytes !== null && bytes.some((byte) => byte !== bytes[0]) && digest(bytes) !== this.#sent;
  }

  /** Called periodically. Returns true if the memory should be sent now. */
  isDue(bytes: Uint8Array | null): bytes is Uint8Array<ArrayBuffer> {
    if (!this.isNew(bytes)) return false;
    const stands = digest(bytes) === this.#seen;
    this.#seen = digest(bytes);
    return stands || this.now() - this.#sentAt >= MAX_WAIT;
  }

  sent(bytes: Uint8Array): void {
    this.#sent = digest(bytes);
    this.#seen = this.#sent;
    this.#sentAt = this.now();
  }
}

/** Detects changes; not cryptographic. */
function digest(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length}-${hash >>> 0}`;
}
