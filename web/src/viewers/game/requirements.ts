/** Requirements of a game: WebGL 2, and BIOS files of its platform. */
import type { BiosFile } from '../../api/models';

export function hasWebGl2(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // Browsers limit the number of audio contexts: close this one.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** Returns the BIOS files of which a platform needs one, if none exists. */
export function missingBios(files: readonly BiosFile[], platform: string): string[] {
  const needed = files.filter((file) => file.required && file.platforms.includes(platform));
  return needed.some((file) => file.state === 'added') ? [] : needed.map((file) => file.name);
}
