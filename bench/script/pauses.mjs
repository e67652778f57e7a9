/**
 * How long a transaction keeps everybody else from Redis, where a batch is as much as it may be: a hundred events of as many actors on twenty
 * boards with the shipped windows, and a group of ten such batches. They are cut into rounds, see crates/serve/src/ingest/rounds.rs.
 *
 * It is Redis's CPU time of the whole request, divided by its transactions, or by its calls where it needs none.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';
import { SHIPPED } from '../../tests/support/costs.mjs';
import { startDeployment } from '../../tests/support/deployment.mjs';
import { inTurn, mapValues, median } from '../rounds.mjs';
import { cpuDuring, repeat } from './cpu.mjs';

const BOARDS = 20;
const EVENTS = 100;
const BATCHES = 10;
const NOW = '2026-11-20T12:30:00Z';
const BOARD = { weights: { like: 3, view: 1 }, windows: SHIPPED.demo.boards.articles.windows, once: { view: 'day' } };
const SITE = {
  actions: { like: { reversible: true }, view: {} },
  boards: Object.fromEntries(repeat(BOARDS, (n) => [`board-${n}`, BOARD])),
};
/** Each in a variable, which takes 5 KB. */
const SITES = { direct: SITE };
const vars = { SITES_GROUPED: { grouped: { ...SITE, ingest: 'grouped' } } };

/** @param {import('../options.mjs').Effort} effort */
export async function benchPauses({ rounds }) {
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  let actors = 0;
  /** Batches at once, each by actors of its own. @param {string} site @param {object} event @param {number} [batches] @param {number} [first] the number of their first actor */
  const send = async (site, event, batches = 1, first = (actors += batches * EVENTS)) => {
    const bodies = repeat(batches, (batch) =>
      repeat(EVENTS, (i) => ({ ...event, item: `/posts/${i}`, actor: `u${first + batch * EVENTS + i}` })),
    );
    const answers = await Promise.all(bodies.map((events) => deployment.events({ events }, { site })));
    for (const { body, text } of answers) if (body?.accepted !== EVENTS) throw new Problem(`not all of ${EVENTS} events counted: ${text}`);
  };
  const like = { action: 'like' };
  const requests = {
    likes: { name: `${EVENTS} likes on ${BOARDS} boards`, send: () => send('direct', like) },
    undo: { name: 'their undo', send: () => send('direct', { ...like, undo: true }, 1, actors) },
    once: { name: `${EVENTS} views that count once, on ${BOARDS} boards`, send: () => send('direct', { action: 'view' }) },
    group: { name: `${BATCHES} batches of ${EVENTS} likes in groups`, send: () => send('grouped', like, BATCHES) },
  };
  /** @param {() => Promise<void>} request */
  const measure = async (request) => {
    await deployment.redis.command('CONFIG', 'RESETSTAT');
    const cpuUs = await cpuDuring(deployment.redis, request);
    const stats = await deployment.redis.command('INFO', 'commandstats');
    const calls = (/** @type {string} */ command) => Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
    const pieces = calls('exec') || calls('fcall');
    return { pieces, ms: cpuUs / 1000 / pieces };
  };
  try {
    // In their order: an undo needs what it undoes, and groups form while one is under way.
    const turn = async () => {
      /** @type {Record<string, { pieces: number, ms: number }>} */
      const found = {};
      for (const [name, { send }] of Object.entries(requests)) found[name] = await measure(send);
      return found;
    };
    await turn(); // to warm up
    const { all } = await inTurn({ all: turn }, rounds);
    return Object.values(
      mapValues(requests, ({ name }, key) => {
        const of = all.map((found) => found[key]);
        return { name, pieces: median(of.map(({ pieces }) => pieces)), ms: median(of.map(({ ms }) => ms)) };
      }),
    );
  } finally {
    await deployment.stop();
  }
}
