/** The pictures of the preview, by their place on the timeline. The latest ones stay. */

/** Limits of the pictures in memory: about ninety of 16:9. */
export const MOST = { count: 120, bytes: 12 << 20 };

export class PreviewCache<Picture extends { readonly width: number; readonly height: number }> {
  readonly #pictures = new Map<number, Picture>();
  #bytes = 0;

  get size(): { count: number; bytes: number } {
    return { count: this.#pictures.size, bytes: this.#bytes };
  }

  get(place: number): Picture | null {
    const picture = this.#pictures.get(place);
    if (!picture) return null;
    // The order of the map is that of use.
    this.#pictures.delete(place);
    this.#pictures.set(place, picture);
    return picture;
  }

  add(place: number, picture: Picture): void {
    this.#remove(place);
    this.#pictures.set(place, picture);
    this.#bytes += bytesOf(picture);
    for (const oldest of this.#pictures.keys()) {
      if (this.#pictures.size <= MOST.count && this.#bytes <= MOST.bytes) return;
      this.#remove(oldest);
    }
  }

  #remove(place: number): void {
    const picture = this.#pictures.get(place);
    if (!picture) return;
    this.#pictures.delete(place);
    this.#bytes -= bytesOf(picture);
  }
}

function bytesOf({ width, height }: { width: number; height: number }): number {
  return width * height * 4;
}
