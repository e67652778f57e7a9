/**
 * What is left of what was done and undone: what is shown, what actors did, and what Redis holds.
 */
import assert from 'node:assert/strict';

import { entriesOf, WRITE_TOKEN } from '../../support/deployment.mjs';
import { DAY_MS, readComplete, scoresOf } from '../../support/windows.mjs';
import { DAYS_KEPT_MS, FADING, HOT, SITE } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/**
 * Boards as they are shown, also the last seven days when the story began. Longer and past periods of the calendar are read
 * from Redis only, all of them.
 *
 * @param {Deployment} deployment
 * @param {number} elapsed
 */
export async function readRankings(deployment, elapsed) {
  /** @type {Record<string, [string, number][]>} */
  const rankings = {};
  const queries = Object.entries(SITE.boards).flatMap(([board, { windows }]) =>
    windows.flatMap((known) => {
      const window = typeof known === 'string' ? known : known.name;
      if (['hour', 'week', 'month', 'all'].includes(window)) return [];
      const past = window === 'last-7-days' && elapsed < DAYS_KEPT_MS ? ['&period=2026-11-20'] : [];
      return ['', ...past].map((query) => [`${board}/${window}`, query]);
    }),
  );
  const read = async (/** @type {string[]} */ [ranking, query]) => {
    const { answer } = await readComplete(deployment, ranking, `?limit=100${query}`);
    assert.equal(answer.body.entries.length, answer.body.total, 'all are shown');
    rankings[ranking + query] = entriesOf(answer);
  };
  await Promise.all(queries.map(read));
  return rankings;
}

/** @param {Deployment} deployment @param {string[]} actors */
export async function readActivity(deployment, actors) {
  /** @type {Record<string, { day: string, actions: Record<string, number> }[]>} */
  const activity = {};
  for (const actor of actors) {
    const { status, body, text } = await deployment.fetch(`/v1/demo/actors/${actor}/activity?days=31`, {
      headers: { authorization: `Bearer ${WRITE_TOKEN}` },
    });
    assert.equal(status, 200, text);
    activity[actor] = body.days;
  }
  return activity;
}

/**
 * Every sorted set and every count of actions that says something now, as Redis holds it, and when it expires. Left out are
 * boards of rolling windows of other days and those that fade and are replaced before actions are forgotten: nobody reads them.
 *
 * @param {import('../../support/redis.mjs').Redis} redis
 * @param {number} now
 */
export async function readKeys(redis, now) {
  /** @type {Record<string, { expires: number, members: Map<string, number | string> }>} */
  const keys = {};
  const current = `:window:last-7-days:${Math.floor(now / DAY_MS)}`;
  const read = async (/** @type {string} */ key) => {
    if (key.includes(':window:') && !key.endsWith(current) && !key.includes(`:window:${HOT.name}:`)) return;
    // The sequence numbers of ties are numbers that nobody sees; their order is in the rankings.
    if (key.startsWith('eb:{demo:ordered}') && key.endsWith(':first')) return;
    const type = await redis.command('TYPE', key);
    if (type !== 'zset' && !key.endsWith(':actions')) return;
    /** @type {string[]} */
    const flat = type === 'zset' ? [] : await redis.command('HGETALL', key);
    const fields = flat.flatMap((field, i) =>
      i % 2 === 0 && !field.startsWith('\0') ? [/** @type {[string, string]} */ ([field, flat[i + 1]])] : [],
    );
    const members = type === 'zset' ? await scoresOf(redis, key) : new Map(fields);
    // A board that was emptied keeps its key.
    if (members.size > 0) keys[key] = { expires: await redis.command('EXPIRETIME', key), members };
  };
  await Promise.all((await redis.command('KEYS', '*')).map(read));
  return keys;
}

/**
 * The same rankings, activity and keys. Scores of fading windows are those of the instants, some milliseconds apart, at which the
 * stories begin.
 *
 * @param {any} actual
 * @param {any} expected
 */
export function assertSame(actual, expected) {
  assert.deepEqual(actual.activity, expected.activity);
  const isFading = (/** @type {string} */ of) => FADING.some(({ name }) => of.includes(`/${name}`) || of.includes(`:window:${name}:`));
  const scores = (/** @type {Iterable<[string, number]>} */ entries) => new Map(entries);
  for (const [name, entries] of Object.entries(expected.rankings)) {
    if (isFading(name)) assertClose(scores(actual.rankings[name]), scores(entries), name);
    else assert.deepEqual(actual.rankings[name], entries, name);
  }
  assert.deepEqual(Object.keys(actual.keys).sort(), Object.keys(expected.keys).sort());
  for (const [name, { expires, members }] of Object.entries(expected.keys)) {
    assert.equal(actual.keys[name].expires, expires, name);
    if (isFading(name)) assertClose(actual.keys[name].members, members, name);
    else assert.deepEqual(actual.keys[name].members, members, name);
  }
}

/** @param {Map<string, number>} actual @param {Map<string, number>} expected @param {string} what */
function assertClose(actual, expected, what) {
  assert.deepEqual([...actual.keys()].sort(), [...expected.keys()].sort(), what);
  for (const [member, score] of expected) {
    const difference = Math.abs((actual.get(member) ?? NaN) - score);
    assert.ok(difference <= Math.abs(score) / 1_000, `${what}: ${actual.get(member)} instead of ${score} for ${member}`);
  }
}

/**
 * @param {{ status: number, body: any, text: string }} answer
 * @param {string[]} became what became of each event
 * @param {string} [what]
 */
export function assertBecame({ status, body, text }, became, what) {
  // A bare event that does not count is a problem.
  if ([400, 409, 429].includes(status)) return assert.deepEqual([body.code], became, what);
  assert.equal(status, 200, text);
  const rejected = body.rejected.map((/** @type {any} */ { index, code }) => ({ index, code }));
  const count = (/** @type {string} */ which) => became.filter((outcome) => outcome === which).length;
  const refused = became.flatMap((code, index) => (code === 'accepted' || code === 'duplicate' ? [] : [{ index, code }]));
  assert.deepEqual({ ...body, rejected }, { accepted: count('accepted'), duplicate: count('duplicate'), rejected: refused }, what);
}
