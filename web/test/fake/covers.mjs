/** Pictures of the stand-in server that can be covers: two were found, and uploads join them. */

/**
 * @param {Buffer} image the image of every picture
 * @param {Map<number, string[]>} locks locked fields by item
 */
export function covers(image, locks) {
  /** @type {Map<number, any[]>} */
  const ofItems = new Map();
  let last = 0;

  /** @param {number} item @param {string} source @param {number} width @param {number} height */
  function add(item, source, width, height) {
    const list = ofItems.get(item) ?? [];
    last += 1;
    const url = `/api/v1/items/${item}/covers/${last}?v=${last}`;
    list.push({ id: last, source, width, height, url, chosen: false });
    ofItems.set(item, list);
    return last;
  }

  /** @param {number} item */
  function list(item) {
    if (!ofItems.has(item)) {
      add(item, 'embedded', 1200, 1800);
      add(item, 'folder', 640, 960);
      select(item, last - 1, false);
    }
    return { items: ofItems.get(item) ?? [] };
  }

  /** @param {number} item @param {number} id @param {boolean} isLocked */
  function select(item, id, isLocked) {
    for (const one of ofItems.get(item) ?? []) one.chosen = one.id === id;
    const others = (locks.get(item) ?? []).filter((field) => field !== 'cover');
    locks.set(item, isLocked ? [...others, 'cover'] : others);
    return { cover: null };
  }

  /** @param {number} item @param {any} body */
  function put(item, body) {
    list(item);
    return select(item, body.candidate ?? add(item, 'upload', 300, 400), true);
  }

  /** @param {number} item */
  function reset(item) {
    select(item, list(item).items[0].id, false);
    return { status: 204 };
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['GET', /^\/items\/(\d+)\/covers$/, (m) => list(Number(m[1]))],
    ['GET', /^\/items\/\d+\/covers\/\d+$/, () => ({ status: 200, raw: image, type: 'image/png' })],
    ['PUT', /^\/items\/(\d+)\/cover$/, (m, _, b) => put(Number(m[1]), b)],
    ['DELETE', /^\/items\/(\d+)\/cover$/, (m) => reset(Number(m[1]))],
  ];
  return table;
}
