/**
 * Numbered clicks while redis-server is killed and restarted, and one reply in five is lost on the way. Clients send what was not
 * acknowledged again, with the same id: what was acknowledged is counted exactly once, on every window.
 *
 * Some clients do not send again. What they sent is doubtful after a 504, and not counted after a 503.
 *
 * With grouped ingest workerd is killed likewise, and with it the objects that gather events.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { CALENDAR, startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { createRandom, readComplete, scoresOf } from '../support/windows.mjs';
import { table } from './document.mjs';

/** Every write is on disk before it is acknowledged. The file is written anew before it takes long to load. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--auto-aof-rewrite-min-size', '8mb'];
/** The hour that holds it ends long after the run. */
const NOW = Date.parse('2026-11-20T12:01:00Z');
const BOARD = 'eb:{demo:articles}';
/** The sorted set that each window is read from at that instant. */
const KEYS = {
  hour: 'hour:498660',
  day: 'day:20777',
  week: 'week:2968',
  month: 'month:24322',
  year: 'year:2026',
  all: 'all:0',
  'last-2-hours': 'window:last-2-hours:498660',
  'last-7-days': 'window:last-7-days:20777',
  slow: 'window:slow:0',
};
/** The scores of a half-life fade while the run lasts, by less than this part. */
const FADED = 1e-4;
const SLOW = { name: 'slow', kind: 'half-life', half_life: '366d' };
const WINDOWS = [...CALENDAR, 'last-2-hours', 'last-7-days', SLOW];
const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: { weights: { view: 1 }, windows: WINDOWS } } };
const GROUPED = { ingest: 'grouped', ingest_partitions: 2 };

/** How many batches are sent at once; with grouped ingest so many, and so small ones, that groups form. */
const SENDERS = { direct: 24, grouped: 64 };
/** Of a beacon, and of a server's batch. */
const MAX_EVENTS = { direct: { beacon: 20, events: 100 }, grouped: { beacon: 3, events: 20 } };
const LOST = 1 / 5;
/** Clients that do not send again: so many that some of them meet each answer of an outage. */
const GIVE_UP = 1 / 4;
const AGAIN_MS = 150;
/** For Redis to come back, and for each click to be acknowledged. */
const PATIENCE_MS = 120_000;

/**
 * @typedef {object} Figures
 * @property {number} clicks
 * @property {number} batches
 * @property {number} requests
 * @property {number} kills
 * @property {number} runtimeKills
 * @property {number} lostReplies
 * @property {Record<string, number>} statuses
 * @property {number} acknowledged clicks
 * @property {{ refused: number, doubtful: number }} givenUp batches: after a 503, and after a 504 or no answer
 * @property {number} refused clicks that were given up after a 503
 * @property {number} doubtful clicks that were given up after a 504, or without an answer
 * @property {number} doubtfulCounted of them, those that are counted
 * @property {Record<string, { missing: number, twice: number, refused: number, shown: number }>} windows by window: acknowledged
 *   clicks that are missing, clicks that count more than once, refused ones that count, and members that it shows beyond those
 *   that count for all time
 * @property {number} seconds
 */

/**
 * @param {object} options
 * @param {number} options.clicks
 * @param {number} options.kills
 * @param {number} [options.runtimeKills]
 * @param {'direct' | 'grouped'} [options.ingest]
 * @param {boolean} [options.withIds]
 * @param {import('../support/deployment.mjs').Transport} [options.transport]
 * @param {number} [options.seed]
 * @returns {Promise<Figures>}
 */
export async function proveClicks({
  clicks,
  kills,
  runtimeKills = 0,
  ingest = 'direct',
  withIds = true,
  transport = 'redis://',
  seed = 20261122,
}) {
  const began = Date.now();
  const sites = { demo: { ...SITE, ...(ingest === 'grouped' && GROUPED) } };
  const deployment = await startDeployment({ transport, relayed: true, sites, redisArgs: DURABLE, redisStartMs: PATIENCE_MS });
  try {
    deployment.clock.set(NOW);
    const random = createRandom(seed);
    const batches = makeBatches(clicks, MAX_EVENTS[ingest], withIds, random);
    const figures = await sendAll(deployment, batches, { kills, runtimeKills, senders: SENDERS[ingest] }, random);
    const ended = (/** @type {Batch['ended']} */ how) => batches.filter((batch) => batch.ended === how);
    const counted = await scoresOf(deployment.redis, `${BOARD}:${KEYS.all}`);
    /** @type {Figures['windows']} */
    const windows = {};
    for (const [window, key] of Object.entries(KEYS)) windows[window] = await compare(deployment, batches, window, key, counted.size);
    return {
      clicks,
      batches: batches.length,
      ...figures,
      givenUp: { refused: ended('refused').length, doubtful: ended('doubtful').length },
      acknowledged: itemsOf(ended('acknowledged')).length,
      refused: itemsOf(ended('refused')).length,
      doubtful: itemsOf(ended('doubtful')).length,
      doubtfulCounted: itemsOf(ended('doubtful')).filter((item) => counted.has(item)).length,
      windows,
      seconds: (Date.now() - began) / 1000,
    };
  } finally {
    await deployment.stop();
  }
}

