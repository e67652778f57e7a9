/**
 * What clients see of each fault, and what is counted of what they sent.
 *
 * 1. Clicks are counted, and a ranking is read, so that a cache has it.
 * 2. The fault begins. Clicks are sent, with ids and without, and rankings are read.
 * 3. It ends. Clicks with ids that were not acknowledged are sent again until they are.
 * 4. Each click is looked up in the sorted sets of several windows.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { until } from '../../support/until.mjs';
import { scoresOf } from '../../support/windows.mjs';
import { table } from '../document.mjs';
import { FAULTS } from './list.mjs';
import { keysOf, startWorld } from './world.mjs';

/** Those that are something of their own over a transport. @param {import('./world.mjs').Transport} transport */
export function faultsOf(transport) {
  return FAULTS.filter(({ only }) => (only ?? transport) === transport);
}

/** Longer than a ranking is served for while Redis answers. */
const SERVED_MS = 20_000;
const AGAIN_MS = 50;
/** Twice a connection (2 s), a reply (3 s), and a reply to the same with the script's source. */
const MAX_MS = 2 * (2_000 + 3_000 + 3_000);
const PATIENCE_MS = 60_000;
/** Events of the batches: one click, a page's, a server's, and as many as there may be. */
const SIZES = /** @type {const} */ ([
  ['beacon', 1],
  ['beacon', 3],
  ['events', 30],
  ['events', 100],
]);

/**
 * @typedef {import('./list.mjs').Fault} Fault
 * @typedef {import('./world.mjs').World} World
 * @typedef {import('./world.mjs').Timed} Timed
 *
 * @typedef {object} Batch
 * @property {'beacon' | 'events'} route
 * @property {{ id?: string, events: { action: string, item: string }[] }} body
 * @property {number} [first] the status of the first answer
 * @property {boolean} [isBefore] it was sent before the fault
 * @property {boolean} [acknowledged] in the end
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {import('./world.mjs').Transport} transport
 * @property {string} clicks statuses of batches, and how many
 * @property {string} cached statuses of reads that a cache can answer
 * @property {string} others statuses of other reads
 * @property {number} longestMs
 * @property {number} acknowledged clicks
 * @property {number} lost clicks that were acknowledged and do not count
 * @property {number} twice clicks that count more than once
 * @property {number} refused clicks that were answered 503 and not sent again
 * @property {number} refusedCounted
 * @property {number} doubtful clicks that were answered 504 and not sent again
 * @property {number} doubtfulCounted
 * @property {number} torn clicks that count on some windows and not on others
 */

/**
 * @param {Fault} fault
 * @param {object} options
 * @param {import('./world.mjs').Transport} options.transport
 * @param {number} options.waves one after the other
 * @param {number} options.width batches of a wave, with ids and as many without
 * @returns {Promise<Row>}
 */
export async function proveFault(fault, { transport, waves, width }) {
  const world = await startWorld({ transport, redisArgs: fault.redisArgs });
  try {
    const earlier = makeBatches('before', width, fault.action).filter(({ body }) => body.id);
    for (const batch of earlier) await sendUntilAcknowledged(world, Object.assign(batch, { isBefore: true }));
    await world.worker.scheduled();
    await world.ask('/v1/demo/boards/articles/day');
    await fault.before?.(world);

    await fault.begin?.(world);
    /** @type {Batch[]} */
    const batches = [];
    /** @type {Timed[]} */
    const answers = [];
    for (let wave = 0; wave < waves; wave += 1) {
      const own = makeBatches(`wave-${wave}`, width, fault.action);
      batches.push(...own);
      const send = (/** @type {Batch[]} */ batches) => Promise.all(batches.map((batch) => sendOnce(world, batch)));
      if (wave > 0 || !fault.strike) {
        answers.push(...(await send(own)));
        continue;
      }
      // Half of them before it, half of them while it happens.
      answers.push(...(await send(own.slice(width))));
      const late = own.slice(0, width);
      const rest = send(late);
      const some = () => until('some are acknowledged', () => late.some(({ acknowledged }) => acknowledged));
      await fault.strike(world, { some, all: () => rest });
      answers.push(...(await rest));
    }
    world.edgeClock.advance(SERVED_MS);
    const cached = await Promise.all(Array.from({ length: 4 }, () => world.ask('/v1/demo/boards/articles/day')));
    const paths = ['boards/articles/week', 'boards/articles/last-7-days', 'boards/articles/day/members/x', 'boards/articles/all?limit=7'];
    const others = await Promise.all(paths.map((path) => world.ask(`/v1/demo/${path}`)));
    await (fault.end ?? (() => world.line.set('clear')))(world);

    const again = batches.filter(({ body, acknowledged }) => body.id && !acknowledged);
    await Promise.all(again.map((batch) => sendUntilAcknowledged(world, batch)));
    return {
      name: world.killed > 0 ? `${fault.name}: ${world.killed} were` : fault.name,
      transport,
      clicks: statusesOf(answers),
      cached: statusesOf(cached),
      others: statusesOf(others),
      longestMs: Math.max(...[...answers, ...cached, ...others].map(({ ms }) => ms)),
      ...(await compare(world, [...earlier, ...batches])),
    };
  } finally {
    await world.stop();
  }
}

