/** When a cartridge's memory is worth sending. */

/** Milliseconds from one sending to the next of a memory that never stands still. */
const AT_MOST = 60_000;

/**
 * A game that saves writes its memory at once and then leaves it alone: it is sent as soon as it stands still. Others use
 * it to think in, and are not to fill the server with it.
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

  /** Whether it is one that holds something the server does not have. */
  isNew(bytes: Uint8Array | null): bytes is Uint8Array<ArrayBuffer> {
    return bytes !== null && bytes.some((byte) => byte !== bytes[0]) && digest(bytes) !== this.#sent;
  }

  /** Looks at it from time to time: whether to send it now. */
  isDue(bytes: Uint8Array | null): bytes is Uint8Array<ArrayBuffer> {
    if (!this.isNew(bytes)) return false;
    const stands = digest(bytes) === this.#seen;
    this.#seen = digest(bytes);
    return stands || this.now() - this.#sentAt >= AT_MOST;
  }

  sent(bytes: Uint8Array): void {
    this.#sent = digest(bytes);
    this.#seen = this.#sent;
    this.#sentAt = this.now();
  }
}

/** Tells whether bytes have changed; no more than that. */
function digest(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length}-${hash >>> 0}`;
}
