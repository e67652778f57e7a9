/**
 * A week of a simulated site under attack, whose owner takes back each evening what those did whom he knows of, against a model that
 * never saw them.
 *
 * Five kinds of bots send a tenth of the requests: declared crawlers, prefetches, headless browsers, one address under many names, and
 * one reader who reloads. Somebody floods the boards with made-up ids, somebody makes actors up, and an account likes whatever there is.
 * A network of addresses looks like readers, and nobody notices.
 */
import { startDeployment } from '../../support/deployment.mjs';
import { DAY_MS } from '../../support/windows.mjs';
import { table } from '../document.mjs';
import { cleanUp, OWNER_TOKEN } from './owner.mjs';
import { compare, expected, MONDAY, siteOf } from './site.mjs';
import { DAYS, ITEMS, makeWeek, SECRET, tokenOf } from './traffic.mjs';

const HEAD = 100;
const MIN_TAU = 0.99;
const SENDERS = 16;
const WINDOWS = ['week', 'last-7-days', 'all'];
/** Whom nobody notices, and so nobody takes back. */
const UNSEEN = /** @type {const} */ (['reader', 'network']);
/** Who is kept from counting at all. */
const DROPPED = /** @type {const} */ (['crawler', 'prefetch', 'headless']);
/** Of whom something gets through, and is taken back. */
const TAKEN_BACK = /** @type {const} */ (['agents', 'reloader', 'forger', 'voter', 'flood']);

/**
 * @typedef {import('./traffic.mjs').Kind} Kind
 * @typedef {import('./traffic.mjs').Visit} Visit
 * @typedef {import('../../support/deployment.mjs').Deployment} Deployment
 * @typedef {Awaited<ReturnType<typeof compare>>} Compared
 * @typedef {object} Result
 * @property {number} visits
 * @property {Record<string, number>} tau by window
 * @property {number} common members that both heads have
 * @property {Map<Kind, { visits: number, answers: string, takenBack: number, remaining: number }>} kinds
 * @property {Compared} before the owner's work of the last day
 * @property {Compared} after
 * @property {{ maxMembers: number, most: number, refused: number }} board of all time: members at most, and events that it refused
 * @property {number} megabytes that Redis takes at most
 * @property {number} ownerSeconds that all of the owner's work took
 * @property {number} seconds
 */

/**
 * @param {object} options
 * @param {number} options.readers
 * @param {number} options.junk made-up ids that are sent in the week
 * @param {number} options.beacons that an address may send in a minute; the flood sends more
 * @returns {Promise<Result>}
 */
export async function proveAttack({ readers, junk, beacons }) {
  const began = Date.now();
  const days = makeWeek({ readers, junk });
  // The made-ups ids of three days would fill a board, if the limit lets through what it says.
  const maxMembers = ITEMS + 3 * 20 * beacons;
  const sites = { demo: siteOf({ beacons, maxMembers }) };
  const deployment = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN: OWNER_TOKEN, ACTOR_SECRET: SECRET } });
  try {
    const seen = days.map((visits, day) => [...visits.filter(({ kind }) => isUnseen(kind)), publication(day)]);
    /** @type {Map<Kind, Map<string, number>>} */
    const answers = new Map();
    /** @type {Map<Kind, number>} */
    const takenBack = new Map();
    const board = { maxMembers, most: 0, refused: 0 };
    let [megabytes, ownerSeconds] = [0, 0];
    /** @type {Compared | undefined} */
    let before;
    for (const [day, visits] of days.entries()) {
      const now = MONDAY + day * DAY_MS;
      for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(now);
      await sendDay(deployment, visits, answers);
      const { actor, clicks } = publication(day);
      await deployment.events({ events: clicks.map((click) => ({ ...click, actor })) });
      await deployment.worker.scheduled();
      megabytes = Math.max(megabytes, await usedMegabytes(deployment));
      await noteFullness(deployment, board);
      if (day === DAYS - 1) before = await compare(deployment, seen);
      const cleaned = Date.now();
      await cleanUp(deployment, { day, now, visits, takenBack });
      ownerSeconds += (Date.now() - cleaned) / 1000;
    }
    if (!before) throw new Error('the week has no day');
    const after = await compare(deployment, seen);
    const all = days.flat();
    const readersAlone = days.map((visits) => visits.filter(({ kind }) => kind === 'reader'));
    const best = headOf(expected(readersAlone, 'articles', 'all', DAYS - 1));
    /** @type {Record<string, number>} */
    const tau = {};
    for (const window of WINDOWS) tau[window] = kendall(best, await scoresOn(deployment, window, best));
    const { body } = await deployment.freshTop('articles/all', `?limit=${HEAD}`);
    const shown = new Set(body.entries.map((/** @type {{ id: string }} */ { id }) => id));
    return {
      visits: all.length,
      tau,
      common: best.filter(([id]) => shown.has(id)).length,
      kinds: new Map([...UNSEEN, ...DROPPED, ...TAKEN_BACK].map((kind) => [kind, summaryOf(kind, { answers, takenBack, all })])),
      before,
      after,
      board,
      megabytes,
      ownerSeconds,
      seconds: (Date.now() - began) / 1000,
    };
  } finally {
    await deployment.stop();
  }
}

const isUnseen = (/** @type {Kind} */ kind) => UNSEEN.some((unseen) => unseen === kind);

/** What an author does on a day, by the site's server. @param {number} day @returns {Visit} */
function publication(day) {
  return { kind: 'reader', address: '', agent: '', actor: 'ann', clicks: [{ action: 'publish', item: `/posts/${day}` }] };
}