/**
 * @typedef {object} Batch
 * @property {'beacon' | 'events'} route
 * @property {{ id?: string, events: { id?: string, action: string, item: string }[] }} body
 * @property {boolean} givesUp
 * @property {'acknowledged' | 'refused' | 'doubtful'} [ended]
 */

/**
 * Each click is of an item of its own, so that one that is missing cannot hide another one that counts twice. Half of the batches
 * have an id, half of them events that have one.
 *
 * @param {number} clicks
 * @param {{ beacon: number, events: number }} maxEvents
 * @param {boolean} withIds
 * @param {() => number} random
 */
function makeBatches(clicks, maxEvents, withIds, random) {
  /** @type {Batch[]} */
  const batches = [];
  for (let n = 0; n < clicks; ) {
    const route = random() < 0.75 ? 'beacon' : 'events';
    const size = Math.min(clicks - n, 1 + Math.floor(random() ** 4 * maxEvents[route]));
    const ofBatch = withIds && random() < 0.5;
    const events = Array.from({ length: size }, (_, i) => ({
      action: 'view',
      item: `/clicks/${n + i}`,
      ...(withIds && !ofBatch ? { id: `click-${n + i}` } : {}),
    }));
    batches.push({ route, body: { ...(ofBatch ? { id: `batch-${n}` } : {}), events }, givesUp: random() < GIVE_UP });
    n += size;
  }
  return batches;
}

/**
 * Sends everything; kills Redis, and workerd, each time that a part of it was sent.
 *
 * @param {import('../support/deployment.mjs').Deployment} deployment
 * @param {Batch[]} batches
 * @param {{ kills: number, runtimeKills: number, senders: number }} how
 * @param {() => number} random
 */
async function sendAll(deployment, batches, { kills, runtimeKills, senders }, random) {
  /** @type {Record<string, number>} */
  const statuses = {};
  let [requests, lostReplies, begun, killed, runtimeKilled] = [0, 0, 0, 0, 0];
  deployment.link.loseRepliesWhen(() => {
    const loses = random() < LOST;
    if (loses) lostReplies += 1;
    return loses;
  });

  const sender = async () => {
    while (begun < batches.length) {
      const batch = batches[begun];
      begun += 1;
      const deadline = Date.now() + PATIENCE_MS;
      while (!batch.ended) {
        const status = await deployment[batch.route](batch.body).then(
          (answer) => answer.status,
          () => 'none',
        );
        requests += 1;
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 200 || status === 204) batch.ended = 'acknowledged';
        else if (status !== 503 && status !== 504 && (status !== 'none' || runtimeKills === 0))
          throw new Error(`${batch.route} answered ${status}`);
        else if (batch.givesUp) batch.ended = status === 503 ? 'refused' : 'doubtful';
        else if (Date.now() > deadline) throw new Error(`a batch was not acknowledged within ${PATIENCE_MS} ms`);
        else await pause(AGAIN_MS);
      }
    }
  };
  const killer = async () => {
    for (let n = 1; n <= kills; n += 1) {
      const at = (batches.length * n) / (kills + 1);
      await until('the next part was sent', () => begun >= at, { timeoutMs: 10 * PATIENCE_MS });
      await deployment.redis.kill();
      killed += 1;
      const refused = (statuses[503] ?? 0) + (statuses[504] ?? 0);
      await until('somebody noticed', () => (statuses[503] ?? 0) + (statuses[504] ?? 0) > refused || begun >= batches.length);
      await deployment.redis.restart();
    }
  };
  const runtimeKiller = async () => {
    for (let n = 1; n <= runtimeKills; n += 1) {
      const at = (batches.length * (n - 0.5)) / runtimeKills;
      await until('the next part was sent', () => begun >= at, { timeoutMs: 10 * PATIENCE_MS });
      await deployment.restartWorker();
      runtimeKilled += 1;
    }
  };
  await Promise.all([killer(), runtimeKiller(), ...Array.from({ length: senders }, sender)]);
  deployment.link.loseRepliesWhen(() => false);
  return { requests, kills: killed, runtimeKills: runtimeKilled, lostReplies, statuses };
}

