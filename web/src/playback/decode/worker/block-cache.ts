/** Parts of a file with the same size. The ones that were used last stay. */
export class BlockCache {
  readonly #parts = new Map<number, Uint8Array>();

  constructor(
    /** Bytes of a part; the last one of the file is shorter. */
    readonly size: number,
    private readonly kept: number,
  ) {}

  has(index: number): boolean {
    return this.#parts.has(index);
  }

  get(index: number): Uint8Array | undefined {
    const part = this.#parts.get(index);
    if (part) this.keep(index, part);
    return part;
  }

  keep(index: number, part: Uint8Array): void {
    this.#parts.delete(index);
    this.#parts.set(index, part);
    if (this.#parts.size <= this.kept) return;
    const oldest = this.#parts.keys().next().value;
    if (oldest !== undefined) this.#parts.delete(oldest);
  }
}
