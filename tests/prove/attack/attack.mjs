/**
 * A week of a simulated site under attack, against the ranking of its readers alone.
 *
 * Five kinds of bots send a tenth of the requests: declared crawlers, prefetches, headless browsers, one address under many names, and
 * one reader who reloads. Somebody floods the board with made-up ids, which its owner removes at the end. Somebody else makes actors
 * up.
 */
import { startDeployment } from '../../support/deployment.mjs';
import { readComplete } from '../../support/windows.mjs';
import { table } from '../document.mjs';
import { makeWeek } from './traffic.mjs';

const ADMIN_TOKEN = 'a-token-for-the-owner';
const MONDAY = Date.parse('2026-11-16T08:00:00Z');
const DAY_MS = 86_400_000;
const HEAD = 100;
const MIN_TAU = 0.99;
const SENDERS = 16;
const WINDOWS = ['week', 'last-7-days', 'all'];
const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true }, publish: {} },
    limits: { beacons: 120, misses: 0 },
    max_beacon_events: 20,
    boards: {
      articles: { weights: { view: 1 }, windows: WINDOWS, once: { view: 'day' }, limit: 1_000 },
      people: { members: 'actors', weights: { view: 1, publish: 1 }, windows: ['all'] },
    },
  },
};

/**
 * @typedef {import('./traffic.mjs').Kind} Kind
 * @typedef {object} Result
 * @property {number} visits
 * @property {Record<string, number>} tau by window
 * @property {number} common members that both heads have
 * @property {Record<string, { visits: number, answers: string }>} kinds
 * @property {number} junkBefore made-up ids on the board
 * @property {number} junkAfter
 * @property {number} forged made-up actors on the board of actors
 * @property {number} membersOfAll
 * @property {number} megabytes that Redis takes at most
 * @property {number} seconds
 */

/**
 * @param {object} options
 * @param {number} options.readers
 * @param {number} options.junk
 * @param {Record<string, unknown>} [options.site] more options of the site
 * @returns {Promise<Result>}
 */
export async function proveAttack({ readers, junk, site = {} }) {
  const began = Date.now();
  const { days, clean } = makeWeek({ readers, junk });
  const sites = { demo: { ...SITES.demo, ...site } };
  const deployment = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN } });
  try {
    /** @type {Map<Kind, Map<string, number>>} */
    const answers = new Map();
    let megabytes = 0;
    for (const [day, visits] of days.entries()) {
      deployment.clock.set(MONDAY + day * DAY_MS);
      deployment.edgeClock.set(MONDAY + day * DAY_MS);
      await sendDay(deployment, visits, answers);
      await deployment.events({ action: 'publish', item: `/posts/${day}`, actor: 'ann' });
      await deployment.worker.scheduled();
      megabytes = Math.max(megabytes, await usedMegabytes(deployment));
    }
    const junkBefore = await junkOn(deployment);
    await removeJunk(deployment);
    const best = [...clean].sort((a, b) => b[1] - a[1]).slice(0, HEAD);
    /** @type {Record<string, number>} */
    const tau = {};
    for (const window of WINDOWS) tau[window] = kendall(best, await scoresOn(deployment, window, best));
    const { answer } = await readComplete(deployment, 'articles/all', `?limit=${HEAD}`);
    const shown = new Set(answer.body.entries.map((/** @type {{ id: string }} */ { id }) => id));
    const people = await deployment.freshTop('people/all', '?limit=100');
    const kinds = [...answers].map(([kind, counts]) => [kind, summaryOf(counts)]);
    return {
      visits: days.flat().length,
      tau,
      common: best.filter(([id]) => shown.has(id)).length,
      kinds: Object.fromEntries(kinds),
      junkBefore,
      junkAfter: await junkOn(deployment),
      forged: people.body.entries.filter((/** @type {{ id: string }} */ { id }) => id.startsWith('made-up')).length,
      membersOfAll: await deployment.redis.command('ZCARD', 'eb:{demo:articles}:all:0'),
      megabytes,
      seconds: (Date.now() - began) / 1000,
    };
  } finally {
    await deployment.stop();
  }
}

/**
 * @param {import('../../support/deployment.mjs').Deployment} deployment
 * @param {import('./traffic.mjs').Visit[]} visits
 * @param {Map<Kind, Map<string, number>>} answers
 */