/** @param {string} name @param {number} width @param {string} [action] @returns {Batch[]} */
function makeBatches(name, width, action = 'view') {
  return Array.from({ length: 2 * width }, (_, n) => {
    const [route, size] = SIZES[Math.floor(n / 2) % SIZES.length];
    const events = Array.from({ length: size }, (_, i) => ({ action, item: `/${name}/${n}/${i}` }));
    return { route, body: n % 2 ? { events } : { id: `${name}-${n}`, events } };
  });
}

/** @param {World} world @param {Batch} batch */
async function sendOnce(world, batch) {
  const answer = await world.send(batch.route, batch.body);
  batch.first ??= answer.status;
  batch.acknowledged ||= answer.status < 300;
  return answer;
}

/** @param {World} world @param {Batch} batch */
async function sendUntilAcknowledged(world, batch) {
  await until(
    `${batch.body.id} is acknowledged`,
    async () => {
      await sendOnce(world, batch);
      if (!batch.acknowledged) await pause(AGAIN_MS);
      return batch.acknowledged;
    },
    { timeoutMs: PATIENCE_MS },
  );
}

/** @param {World} world @param {Batch[]} batches */
async function compare({ redis }, batches) {
  const boards = await Promise.all(keysOf(batches[0].body.events[0].action).map((key) => scoresOf(redis, key)));
  const counts = { acknowledged: 0, lost: 0, twice: 0, refused: 0, refusedCounted: 0, doubtful: 0, doubtfulCounted: 0, torn: 0 };
  for (const { acknowledged, first, body } of batches) {
    for (const { item } of body.events) {
      const scores = boards.map((scores) => scores.get(item) ?? 0);
      const [least, most] = [Math.min(...scores), Math.max(...scores)];
      if (most > 1) counts.twice += 1;
      if (least !== most) counts.torn += 1;
      if (acknowledged) {
        counts.acknowledged += 1;
        if (least < 1) counts.lost += 1;
      } else if (first === 503) {
        counts.refused += 1;
        if (most > 0) counts.refusedCounted += 1;
      } else {
        counts.doubtful += 1;
        if (most > 0) counts.doubtfulCounted += 1;
      }
    }
  }
  return counts;
}

/** `204 ×12, 503 ×4 (stale)` @param {Timed[]} answers */
function statusesOf(answers) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { status, stale } of answers) {
    const name = stale ? `${status} stale` : String(status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, times]) => `${name} ×${times}`)
    .join(', ');
}

/**
 * What does not hold in a row.
 *
 * @param {Fault} fault
 * @param {Row} row
 */
export function wrongIn({ loses, forgetsIds }, row) {
  const only = (/** @type {string} */ statuses, /** @type {RegExp} */ allowed) => statuses.split(', ').every((part) => allowed.test(part));
  /** @type {[what: string, holds: boolean][]} */
  const rules = [
    ['clicks are acknowledged, refused or doubtful', only(row.clicks, /^(200|204|503|504) /)],
    ['the last ranking is served', only(row.cached, /^200 /)],
    ['other reads are answered or refused', only(row.others, /^(200|404|503) /)],
    [`answers come within ${MAX_MS} ms`, row.longestMs <= MAX_MS],
    ['what is acknowledged is counted', loses || row.lost === 0],
    ['nothing counts twice', forgetsIds || row.twice === 0],
    ['what is refused is not counted', row.refusedCounted === 0],
    ['a click counts on all windows or on none', loses || row.torn === 0],
  ];
  return rules.filter(([, holds]) => !holds).map(([what]) => `${row.name}, over ${row.transport}: not so: ${what}: ${JSON.stringify(row)}`);
}

/** @param {Row[]} rows */
export function renderFaults(rows) {
  const head = [
    'fault',
    'over',
    'clicks',
    'reads, cached',
    'reads, others',
    'longest',
    'acknowledged, lost',
    '503, counted',
    '504, counted',
  ];
  const of = (/** @type {number} */ all, /** @type {number} */ some) => (all === 0 ? '–' : `${all}, ${some}`);
  const cells = (/** @type {Row} */ row) => [
    row.name,
    row.transport === 'http://' ? 'REST' : 'TCP',
    row.clicks,
    row.cached,
    row.others,
    `${(row.longestMs / 1000).toFixed(1)} s`,
    of(row.acknowledged, row.lost),
    of(row.refused, row.refusedCounted),
    of(row.doubtful, row.doubtfulCounted),
  ];
  return table(head, rows.map(cells));
}
