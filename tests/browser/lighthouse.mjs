/**
 * Measures pages of a real server with Lighthouse's mobile settings and prints the median of five runs as a table.
 * `--runs N` changes the number of runs; names of pages select pages.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addLibrary, apiOf, itemOf, launchBrowser, logIn, startServer } from './harness.mjs';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const installed = createRequire(`${resolve(process.env.LIGHTHOUSE ?? 'target/lighthouse')}/package.json`);
const { default: lighthouse } = await import(pathToFileURL(installed.resolve('lighthouse')).href);
const { chromium } = require('playwright-core');

const PORT = 9333;
const BUDGET = 90;
const options = process.argv.slice(2);
const at = options.indexOf('--runs');
const runs = at < 0 ? 5 : Number(options.splice(at, 2)[1]);

const server = await startServer();
const api = await apiOf(server.url);
await addLibrary(api, server.media);
const item = await itemOf(api, 'Moby-Dick');
const paths = { login: '/', home: '/', browse: '/library/books', item: `/items/${item.id}` };
const names = Object.keys(paths).filter((name) => options.length === 0 || options.includes(name));

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measure(name) {
  const browser = await launchBrowser([`--remote-debugging-port=${PORT}`]);
  const results = [];
  try {
    if (name !== 'login') await signIn();
    for (let run = 0; run < runs; run += 1) {
      await clearCache();
      const result = await lighthouse(`${server.url}${paths[name]}`, {
        port: PORT,
        onlyCategories: ['performance'],
        disableStorageReset: true,
        logLevel: 'error',
      });
      if (!result) throw new Error(`Lighthouse returned nothing for ${name}`);
      const { lhr } = result;
      if (lhr.runtimeError) throw new Error(`${name}: ${lhr.runtimeError.message}`);
      const figure = (id) => lhr.audits[id]?.numericValue ?? 0;
      results.push({
        score: Math.round((lhr.categories.performance?.score ?? 0) * 100),
        fcp: figure('first-contentful-paint'),
        lcp: figure('largest-contentful-paint'),
        tbt: figure('total-blocking-time'),
        cls: figure('cumulative-layout-shift'),
        si: figure('speed-index'),
      });
    }
  } finally {
    await browser.close();
  }
  const of = (key) => median(results.map((one) => one[key]));
  return {
    name,
    score: of('score'),
    fcp: of('fcp'),
    lcp: of('lcp'),
    tbt: of('tbt'),
    cls: of('cls'),
    si: of('si'),
  };
}

/** Opens a page in the browser's own profile, which Lighthouse's pages share. */
async function withPage(act) {
  const own = await chromium.connectOverCDP(`http://127.0.0.1:${PORT}`);
  const [context] = own.contexts();
  const page = await context.newPage();
  await act(page, context);
  await page.close();
  await own.close();
}

const signIn = () =>
  withPage(async (page) => {
    await page.goto(server.url);
    await logIn(page);
    await page.getByText('Recently added').first().waitFor();
  });

/** Makes the next run a first visit. The session stays, unlike with Lighthouse's own reset. */
const clearCache = () =>
  withPage(async (page, context) => {
    const session = await context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
  });

let failed = false;
try {
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  console.log('| page | score | first paint | largest paint | blocked | layout shift | speed index |');
  console.log('|---|---|---|---|---|---|---|');
  for (const name of names) {
    const row = await measure(name);
    failed ||= row.score < BUDGET;
    const cells = [
      row.name,
      row.score,
      seconds(row.fcp),
      seconds(row.lcp),
      `${Math.round(row.tbt)} ms`,
      row.cls.toFixed(2),
      seconds(row.si),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  await server.stop();
}
if (failed) {
  console.error(`A page scores less than ${BUDGET}.`);
  process.exitCode = 1;
}
