/** Starts the Chromium that browser tests drive. */

import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';

const CANDIDATES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome', chromium.executablePath()];

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-blink-features=AutomationControlled', // else `navigator.webdriver` is true, and the module counts nothing
];

/**
 * Each call starts a browser with a fresh profile; close it with `browser.close()`.
 *
 * @returns {Promise<import('playwright-core').Browser>}
 */
export function launchChromium() {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) {
    throw new Error('no Chromium: set CHROMIUM to its path, or `apt-get install chromium`, or `npx playwright-core install chromium`');
  }
  return chromium.launch({ executablePath, headless: true, args: ARGS });
}

/**
 * A visitor like any other: headless Chromium names itself in its user agent, and would be taken for a bot.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContextOptions} [options]
 * @returns {Promise<import('playwright-core').Page>} a page in a context of its own
 */
export async function openPage(browser, options = {}) {
  const product = `Chrome/${browser.version()} Safari/537.36`;
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${product}`;
  const context = await browser.newContext({ userAgent, ...options });
  return context.newPage();
}
