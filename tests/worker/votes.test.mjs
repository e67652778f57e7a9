/**
 * Years of votes, with rolling and calendar windows that equal an independent count at every month's end, for every member.
 *
 * The clock moves with the votes, and what is older than it is sent with its instant. Upkeep runs now and then, and for whole
 * months never; readers heal what it left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { longTest } from '../support/part.mjs';
import { assertShows, createRandom, DAY_MS, scoresOf, readComplete } from '../support/windows.mjs';

/** What a vote of a type is worth: up, down, accepted, favourite, bounty. Others do not count. */
const WEIGHTS = new Map([
  ['2', 10],
  ['3', -2],
  ['1', 15],
  ['5', 5],
  ['8', 20],
]);
const ACTIONS = Object.fromEntries([...WEIGHTS].map(([type, weight]) => [`vote-${type}`, weight]));
const SITES = {
  demo: {
    actions: Object.fromEntries(Object.keys(ACTIONS).map((action) => [action, {}])),
    boards: { posts: { weights: ACTIONS, windows: ['last-30-days', 'last-12-months', 'month', 'year', 'all'], limit: 1000 } },
  },
};
const MAX_EVENTS = 100;
const PREFIX = 'eb:{demo:posts}';

/** @typedef {{ date: string, post: string, type: string }} Vote `date` is a day, 2012-01-31 */

test('two years of votes', async (t) => {
  const votes = generateVotes({ seed: 20120131, votes: 4_000, posts: 900, from: '2012-01-31', days: 700 });
  const { months, below } = await checkVotes(t, votes);
  assert.equal(months, 24);
  assert.ok(below > 0, 'there are members below zero');
});

longTest('twelve years of votes', async (t) => {
  const votes = generateVotes({ seed: 20090115, votes: 43_000, posts: 12_000, from: '2009-01-15', days: 4_350 });
  const { months, below } = await checkVotes(t, votes);
  assert.equal(months, 144);
  assert.ok(below > 0, 'there are members below zero');
});

/**
 * Sends votes in their order, and looks at every window at the end of every month.
 *
 * @param {import('node:test').TestContext} t
 * @param {Vote[]} votes
 */
async function checkVotes(t, votes) {
  const deployment = await startDeployment({ transport: 'redis://', sites: SITES });
  t.after(() => deployment.stop());
  const random = createRandom(3);
  const counted = votes.filter(({ type }) => WEIGHTS.has(type));
  const seen = { months: 0, below: 0 };

  let today = counted[0].date;
  setClocks(deployment, noon(today));
  /** @type {Vote[]} */
  let batch = [];
  const send = async () => {
    if (batch.length === 0) return;
    setClocks(deployment, noon(today));
    // Without an instant it counts as of now; a batch holds some days, and in some files what came late.
    const events = batch.map(({ date, post, type }) => ({ action: `vote-${type}`, item: post, ...(date !== today && { at: noon(date) }) }));
    const { status, body } = await deployment.events({ events });
    assert.deepEqual([status, body], [200, { accepted: batch.length, duplicate: 0, rejected: [] }], today);
    batch = [];
    // A month in four has no upkeep at all.
    if (monthNumber(today) % 4 !== 0 && random() < 0.2) await deployment.worker.scheduled();
  };
  const checkMonth = async (/** @type {number} */ sent) => {
    await send();
    seen.months += 1;
    const lastDay = new Date(Date.UTC(Number(today.slice(0, 4)), Number(today.slice(5, 7)), 0)).toISOString().slice(0, 10);
    setClocks(deployment, Date.parse(`${lastDay}T23:50:00Z`));
    seen.below += await checkMonthsEnd(deployment, counted.slice(0, sent), lastDay);
  };

  for (const [i, vote] of counted.entries()) {
    if (vote.date > today) {
      if (vote.date.slice(0, 7) !== today.slice(0, 7)) {
        await checkMonth(i);
      } else if (random() < 0.3) {
        await send();
      }
      today = vote.date;
    }
    batch.push(vote);
    if (batch.length === MAX_EVENTS) await send();
  }
  await checkMonth(counted.length);
  return seen;
}

