/**
 * `npm run screenshot`: the pictures of the demo page in docs/, taken in Chromium of the built worker as `npm start` serves it.
 */
import { mkdirSync } from 'node:fs';

import { command } from '../packages/edgeboard/command.mjs';
import { say } from '../packages/edgeboard/report.mjs';
import { build } from './build.mjs';
import { inProject } from './project.mjs';

const USAGE = `
Usage: npm run screenshot

Takes pictures of the demo page, at 1280 and 360 pixels, light and dark, and writes them to docs/images/.

Environment:
  CHROMIUM      the browser to use
  REDIS_SERVER  the redis-server to use
`;

const FOLDER = inProject('docs/images');
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };
const VIEWS = 60;
/** The story that the reader has read. */
const OWN = 2;
const WRITE_TOKEN = 'a-token-of-the-pictures';
/** The page has a site of its own beside it. */
const OWN_SITES = { own: { actions: { view: {} }, boards: { items: { weights: { view: 1 }, windows: ['day'] } } } };
const MEMBERS = ['Ada', 'Bo', 'Chloé', 'Dov', 'Esi', 'Farid', 'Greta', 'Hana', 'Ivo', 'June', 'Kofi', 'Lena'];
const ACTIONS = ['view', 'like', 'view', 'comment', 'follow', 'publish', 'collect'];

async function main() {
  await build();
  // They need packages, which are there once the worker is built.
  const [{ startLocal }, { startRedis }, { launchChromium, openPage }] = await Promise.all([
    import('../tests/support/local.mjs'),
    import('../tests/support/redis.mjs'),
    import('../tests/support/chromium.mjs'),
  ]);
  const redis = await startRedis();
  const worker = await startLocal({ sites: OWN_SITES, vars: { REDIS_URL: redis.url, WRITE_TOKEN } });
  const browser = await launchChromium();
  try {
    mkdirSync(FOLDER, { recursive: true });
    const page = await openPage(browser, { viewport: SIZES.wide });
    await page.goto(`${worker.url}/?quiet`);
    const items = await page.locator('[data-edgeboard-item]').evaluateAll((links) => links.map((link) => link.dataset.edgeboardItem ?? ''));
    await count(worker, items);
    // A reader's own click, which the boards mark from now on.
    await page.locator(`[data-edgeboard-item="${items[OWN]}"]`).click();
    await page.locator('edge-board .mine').first().waitFor();
    for (const [name, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.reload();
        await page.locator('#members').waitFor();
        await page.waitForFunction(() => [...document.querySelectorAll('edge-board')].every(({ ranking }) => ranking?.entries.length));
        const path = `${FOLDER}/demo-${name}-${colorScheme}.png`;
        await page.screenshot({ path });
        say(path);
      }
    }
  } finally {
    await browser.close();
    await worker.stop();
    await redis.stop();
  }
}

/**
 * Yesterday's readers and today's, so that members have moved since.
 *
 * @param {import('../tests/support/worker.mjs').Worker} worker
 * @param {string[]} items
 */
async function count(worker, items) {
  const day = 24 * 60 * 60 * 1000;
  const places = items.length;
  const send = (/** @type {unknown[]} */ events) =>
    worker.fetch('/v1/demo/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${WRITE_TOKEN}` },
      body: JSON.stringify({ events }),
    });
  for (const [at, turn] of [
    [Date.now() - day, 3],
    [Date.now() - 1000, 0],
  ]) {
    const views = items.flatMap((item, place) => {
      const rank = (place * 7 + turn) % places;
      return Array.from({ length: Math.round(VIEWS / (rank + 1)) }, () => ({ action: 'view', item, at }));
    });
    for (let from = 0; from < views.length; from += 100) await send(views.slice(from, from + 100));
    await send(
      MEMBERS.flatMap((actor, place) =>
        ACTIONS.slice(0, 7 - (place % 7)).map((action) => ({ action, item: items[(place + turn) % places], actor, at })),
      ),
    );
  }
}

command(import.meta, { usage: USAGE, main });