/**
 * A window's scores against what became of each click, and the members that it shows against those that count.
 *
 * @param {import('../support/deployment.mjs').Deployment} deployment
 * @param {Batch[]} batches
 * @param {string} window
 * @param {string} key
 * @param {number} counted
 */
async function compare(deployment, batches, window, key, counted) {
  const { answer } = await readComplete(deployment, `articles/${window}`);
  const scores = await scoresOf(deployment.redis, `${BOARD}:${key}`);
  // Decayed scores are relative to each other.
  const unit = window === SLOW.name ? [...scores.values()].reduce((least, score) => Math.min(least, score), Infinity) : 1;
  const tolerance = window === SLOW.name ? FADED : 0;
  const differences = { missing: 0, twice: 0, refused: 0, shown: answer.body.total - counted };
  for (const { ended, body } of batches) {
    for (const { item } of body.events) {
      const score = (scores.get(item) ?? 0) / unit;
      if (ended === 'acknowledged' && score < 1) differences.missing += 1;
      if (ended === 'refused' && score > 0) differences.refused += 1;
      if (score > 1 + tolerance) differences.twice += 1;
    }
  }
  return differences;
}

/** @param {Batch[]} batches */
function itemsOf(batches) {
  return batches.flatMap(({ body }) => body.events.map(({ item }) => item));
}

/**
 * Whether every click that was acknowledged is counted once, and none that was refused.
 *
 * @param {Figures} figures
 */
export function isExact({ windows }) {
  return Object.values(windows).every((differences) => Object.values(differences).every((difference) => difference === 0));
}

/**
 * What did not happen, so that nothing was shown of it. A hundredth of the clicks may be too few for each.
 *
 * @param {string} name
 * @param {Figures} figures
 */
export function unmetIn(name, { givenUp }) {
  const unmet = (/** @type {number} */ batches, /** @type {string} */ after) =>
    batches === 0 ? [`${name}: no batch was given up after a ${after}, so nothing is shown of them`] : [];
  return [...unmet(givenUp.refused, '503'), ...unmet(givenUp.doubtful, '504')];
}

/** @param {[name: string, figures: Figures][]} runs */
export function renderClicks(runs) {
  const head = ['', ...runs.map(([name]) => name)];
  /** @type {[string, (figures: Figures) => number][]} */
  const rows = [
    ['clicks', ({ clicks }) => clicks],
    ['batches', ({ batches }) => batches],
    ['requests', ({ requests }) => requests],
    ['redis-server killed', ({ kills }) => kills],
    ['workerd killed', ({ runtimeKills }) => runtimeKills],
    ['replies lost', ({ lostReplies }) => lostReplies],
    ['answered 503', ({ statuses }) => statuses[503] ?? 0],
    ['answered 504', ({ statuses }) => statuses[504] ?? 0],
    ['not answered', ({ statuses }) => statuses.none ?? 0],
    ['clicks acknowledged', ({ acknowledged }) => acknowledged],
    ['of them missing on some window', most('missing')],
    ['clicks counted more than once on some window', most('twice')],
    ['batches given up after a 503', ({ givenUp }) => givenUp.refused],
    ['their clicks', ({ refused }) => refused],
    ['of them counted on some window', most('refused')],
    ['batches given up after a 504 or no answer', ({ givenUp }) => givenUp.doubtful],
    ['their clicks', ({ doubtful }) => doubtful],
    ['of them counted', ({ doubtfulCounted }) => doubtfulCounted],
    ['seconds', ({ seconds }) => Math.round(seconds)],
  ];
  const lines = rows.map(([name, of]) => [name, ...runs.map(([, figures]) => of(figures).toLocaleString('en'))]);
  return table(head, lines);
}

/** @param {'missing' | 'twice' | 'refused'} of @returns {(figures: Figures) => number} */
function most(of) {
  return ({ windows }) => Math.max(...Object.values(windows).map((differences) => differences[of]));
}