/**
 * @param {Deployment} deployment
 * @param {Visit[]} visits
 * @param {Map<Kind, Map<string, number>>} answers
 */
async function sendDay(deployment, visits, answers) {
  const expiry = Math.floor(MONDAY / 1000) + (DAYS + 1) * 86_400;
  let next = 0;
  const sender = async () => {
    for (let n = next; n < visits.length; n = next) {
      next += 1;
      const { kind, address, agent, clicks, actor, isPrefetch } = visits[n];
      const headers = { 'cf-connecting-ip': address, 'user-agent': agent, ...(isPrefetch && { 'sec-purpose': 'prefetch' }) };
      const batch = { events: clicks, ...(actor && { token: tokenOf(actor, expiry) }) };
      const { status, headers: answered, text } = await deployment.beacon(batch, { headers });
      if (status !== 204 && status !== 429) throw new Error(`a beacon of a ${kind} is answered ${status}: ${text}`);
      const counts = answers.get(kind) ?? new Map();
      answers.set(kind, counts);
      const name = answered.get('edgeboard-counted') === '0' ? '204, counted 0' : String(status);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/**
 * @param {Kind} kind
 * @param {{ answers: Map<Kind, Map<string, number>>, takenBack: Map<Kind, number>, all: Visit[] }} of
 */
function summaryOf(kind, { answers, takenBack, all }) {
  const counts = [...(answers.get(kind) ?? [])].sort(([a], [b]) => a.localeCompare(b));
  const clicks = all.flatMap((visit) => (visit.kind === kind ? visit.clicks : []));
  return {
    visits: counts.reduce((sum, [, times]) => sum + times, 0),
    answers: counts.map(([name, times]) => `${name} ×${times.toLocaleString('en')}`).join('; '),
    takenBack: takenBack.get(kind) ?? 0,
    remaining: isUnseen(kind) ? clicks.length : 0,
  };
}

/** @param {import('./site.mjs').Scores} scores */
const headOf = (scores) => [...scores].sort((a, b) => b[1] - a[1]).slice(0, HEAD);

/** The scores that a window shows of some members. */
async function scoresOn(
  /** @type {Deployment} */ deployment,
  /** @type {string} */ window,
  /** @type {[id: string, score: number][]} */ members,
) {
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

/** @param {Deployment} deployment */
async function usedMegabytes({ redis }) {
  const [, bytes] = /used_memory:(\d+)/.exec(await redis.command('INFO', 'memory')) ?? [];
  return Number(bytes) / 2 ** 20;
}

/** @param {Deployment} deployment @param {Result['board']} board */
async function noteFullness(deployment, board) {
  const { body } = await deployment.freshTop('articles/all', '?limit=1');
  board.most = Math.max(board.most, body.total);
  board.refused += body.refused ?? 0;
}

/** What does not hold. @param {Result} result */
export function wrongInAttack({ tau, kinds, before, after, board }) {
  const wrong = Object.entries(tau).filter(([, tau]) => !(tau >= MIN_TAU));
  const lines = wrong.map(([window, tau]) => `Kendall's tau of ${window} is ${tau}, not ${MIN_TAU}`);
  const of = (/** @type {Kind} */ kind) => kinds.get(kind) ?? { visits: 0, answers: '', takenBack: 0 };
  const all = (/** @type {string} */ answer, /** @type {Kind} */ kind) => `${answer} ×${of(kind).visits.toLocaleString('en')}`;
  for (const kind of UNSEEN) {
    if (of(kind).answers !== all('204', kind)) lines.push(`${kind}: answered ${of(kind).answers}`);
  }
  for (const kind of DROPPED) {
    if (of(kind).answers !== all('204, counted 0', kind)) lines.push(`${kind}: answered ${of(kind).answers}`);
  }
  for (const kind of TAKEN_BACK) if (of(kind).takenBack === 0) lines.push(`${kind}: nothing of it was taken back`);
  if (!of('flood').answers.includes('429')) lines.push(`flood: answered ${of('flood').answers}, and nothing was limited`);
  if (before.differing === 0) lines.push('nothing differed before the owner did anything, so this shows nothing');
  if (after.differing > 0) lines.push(`${after.differing} members differ: ${after.examples.join('; ')}`);
  if (board.refused > 0 || board.most >= board.maxMembers) lines.push(`a board was full: ${JSON.stringify(board)}`);
  return lines;
}

/** @param {Result} result */
export function renderAttack({ visits, tau, common, kinds, before, after, board, megabytes, ownerSeconds }) {
  const number = (/** @type {number} */ value) => value.toLocaleString('en');
  const taus = Object.entries(tau).map(([window, tau]) => `${tau.toFixed(4)} of \`${window}\``);
  const facts = [
    `${number(visits)} requests in a week.`,
    `Members that differ from the model that never saw those who are taken back: ${number(before.differing)} before the work of the last`,
    `evening, ${number(after.differing)} of ${number(after.members)} after it. All evenings together took ${ownerSeconds.toFixed(0)} s.`,
    `The board of all time held ${number(board.most)} members at most, of ${number(board.maxMembers)} that it may have.`,
    `Redis took ${megabytes.toFixed(1)} MiB at most.`,
    `Kendall's tau of the best ${HEAD} of the readers alone: ${taus.join(', ')}.`,
    `${common} of these are among the ${HEAD} that are shown.`,
  ];
  const rows = [...kinds].map(([kind, of]) => [kind, number(of.visits), of.answers, number(of.takenBack), number(of.remaining)]);
  return [facts.join('\n'), table(['who', 'requests', 'at the door', 'taken back', 'clicks left'], rows)].join('\n\n');
}