async function sendDay(deployment, visits, answers) {
  let next = 0;
  const sender = async () => {
    for (let n = next; n < visits.length; n = next) {
      next += 1;
      const { kind, address, agent, items, actor, prefetch } = visits[n];
      const headers = { 'cf-connecting-ip': address, 'user-agent': agent, ...(prefetch ? { 'sec-purpose': 'prefetch' } : {}) };
      const events = items.map((item) => ({ action: 'view', item, ...(actor ? { actor } : {}) }));
      const { status, headers: said, text } = await deployment.beacon({ events }, { headers });
      if (status !== 204 && status !== 429) throw new Error(`a beacon of a ${kind} is answered ${status}: ${text}`);
      const counts = answers.get(kind) ?? new Map();
      answers.set(kind, counts);
      const name = said.get('edgeboard-counted') === '0' ? '204, counted 0' : String(status);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/** @param {Map<string, number>} counts */
function summaryOf(counts) {
  const answers = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([name, times]) => `${name} ×${times}`);
  return { visits: [...counts.values()].reduce((sum, times) => sum + times, 0), answers: answers.join('; ') };
}

/** The scores that a window shows of some members. */
async function scoresOn(
  /** @type {import('../../support/deployment.mjs').Deployment} */ deployment,
  /** @type {string} */ window,
  /** @type {[id: string, score: number][]} */ members,
) {
  await readComplete(deployment, `articles/${window}`);
  const body = JSON.stringify({ ids: members.map(([id]) => id) });
  const { body: answer } = await deployment.fetch(`/v1/demo/boards/articles/${window}/ranks`, { method: 'POST', body });
  return new Map(answer.ranks.map((/** @type {{ id: string, score: number | null }} */ { id, score }) => [id, score ?? 0]));
}

/**
 * Kendall's tau-b between what members should have and what they have.
 *
 * @param {[id: string, score: number][]} expected
 * @param {Map<string, number>} found
 */
export function kendall(expected, found) {
  let [sum, untiedA, untiedB] = [0, 0, 0];
  for (const [i, [a, scoreA]] of expected.entries()) {
    for (const [b, scoreB] of expected.slice(i + 1)) {
      const x = Math.sign(scoreA - scoreB);
      const y = Math.sign((found.get(a) ?? 0) - (found.get(b) ?? 0));
      sum += x * y;
      untiedA += Math.abs(x);
      untiedB += Math.abs(y);
    }
  }
  return sum / Math.sqrt(untiedA * untiedB);
}

/** @param {import('../../support/deployment.mjs').Deployment} deployment */
async function usedMegabytes({ redis }) {
  const [, bytes] = /used_memory:(\d+)/.exec(await redis.command('INFO', 'memory')) ?? [];
  return Number(bytes) / 2 ** 20;
}

/** Made-up ids on the board of all time. @param {import('../../support/deployment.mjs').Deployment} deployment */
async function junkOn({ redis }) {
  const members = await redis.command('ZRANGE', 'eb:{demo:articles}:all:0', 0, -1);
  return members.filter((/** @type {string} */ member) => member.startsWith('/junk/')).length;
}

/** Takes them off, in as many pieces as it takes. @param {import('../../support/deployment.mjs').Deployment} deployment */
async function removeJunk(deployment) {
  for (;;) {
    const path = '/v1/demo/admin/boards/articles/members?prefix=%2Fjunk%2F';
    const answer = await deployment.fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    if (answer.status === 200) return;
    if (answer.status !== 202) throw new Error(`removing is answered ${answer.status}: ${answer.text}`);
  }
}

/** What does not hold. @param {Result} result */
export function wrongInAttack({ tau, junkAfter, forged, kinds }) {
  const wrong = Object.entries(tau).filter(([, tau]) => !(tau >= MIN_TAU));
  const lines = wrong.map(([window, tau]) => `Kendall's tau of ${window} is ${tau}, not ${MIN_TAU}`);
  if (junkAfter > 0) lines.push(`${junkAfter} made-up ids are left`);
  if (forged > 0) lines.push(`${forged} made-up actors are on the board`);
  if (kinds.reader.answers !== `204 ×${kinds.reader.visits}`) lines.push(`readers are answered ${kinds.reader.answers}`);
  return lines;
}

/** @param {Result} result */
export function renderAttack(result) {
  const taus = Object.entries(result.tau).map(([window, tau]) => `${tau.toFixed(4)} of \`${window}\``);
  const facts = [
    `${result.visits.toLocaleString('en')} requests in a week. Kendall's tau of the best ${HEAD}: ${taus.join(', ')}.`,
    `${result.common} of the best ${HEAD} are among the ${HEAD} that are shown.`,
    `Made-up ids on the board: ${result.junkBefore.toLocaleString('en')}, and ${result.junkAfter} after they were removed.`,
    `Made-up actors on the board of actors: ${result.forged}. Redis took ${result.megabytes.toFixed(1)} MiB at most.`,
  ];
  const rows = Object.entries(result.kinds).map(([kind, { visits, answers }]) => [kind, visits.toLocaleString('en'), answers]);
  return [facts.join('\n'), table(['who', 'requests', 'answers'], rows)].join('\n\n');
}
