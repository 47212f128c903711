/** The position of the picture within the player. */

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  left: number;
  top: number;
}

/** Returns the box of the picture, centred in the player. */
export function pictureIn(player: Size, film: Size): Box {
  if (!(film.width > 0 && film.height > 0)) return { left: 0, top: 0, ...player };
  const scale = Math.min(player.width / film.width, player.height / film.height);
  const [width, height] = [film.width * scale, film.height * scale];
  return { left: (player.width - width) / 2, top: (player.height - height) / 2, width, height };
}
