/** The page of an open book: its frame, its visible text, and turning. */
import { until } from '../harness.mjs';

/** Returns the document of the visible page. */
export const frameOf = (page) => page.frames().findLast((frame) => frame !== page.mainFrame());

/** Returns the lines on the screen, complete or partial. */
export async function seen(page) {
  for (;;) {
    try {
      return await frameOf(page)?.evaluate(() => {
        const offset = window.frameElement.getBoundingClientRect();
        const onScreen = ({ left, right }) => right + offset.left > 0 && left + offset.left < top.innerWidth;
        return [...document.querySelectorAll('p[id]')]
          .filter((paragraph) => [...paragraph.getClientRects()].some(onScreen))
          .map((paragraph) => paragraph.textContent.split(':')[0]);
      });
    } catch (error) {
      if (!/detached|navigat|destroyed/.test(error.message)) throw error; // the chapter is changing
    }
  }
}

/** Returns the lines on the screen after the fonts have loaded and nothing moves. */
export async function settled(page) {
  let before = '';
  return until('a page that stands still', async () => {
    const lines = await seen(page);
    const now = JSON.stringify([lines, await page.locator('footer').innerText()]);
    const loaded = await frameOf(page)
      ?.evaluate(() => document.fonts.status === 'loaded')
      .catch(() => false);
    if (loaded && lines && now === before) return lines;
    before = now;
    return null;
  });
}

export async function turn(page, key = 'PageDown') {
  const before = (await settled(page)).join();
  await page.keyboard.press(key);
  return until('another page', async () => {
    const lines = await settled(page);
    return lines.join() === before ? null : lines;
  });
}
