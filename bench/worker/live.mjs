/**
 * A thousand viewers of one live ranking: what they cost Redis and the runtime, and how long a click takes to them, and to the paint
 * of a page. The last is also measured from a click on a link in another page, whose beacon module collects clicks first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { launchChromium, openPage } from '../../tests/support/chromium.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { until } from '../../tests/support/until.mjs';
import { viewers } from '../../tests/support/viewers.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { median } from '../rounds.mjs';
import { BEACON_PATH, SITES, TOP_PATH } from '../site.mjs';
import { startBaseline } from './baseline.mjs';
import { expectStatus } from './contenders.mjs';

const VIEWERS = 1_000;
/** Sockets that are opened at once. */
const AT_ONCE = 50;
const ITEM = '/posts/1';
/** Clicks alone, for what one costs. */
const ALONE = 20;
/** Between two clicks, on average: a change for nearly each look. */
const CLICK_MS = 1_000;
/** Without a click, for what looking costs. */
const QUIET_S = 10;
const LATEST_MS = 30_000;

/** @param {import('../options.mjs').Effort} effort */
export async function benchLive({ readSeconds }) {
  const bareBytesPerViewer = await measureBare();
  const redis = await startRedis();
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  const browser = await launchChromium();
  const viewing = viewers(() => worker);
  try {
    const body = JSON.stringify({ action: 'view', item: ITEM });
    const click = async () => expectStatus(await worker.fetch(BEACON_PATH, { method: 'POST', body }), 204);
    const commands = () => commandsOf(redis);
    for (let i = 0; i < ALONE; i += 1) await click();
    const perClick = await spent(commands, ALONE, click);

    const page = await openPage(browser);
    await page.setContent(
      `<script type="module" src="${worker.url}/board.js"></script><edge-board site="bench" board="articles" window="day"></edge-board>`,
    );
    await page.evaluate(() => {
      const painted = /** @type {number[]} */ ([]);
      Object.assign(globalThis, { painted });
      addEventListener('edge-board-change', (event) => {
        const { score } = /** @type {CustomEvent} */ (event).detail.entries[0];
        requestAnimationFrame(() => setTimeout(() => (painted[score] = Date.now())));
      });
    });
    const { bytesPerViewer, seen } = await gather(viewing);

    const quiet = (await spent(commands, 1, () => pause(QUIET_S * 1_000))) / QUIET_S;

    /** @type {number[]} */
    const clicked = [];
    let score = 2 * ALONE;
    const start = performance.now();
    const total = await spent(commands, 1, async () => {
      while (performance.now() - start < readSeconds * 1_000) {
        await pause(CLICK_MS * (0.5 + Math.random()));
        clicked[++score] = Date.now();
        await click();
      }
      const has = (/** @type {number[]} */ at) => at.length > score;
      const painted = async () => has(await page.evaluate('painted'));
      await until('the last click to reach all', async () => seen.every(has) && (await painted()), { timeoutMs: LATEST_MS });
    });
    const seconds = (performance.now() - start) / 1_000;
    const clicks = score - 2 * ALONE;

    const reader = await openPage(browser);
    await reader.goto(`${worker.url}/healthz`); // for an origin that may send
    await reader.setContent(
      `<script type="module" src="${worker.url}/shelf.js" data-edgeboard-site="bench"></script><a href="#read" data-edgeboard-item="${ITEM}">A post</a>`,
    );
    await reader.waitForLoadState('networkidle');
    /** @type {number[]} */
    const clickedInPage = [];
    const end = performance.now() + readSeconds * 1_000;
    while (performance.now() < end) {
      await pause(CLICK_MS * (0.5 + Math.random()));
      clickedInPage[++score] = Date.now();
      await reader.click('a');
    }
    const isPainted = async () => /** @type {number[]} */ (await page.evaluate('painted')).length > score;
    await until('the last click to be painted', isPainted, { timeoutMs: LATEST_MS });

    const toSocket = delays(clicked, seen);
    const painted = /** @type {number[]} */ (await page.evaluate('painted'));
    const paint = delays(clicked, [painted]);
    const paintOfPage = delays(clickedInPage, [painted]);
    return {
      viewers: VIEWERS,
      clicks,
      seconds,
      quiet,
      changing: (total - clicks * perClick) / seconds,
      bytesPerViewer,
      bareBytesPerViewer,
      toSocket,
      paint,
      paintOfPage,
    };
  } finally {
    viewing.leave();
    await browser.close();
    await worker.stop();
    await redis.stop();
  }
}

/** What a viewer of a bare object takes of the runtime's memory. */
async function measureBare() {
  const worker = await startBaseline(
    'bare-object',
    {},
    {
      durable_objects: { bindings: [{ name: 'LIVE', class_name: 'LiveBoard' }] },
      migrations: [{ tag: 'v1', new_sqlite_classes: ['LiveBoard'] }],
    },
  );
  const viewing = viewers(() => worker);
  try {
    return (await gather(viewing)).bytesPerViewer;
  } finally {
    viewing.leave();
    await worker.stop();
  }
}

/**
 * Lets viewers come.
 *
 * @param {ReturnType<typeof viewers>} viewing
 * @returns {Promise<{ bytesPerViewer: number, seen: number[][] }>} what each takes of memory, and when each sees which score
 */
async function gather(viewing) {
  const come = () => Promise.all(Array.from({ length: AT_ONCE }, () => viewing.watch(`${TOP_PATH}/live`)));
  await come(); // so that what the first of them costs, such as compiling, is nobody's
  const before = memoryBytes();
  /** @type {number[][]} */
  const seen = [];
  for (let opened = 0; opened < VIEWERS; opened += AT_ONCE) {
    for (const { socket } of await come()) {
      /** @type {number[]} */
      const at = [];
      seen.push(at);
      socket.addEventListener('message', ({ data }) => (at[JSON.parse(data).entries[0].score] = Date.now()));
    }
  }
  return { bytesPerViewer: (memoryBytes() - before) / VIEWERS, seen };
}

/**
 * How long each click took to reach each viewer. Several that come within a second are sent together.
 *
 * @param {number[]} clicked when, by the score that the click makes
 * @param {number[][]} seen when each score was seen, by viewer
 */
function delays(clicked, seen) {
  const all = seen
    .flatMap((at) => clicked.map((from, score) => /** @type {number} */ (at.slice(score).find(Boolean)) - from))
    .filter((ms) => ms >= 0);
  return { medianMs: median(all), worstMs: all.reduce((most, ms) => Math.max(most, ms), 0) };
}

/** What one time of some work costs. @param {() => Promise<number>} count @param {number} times @param {() => Promise<unknown>} work */
async function spent(count, times, work) {
  const before = await count();
  for (let i = 0; i < times; i += 1) await work();
  return ((await count()) - before) / times;
}

/** Commands, those inside scripts included. @param {import('../../tests/support/redis.mjs').Redis} redis */
async function commandsOf(redis) {
  const info = await redis.command('INFO', 'commandstats');
  return [...info.matchAll(/^cmdstat_(?!info)[^:]+:calls=(\d+)/gm)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

/** Of the runtime that this process started. Linux tells it. */
function memoryBytes() {
  const field = (/** @type {string} */ status, /** @type {string} */ name) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/status`, 'utf8')] : [];
    } catch {
      return []; // it has ended
    }
  });
  const own = processes.filter((status) => field(status, 'Name') === 'workerd' && field(status, 'PPid') === String(process.pid));
  return own.reduce((sum, status) => sum + 1024 * Number(field(status, 'VmRSS')), 0);
}