/**
 * Every window equals a count of the votes: its first thousand over HTTP, and every member in Redis. Answers how many
 * members are below zero.
 *
 * @param {import('../support/deployment.mjs').Deployment} deployment
 * @param {Vote[]} votes those that were sent
 * @param {string} lastDay of the month
 */
async function checkMonthsEnd(deployment, votes, lastDay) {
  const [month, year] = [lastDay.slice(0, 7), lastDay.slice(0, 4)];
  const thirtyDays = new Set(
    Array.from({ length: 30 }, (_, ago) => new Date(Date.parse(lastDay) - ago * DAY_MS).toISOString().slice(0, 10)),
  );
  const number = monthNumber(lastDay);
  /** @type {[window: string, period: string, holds: (date: string) => boolean, key: string][]} */
  const windows = [
    ['last-30-days', lastDay, (date) => thirtyDays.has(date), `window:last-30-days:${Date.parse(lastDay) / DAY_MS}`],
    ['last-12-months', month, (date) => number - monthNumber(date) < 12, `window:last-12-months:${number}`],
    ['month', month, (date) => date.startsWith(month), `month:${number}`],
    ['year', year, (date) => date.startsWith(year), `year:${year}`],
    ['all', 'all', () => true, 'all:0'],
  ];
  let below = 0;
  for (const [window, period, holds, key] of windows) {
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const { date, post, type } of votes) {
      if (holds(date)) sums.set(post, (sums.get(post) ?? 0) + (WEIGHTS.get(type) ?? NaN));
    }
    for (const [post, sum] of sums) if (sum === 0) sums.delete(post);

    const { answer } = await readComplete(deployment, `posts/${window}`, '?limit=1000');
    assert.equal(answer.body.period.id, period);
    assertShows(answer, sums, `${window} ${period}`);
    const positive = [...sums.values()].filter((sum) => sum > 0).length;
    assert.equal(answer.body.entries.length, Math.min(1000, positive), 'a member at or below zero is not shown');
    below += sums.size - positive;

    const stored = await scoresOf(deployment.redis, `${PREFIX}:${key}`);
    assert.equal(stored.size, sums.size, `${window} ${period}`);
    for (const [post, sum] of sums) assert.equal(stored.get(post), sum, `${window} ${period} ${post}`);
  }
  return below;
}

/** @param {import('../support/deployment.mjs').Deployment} deployment @param {number} instant */
function setClocks({ clock, edgeClock }, instant) {
  clock.set(instant);
  edgeClock.set(instant);
}

/** @param {string} date */
function noon(date) {
  return Date.parse(`${date}T12:00:00Z`);
}

/** Years × 12 + months from 0. @param {string} date */
function monthNumber(date) {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}

/**
 * Votes as a site has them: most are up, on a few posts, the newest most of all; some days have none, and now and then one
 * comes late.
 *
 * @param {{ seed: number, votes: number, posts: number, from: string, days: number }} options
 * @returns {Vote[]}
 */
function generateVotes({ seed, votes, posts, from, days }) {
  const random = createRandom(seed);
  const types = [...'2222222222222222333115810'].map((type) => (type === '0' ? '10' : type));
  return Array.from({ length: votes }, (_, i) => {
    const day = Math.floor((i / votes) * days) - (random() < 0.002 ? Math.floor(random() * 40) : 0);
    const newest = Math.ceil((posts * (i + 1)) / votes);
    return {
      date: new Date(Date.parse(from) + Math.max(0, day) * DAY_MS).toISOString().slice(0, 10),
      post: String(1 + Math.floor(newest * (1 - random() ** 3))),
      type: types[Math.floor(random() * types.length)],
    };
  });
}
