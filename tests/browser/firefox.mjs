/** Starts Debian's Firefox, with a virtual screen, for tests in a second browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(fileURLToPath(new URL('../../web/package.json', import.meta.url)));
const { firefox } = require('playwright-core');

/** A name that browsers do not trust like `localhost`: pages of it lack the features of secure contexts. */
export const HOST = 'ledge.test';

/** Prefs of a browser that plays without a click, and that asks the network for nothing but the test. */
const PREFERENCES = {
  'network.dns.localDomains': HOST,
  'media.autoplay.default': 0,
  // A sound card that only counts time: without one, captured sound would never run.
  'media.cubeb.force_mock_context': true,
  'ui.prefersReducedMotion': 1,
  // Firefox shows a notice of plain HTTP in password fields, which covers buttons.
  'security.insecure_field_warning.contextual.enabled': false,
  'app.normandy.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** Returns the path of a program; null without it. */
function programOf(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next folder can have it.
    }
  }
  return null;
}

/** Returns the reason why Firefox cannot run; false if it can. */
export function firefoxObstacle() {
  if (!browserPath()) return 'NOT RUN: firefox-esr is not installed';
  return programOf('Xvfb') ? false : 'NOT RUN: Xvfb is not installed';
}

const browserPath = () => process.env.FIREFOX ?? programOf('firefox-esr');

/** Starts a screen without a monitor: a headless Firefox has no WebGL. */
async function startScreen() {
  const options = ['-displayfd', '1', '-screen', '0', '1600x1100x24', '-nolisten', 'tcp'];
  const child = spawn('Xvfb', options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [number] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('Xvfb did not start'))),
  ]);
  return { name: `:${String(number).trim()}`, stop: () => child.kill() };
}

/** Starts Firefox. Its `close` also ends the screen. */
export async function launchFirefox() {
  const screen = await startScreen();
  try {
    const browser = await firefox.launch({
      // Playwright's own builds have a protocol of their own; this channel speaks WebDriver BiDi to an unchanged Firefox.
      channel: 'moz-firefox',
      executablePath: browserPath(),
      headless: false,
      env: { ...process.env, DISPLAY: screen.name },
      firefoxUserPrefs: PREFERENCES,
    });
    withoutMediaFeatures(browser);
    browser.on('disconnected', screen.stop);
    return browser;
  } catch (error) {
    screen.stop();
    throw error;
  }
}

/**
 * Playwright sets the colour scheme of each new page. Firefox 153 does not know this command yet, and would refuse every
 * page. `ui.prefersReducedMotion` replaces the part of it that the tests need.
 */
function withoutMediaFeatures(browser) {
  const session = browser._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = (method, ...rest) =>
    method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send(method, ...rest);
}
