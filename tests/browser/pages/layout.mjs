/**
 * Finds faults in the present layout of a page. The rules:
 * - The page does not scroll sideways.
 * - No element is outside the window, unless its own scroll box contains it.
 * - No text is cut without an ellipsis.
 * - No two lines of text overlap, and no two controls overlap partly.
 * - The point in the middle of a control or a line of text belongs to it.
 */

/** Milliseconds that a page has to settle after a change of its width. */
const SETTLE = 2000;

/**
 * Runs in the page.
 * @returns {string[]} one line for each fault
 */
function faults() {
  const CONTROL = 'a[href], button, input, select, textarea, summary, [role="menuitem"], [role="slider"]';
  const HAIR = 1.5;
  const modals = [...document.querySelectorAll('dialog:modal')];
  const root = modals.at(-1) ?? document.body;
  const edge = innerWidth;
  const found = new Set();

  const name = (element) => {
    const text = (element.getAttribute('aria-label') || element.innerText || element.value || '').trim();
    const kind = element.tagName.toLowerCase();
    const style = [...element.classList].find((one) => !one.startsWith('svelte-'));
    return `${kind}${style ? `.${style}` : ''} "${text.replaceAll(/\s+/g, ' ').slice(0, 40)}"`;
  };
  const at = ({ left, top, right, bottom }) =>
    `[${[left, top, right, bottom].map((value) => Math.round(value)).join(' ')}]`;
  const styles = new Map();
  const styleOf = (element) => {
    let style = styles.get(element);
    if (!style) styles.set(element, (style = getComputedStyle(element)));
    return style;
  };
  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;
  const isShown = (element) =>
    element.checkVisibility({
      opacityProperty: true,
      visibilityProperty: true,
      contentVisibilityAuto: true,
    }) && !isForReadersOnly(element);
  function isForReadersOnly(element) {
    for (let up = element; up; up = parentOf(up)) if (styleOf(up).clipPath === 'inset(50%)') return true;
    return false;
  }
  /** Pictures, and text inside of them, are not text of the page. */
  const isDecoration = (element) => element.closest('[aria-hidden="true"], svg') !== null;
  function fixedOf(element) {
    for (let up = element; up; up = parentOf(up)) {
      if (styleOf(up).position === 'fixed') return up;
    }
    return null;
  }
  const shortens = (element) =>
    styleOf(element).textOverflow === 'ellipsis' || styleOf(element).webkitLineClamp !== 'none';

  /** Returns the visible part of a box, and the reason for the hidden rest. */
  function seen(element, box) {
    let { left, top, right, bottom } = box;
    let scrolls = false;
    let shortened = false;
    let cut = '';
    let isOut = styleOf(element).position === 'absolute';
    for (let up = element; up && up !== document.body; up = parentOf(up)) {
      const style = styleOf(up);
      shortened ||= shortens(up);
      // A container that is not the containing block does not clip it.
      const applies = up === element || !isOut || style.position !== 'static';
      if (applies && up !== document.documentElement) {
        const outer = up.getBoundingClientRect();
        const inner = {
          left: outer.left + up.clientLeft,
          top: outer.top + up.clientTop,
          right: outer.left + up.clientLeft + up.clientWidth,
          bottom: outer.top + up.clientTop + up.clientHeight,
        };
        const isInline = style.display === 'inline';
        if (!isInline && style.overflowX !== 'visible') {
          const beyond = right > inner.right + HAIR || left < inner.left - HAIR;
          if (beyond && /auto|scroll/.test(style.overflowX)) scrolls = true;
          else if (beyond && !scrolls && !shortened) cut ||= `cut sideways by ${name(up)}`;
          left = Math.max(left, inner.left);
          right = Math.min(right, inner.right);
        }
        if (!isInline && style.overflowY !== 'visible') {
          const beyond = bottom > inner.bottom + HAIR || top < inner.top - HAIR;
          if (beyond && /auto|scroll/.test(style.overflowY)) scrolls = true;
          else if (beyond && !scrolls && !shortened && bottom - top > 0)
            cut ||= `cut at its height by ${name(up)}`;
          top = Math.max(top, inner.top);
          bottom = Math.min(bottom, inner.bottom);
        }
      }
      if (up !== element && style.position !== 'static') isOut = false;
      if (style.position === 'absolute') isOut = true;
      if (style.position === 'fixed') break;
    }
    return { box: { left, top, right, bottom }, scrolls, shortened, cut };
  }
  const isEmpty = ({ left, top, right, bottom }) => right - left < 2 || bottom - top < 2;
  const crosses = (a, b, slack) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;
  const within = (a, b) =>
    a.left >= b.left - HAIR &&
    a.right <= b.right + HAIR &&
    a.top >= b.top - HAIR &&
    a.bottom <= b.bottom + HAIR;

  /** Returns true if a hit on that element counts as the element itself. */
  function belongs(element, hit, box) {
    if (hit.contains(element) || element.contains(hit)) return true;
    const label = element.closest('label');
    if (label?.contains(hit)) return true;
    // A control that is stretched over its subject.
    const control = hit.closest(CONTROL);
    return (
      control !== null &&
      control.parentElement?.contains(element) === true &&
      within(box, control.getBoundingClientRect()) &&
      styleOf(control).position === 'absolute'
    );
  }
  function hits(element, box, what) {
    const x = (box.left + box.right) / 2;
    const y = (box.top + box.bottom) / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return;
    if (styleOf(element).pointerEvents === 'none') return;
    const hit = element.getRootNode().elementFromPoint(x, y);
    if (hit && !belongs(element, hit, box) && fixedOf(hit) === fixedOf(element))
      found.add(`${what} ${name(element)} ${at(box)} is covered by ${name(hit)}`);
  }

  if (document.documentElement.scrollWidth > innerWidth)
    found.add(`the page is ${document.documentElement.scrollWidth} wide`);

  const controls = [];
  for (const element of root.querySelectorAll(CONTROL)) {
    if (!isShown(element) || element.closest('[inert]')) continue;
    const { box, scrolls, cut } = seen(element, element.getBoundingClientRect());
    if (isEmpty(box)) continue;
    if (!scrolls && (box.left < -HAIR || box.right > edge + HAIR))
      found.add(`${name(element)} ${at(box)} lies outside the window`);
    if (cut && !element.matches('input')) found.add(`${name(element)} ${at(box)} is ${cut}`);
    controls.push({ element, box, layer: fixedOf(element) });
    hits(element, box, 'control');
  }
  const lines = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element || node.data.trim() === '' || !isShown(element) || isDecoration(element)) continue;
    if (element.closest('option, script, style, title, noscript')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const { box, scrolls, shortened, cut } = seen(element, rect);
      if (isEmpty(box)) continue;
      if (!scrolls && !shortened && (box.left < -HAIR || box.right > edge + HAIR))
        found.add(`text of ${name(element)} ${at(box)} lies outside the window`);
      if (cut) found.add(`text of ${name(element)} ${at(box)} is ${cut}`);
      // Letters do not fill their line.
      const gap = (box.bottom - box.top) * 0.22;
      lines.push({
        element,
        box: { ...box, top: box.top + gap, bottom: box.bottom - gap },
        layer: fixedOf(element),
      });
      hits(element, box, 'text');
    }
  }
  for (const [index, one] of lines.entries()) {
    for (let next = index + 1; next < lines.length; next += 1) {
      const other = lines[next];
      if (one.layer === other.layer && one.element !== other.element && crosses(one.box, other.box, 1))
        found.add(
          `text of ${name(one.element)} ${at(one.box)} lies over ${name(other.element)} ${at(other.box)}`,
        );
    }
    for (const control of controls) {
      if (one.layer !== control.layer || !crosses(one.box, control.box, 2)) continue;
      if (control.element.contains(one.element) || one.element.contains(control.element)) continue;
      if (belongs(one.element, control.element, one.box)) continue;
      // The box of an element may be larger than it is drawn; only a partial overlap is one for certain.
      if (within(one.box, control.box) || within(control.box, one.box)) continue;
      found.add(
        `text of ${name(one.element)} ${at(one.box)} crosses ${name(control.element)} ${at(control.box)}`,
      );
    }
  }
  for (const [index, one] of controls.entries())
    for (const other of controls.slice(index + 1)) {
      if (one.layer !== other.layer || !crosses(one.box, other.box, 3)) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      if (within(one.box, other.box) || within(other.box, one.box)) continue;
      found.add(`${name(one.element)} ${at(one.box)} overlaps ${name(other.element)} ${at(other.box)}`);
    }
  return [...found];
}

/**
 * The faults of a page at each of these widths.
 * @param {import('playwright-core').Page} page
 * @param {readonly number[]} widths
 * @param {number} height
 */
export async function faultsAt(page, widths, height) {
  const found = new Map();
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await settled(page);
    for (const fault of await page.evaluate(faults)) {
      // A fault that occurs at many widths is reported once, without its position.
      const what = fault.replaceAll(/ \[[-\d ]+\]/g, '');
      const known = found.get(what) ?? { first: fault, at: [] };
      known.at.push(width);
      found.set(what, known);
    }
  }
  return [...found.values()].map(({ first, at }) => `${first} at ${at.join(', ')}`);
}

/** Two frames with the same boxes. */
async function settled(page) {
  await page.evaluate(async (limit) => {
    const frame = () => new Promise((go) => requestAnimationFrame(go));
    const shape = () => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const { length } = document.body.getElementsByTagName('*');
      return `${scrollWidth} ${scrollHeight} ${length}`;
    };
    const end = performance.now() + limit;
    await frame();
    for (let last = ''; last !== shape() && performance.now() < end;) {
      last = shape();
      await frame();
    }
  }, SETTLE);
}
