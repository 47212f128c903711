/** Layout: the picture within the player, and lines that do not overlap. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Returns the box of the picture, centred in the player. */
export function pictureIn(
  player: { width: number; height: number },
  film: { width: number; height: number },
): Box {
  if (!(film.width > 0 && film.height > 0)) return { left: 0, top: 0, ...player };
  const scale = Math.min(player.width / film.width, player.height / film.height);
  const [width, height] = [film.width * scale, film.height * scale];
  return { left: (player.width - width) / 2, top: (player.height - height) / 2, width, height };
}

/** Returns the column and row of an alignment, each 0, 1 or 2 from the left and the top. */
export function cellOf(align: number): { column: number; row: number } {
  return { column: (align - 1) % 3, row: 2 - Math.floor((align - 1) / 3) };
}

/** Moves a box away from the existing ones: upwards from the bottom, otherwise downwards. */
export function freeTop(box: Box, taken: readonly Box[], row: number): number {
  const beside = taken.filter(
    (other) => other.left < box.left + box.width && box.left < other.left + other.width,
  );
  beside.sort((a, b) => (row === 2 ? b.top + b.height - (a.top + a.height) : a.top - b.top));
  let { top } = box;
  for (const other of beside) {
    const meets = other.top < top + box.height && top < other.top + other.height;
    if (meets) top = row === 2 ? other.top - box.height : other.top + other.height;
  }
  return top;
}
