/** Drawn pictures of the stand-in server: backdrops, logos, and pictures of seasons and episodes. */

/** Scenes by time of day: sky, sun and sea. */
const SKIES = [
  ['#27485c', '#d08c66', '#f4c98b', '#174653', '#0b2a34'],
  ['#8aa9ad', '#c7d3cf', '#f3f1e4', '#3c656c', '#173d47'],
  ['#101f31', '#1f3550', '#ffe9a8', '#142a3a', '#0a1622'],
  ['#c8d2d0', '#e2e6df', '#fffbe9', '#8aa082', '#5c7658'],
];

/** @param {number} n @param {number} width @param {number} height */
function scene(n, width, height) {
  const [sky, low, sun, sea, deep] = /** @type {string[]} */ (SKIES[n % SKIES.length]);
  const x = width * (0.3 + 0.13 * (n % 5));
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${sky}"/>` +
      `<rect y="36%" width="100%" height="64%" fill="${low}"/><circle cx="${x}" cy="${height * 0.52}" r="${height * 0.12}" fill="${sun}"/>` +
      `<rect y="58%" width="100%" height="42%" fill="${sea}"/><rect y="80%" width="100%" height="20%" fill="${deep}"/></svg>`,
  );
}

/** Width and height of pictures by the first part of their names. @type {Record<string, [number, number]>} */
const SIZES = { backdrop: [1208, 460], poster: [200, 300] };

/** @param {string} above @param {string} title @param {string} colour */
const logo = (above, title, colour) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 364 95" width="364" height="95"><text x="3" y="16" font-family="sans-serif" font-size="13" font-weight="600" letter-spacing="6" fill="${colour}">${above}</text><text x="0" y="70" font-family="Georgia,serif" font-size="62" fill="${colour}">${title}</text><path d="M2 84q22-8 44 0t44 0 44 0 44 0 44 0 44 0" fill="none" stroke="#d98a5b" stroke-width="3"/></svg>`,
  );

/** @param {number} item @param {string} name @param {number} width @param {number} height */
export const picture = (item, name, width, height) => ({
  ...{ url: `/api/v1/items/${item}/pictures/${name}`, width, height, tint: '#27485c' },
});

export const FILM_PICTURES = {
  backdrop: picture(194, 'backdrop-3', 1208, 460),
  logo: picture(194, 'logo-white', 364, 95),
};
export const ALBUM_COVERS = { backdrop: picture(183, 'backdrop-2', 1208, 460) };

/** Returns the response with a picture: `logo`, `logo-white`, `backdrop-N`, `poster-N`, `still-N`. @param {string} name */
export function pictureOf(name) {
  const n = Number(name.split('-')[1] ?? 0);
  const type = 'image/svg+xml';
  if (name === 'logo') return { status: 200, raw: logo('THE', 'Salt Line', '#8b9a9c'), type };
  if (name === 'logo-white') return { status: 200, raw: logo('A TRIP TO', 'The Moon', '#ffffff'), type };
  const [width, height] = SIZES[/** @type {string} */ (name.split('-')[0])] ?? [160, 90];
  return { status: 200, raw: scene(n, width, height), type };
}
