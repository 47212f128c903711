/** Memory of a page in long use: hidden images and responses are released. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addLibrary, apiOf, enter, launchBrowser, makeMedia, startServer, until } from '../harness.mjs';

/** Screens that a user pages through in ten minutes, at one in a second and a half. */
const TURNS = 400;
const ITEMS = 6000;
/** Bytes by which the heap may grow. */
const GROWTH = 10_000_000;
/** DOM nodes by which the page may grow: about four screens of cards. */
const NODES = 6000;

let server;
let browser;

before(async () => {
  server = await startServer();
  const tree = join(server.folder, 'tree');
  await makeMedia(tree, 'tree', '--items', String(ITEMS), '--kinds', 'books', '--valid');
  await addLibrary(await apiOf(server.url), tree);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function measure(session) {
  // Some objects are freed by the finalizers of others.
  for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => metrics.find((one) => one.name === name).value;
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes') };
}

/** Scrolls by a screen, and waits until its cards are there. */
async function turn(page, nth) {
  await page.evaluate(async (at) => {
    const height = document.documentElement.scrollHeight - innerHeight;
    // Down the list and up again.
    const step = innerHeight * 0.9;
    const way = (at * step) % (2 * height);
    scrollTo(0, way > height ? 2 * height - way : way);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, nth);
  await page.waitForFunction(() => {
    const cells = [...document.querySelectorAll('main li[data-index]')];
    return cells.length > 0 && cells.every((cell) => cell.querySelector('a'));
  });
}

describe('memory of a page', () => {
  it('does not grow during ten minutes of navigation', async () => {
    const { page, context } = await enter(browser, server.url);
    await page.goto(`${server.url}/library/books`);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    for (let nth = 0; nth < 10; nth += 1) await turn(page, nth);
    const before = await measure(session);
    for (let nth = 10; nth < TURNS; nth += 1) {
      await turn(page, nth);
      if (nth % 40 !== 0) continue;
      // In between the user looks at an item, and goes back.
      await page.locator('main li[data-index] a').first().click();
      await page.getByRole('button', { name: 'Favourite' }).waitFor();
      await page.goBack();
      await page.locator('main li[data-index] a').first().waitFor();
    }
    await turn(page, 0);
    let now;
    await until('memory that is given back', async () => {
      now = await measure(session);
      return now.heap - before.heap < GROWTH && now.nodes - before.nodes < NODES;
    }).catch(() => {});
    const text = `${JSON.stringify(before)} at the start, ${JSON.stringify(now)} at the end`;
    console.log(text);
    assert.ok(now.heap - before.heap < GROWTH, text);
    assert.ok(now.nodes - before.nodes < NODES, text);
    await context.close();
  });
});
