/**
 * What no window needs any more is dropped on time: at every hour, all that lies in Redis is looked at, against what the configuration says
 * may be there.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { DAY_MS, HOUR_MS } from '../support/windows.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

/** Behind the instants at which the decaying windows go over to other boards: those of before are left to expire. */
const START = Date.parse('2026-11-21T16:10:00Z');
const MINUTE_MS = 60_000;
/** A run of upkeep an hour is behind by up to so much. */
const BEHIND_MS = HOUR_MS;
/** After 20 half-lives the least weight is below what is kept. The sums are four times that at most, and upkeep drops four times a day. */
const FADED_HOURS = 22 / 2 + 6 + 2;
const ADMIN_TOKEN = 'a-token-for-owners';

const HOT = { name: 'hot', kind: 'half-life', half_life: '30m' };
const FADING = { name: 'fading', kind: 'step', every: 'hour', factor: 0.1 };
const FRESH = { name: 'fresh', kind: 'linear', resets: 'day', beta: 1 };
const WEIGHTS = { view: 1, like: 2 };
const SITE = {
  origins: ['*'],
  actor_history: '1d',
  keep: { hour: '1h', day: '1d', week: '1d', month: '1d', year: '1d' },
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    // Hours and days that rolling windows alone need.
    rolling: { weights: WEIGHTS, windows: ['last-60-minutes', 'last-24-hours', 'last-7-days'] },
    calendar: {
      weights: WEIGHTS,
      windows: ['hour', 'day', 'week', 'month', 'year', 'all'],
      ties: 'first',
      ranking: 'dense',
      breakdown: true,
    },
    decaying: { weights: WEIGHTS, windows: [HOT, FADING, FRESH], breakdown: true },
    people: { members: 'actors', weights: WEIGHTS, once: { like: 'day' }, windows: ['day', 'last-2-days'] },
  },
};

/** The end of a period (Unix milliseconds). @type {Record<string, (number: number) => number>} */
const ENDS = {
  minute: (number) => (number + 1) * MINUTE_MS,
  hour: (number) => (number + 1) * HOUR_MS,
  day: (number) => (number + 1) * DAY_MS,
  week: (number) => (number * 7 + 4) * DAY_MS,
  month: (number) => Date.UTC(Math.floor(number / 12), (number % 12) + 1, 1),
  year: (number) => Date.UTC(number + 1, 0, 1),
};

/** For how long after its end a rolling window needs a period that it is made of; a day may have 25 hours. @type {Record<string, number>} */
const NEEDED_MS = {
  'rolling minute': 61 * MINUTE_MS + 10 * MINUTE_MS,
  'rolling hour': 25 * HOUR_MS + 2 * DAY_MS,
  'rolling day': 8 * 26 * HOUR_MS + 2 * DAY_MS,
  'people day': 3 * 26 * HOUR_MS + 2 * DAY_MS,
};
/** The kept periods of calendar windows alone. @type {Record<string, number>} */
const KEPT_MS = { hour: HOUR_MS, day: DAY_MS, week: DAY_MS, month: DAY_MS, year: DAY_MS };

/** What a key may hold, and until when (Unix milliseconds), of the last event before. @type {[RegExp, (found: string[], last: number) => number][]} */
const RULES = [
  [/^eb:\{demo(?::\w+)?\}:state$/, () => Infinity],
  [/^eb:\{demo:calendar\}:all:0(?::.*)?$/, () => Infinity],
  [
    /^eb:\{demo:(\w+)\}:(minute|hour|day|week|month|year):(\d+)(?::(?:first|distinct|holders|actions|refused))?$/,
    ([, board = '', unit = '', number]) => (ENDS[unit] ?? fail)(Number(number)) + (NEEDED_MS[`${board} ${unit}`] ?? KEPT_MS[unit] ?? 0),
  ],
  // The board of a rolling window's period is compared with the next one.
  [/^eb:\{demo:\w+\}:window:last-60-minutes:(\d+)/, ([, number]) => (Number(number) + 2) * MINUTE_MS + 2 * MINUTE_MS],
  [/^eb:\{demo:\w+\}:window:last-24-hours:(\d+)/, ([, number]) => (Number(number) + 2) * HOUR_MS + HOUR_MS],
  [/^eb:\{demo:\w+\}:window:last-[27]-days:(\d+)/, ([, number]) => (Number(number) + 2) * DAY_MS + HOUR_MS],
  [/^eb:\{demo:decaying\}:window:hot:(\d+)/, ([, number]) => (Number(number) + 1) * 512 * 30 * MINUTE_MS + DAY_MS],
  // 512 times as many steps as halve a score, of hours that may be longer.
  [/^eb:\{demo:decaying\}:window:fading:(\d+)/, ([, number]) => (Number(number) + 1) * 155 * 1.5 * HOUR_MS + DAY_MS],
  [/^eb:\{demo:decaying\}:window:fresh:(\d+)/, ([, number]) => (Number(number) + 1) * DAY_MS + DAY_MS],
  // A day of the activity log, two sets of ids that take turns, and what can be undone: by 31 days.
  [/^eb:\{demo\}:day:(\d+)(?::actions)?$/, ([, number]) => (Number(number) + 1) * DAY_MS + DAY_MS],
  [/^eb:\{demo(?::\w+)?\}:ids:\w+:\d+$/, (_, last) => last + 2 * DAY_MS],
  [/^eb:\{demo(?::\w+)?\}:(?:tracked|undone):(\d+)/, ([, bucket]) => (Number(bucket) + 1) * 31 * DAY_MS + 2 * DAY_MS],
  [/^eb:\{demo:people\}:once:day:(\d+)/, ([, number]) => (Number(number) + 1) * DAY_MS + DAY_MS],
  [/^eb:\{demo(?::\w+)?\}:(?:salt|visitors):(\d+)$/, ([, number]) => (Number(number) + 2) * DAY_MS],
  [/^eb:\{demo(?::\w+)?\}:newcomers$/, (_, last) => last + HOUR_MS],
  [/^eb:ready$/, (_, last) => last + HOUR_MS],
];

/**
 * How far upkeep is, whenever it looks: it goes soon after. For how long at most (milliseconds).
 *
 * @type {[RegExp, number][]}
 */
const SCANS = [
  [/^eb:\{demo:\w+\}:window:last-\d+-minutes:(?:scan|touched)$/, 5 * MINUTE_MS],
  [/^eb:\{demo:\w+\}:window:last-\d+-hours:(?:scan|touched)$/, 4 * HOUR_MS],
  [/^eb:\{demo:\w+\}:window:last-\d+-days:(?:scan|touched)$/, 3 * DAY_MS + HOUR_MS],
  [/^eb:\{demo:\w+\}:indexes:scan$/, 2 * DAY_MS],
];

/** @returns {never} */
const fail = () => assert.fail('no such unit');

describe('what may be in Redis', () => {
  /** @type {Deployment} */
  let deployment;
  let last = START;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  });
  after(() => deployment?.stop());

  /** @param {number} ms */
  async function goTo(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
    const { status, text } = await deployment.fetch('/v1/demo/admin/upkeep', {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    assert.equal(status, 200, text);
  }

  /** Every key has a rule, which says that it may still be there. @param {number} now */
  async function check(now) {
    const keys = /** @type {string[]} */ (await deployment.redis.command('KEYS', '*'));
    for (const key of keys) {
      const most = SCANS.find(([pattern]) => pattern.test(key))?.[1];
      if (most) {
        const remainingMs = Number(await deployment.redis.command('PTTL', key));
        assert.ok(remainingMs > 0 && remainingMs <= most, `${key} stays for ${remainingMs} ms`);
        continue;
      }
      const rule = RULES.find(([pattern]) => pattern.test(key));
      assert.ok(rule, `no rule allows ${key}`);
      const until = rule[1](rule[0].exec(key) ?? [], last);
      assert.ok(now <= until + BEHIND_MS, `${key} is there ${(now - until) / HOUR_MS} hours too long`);
    }
    return keys;
  }

  /** Entries of the sorted sets whose keys match, with scores of at most so much. @param {RegExp} pattern @param {string} most */
  async function entries(pattern, most) {
    const found = [];
    for (const key of (await deployment.redis.command('KEYS', '*')).filter((/** @type {string} */ name) => pattern.test(name)))
      found.push(
        ...(await deployment.redis.command('ZRANGEBYSCORE', key, '(-inf', most)).map((/** @type {string} */ id) => `${key} ${id}`),
      );
    return found;
  }

  test('while events come, and no member has a zero', async () => {
    for (let now = START, n = 0; now < START + 30 * HOUR_MS; now += 20 * MINUTE_MS, n += 1) {
      await goTo(now);
      last = now;
      const like = { action: 'like', item: `i${n % 7}`, actor: `u${n}` };
      const events = [{ action: 'view', item: `i${n % 11}`, actor: `u${n}` }, like];
      const { body } = await deployment.events({ events });
      assert.deepEqual(body.rejected, []);
      // What is taken back leaves nothing.
      const { body: undone } = await deployment.events({
        events: [
          { action: 'like', item: 'zero', actor: 'ann' },
          { action: 'like', item: 'zero', actor: 'ann', undo: true },
        ],
      });
      assert.deepEqual(undone.rejected, []);
      if (n % 6 === 5) await check(now);
    }
    const boards = /\}:(?:minute|hour|day|week|month|year|all|window:[\w-]+):\d+$/;
    const zeros = (await entries(boards, '0')).filter((entry) => !entry.includes('{demo}'));
    assert.deepEqual(zeros, []);
    assert.deepEqual(
      (await entries(boards, '+inf')).filter((entry) => / zero$/.test(entry)),
      [],
    );
  });

  test('who faded away is dropped within six hours', async () => {
    const fades = /:window:(?:hot|fading):\d+$/;
    assert.notDeepEqual(await entries(fades, '+inf'), []);
    for (let hours = 1; hours <= FADED_HOURS; hours += 1) await goTo(last + hours * HOUR_MS);
    assert.deepEqual(await entries(fades, '+inf'), []);
    const tallies = (await deployment.redis.command('KEYS', '*')).filter((/** @type {string} */ key) =>
      /:(?:hot|fading):\d+:actions$/.test(key),
    );
    for (const key of tallies) assert.deepEqual(await deployment.redis.command('HKEYS', key), ['\0'], key);
  });

  test('when nothing comes any more, hour by hour and then for good', async () => {
    const quiet = last + FADED_HOURS * HOUR_MS;
    for (let hours = 1; hours <= 14 * 24; hours += hours < 72 ? 1 : 6) {
      await goTo(quiet + hours * HOUR_MS);
      await check(quiet + hours * HOUR_MS);
    }
    const end = last + 500 * DAY_MS;
    await goTo(end);
    // What upkeep makes anew is empty.
    const kept = (await check(end)).filter((key) => !/:(?:state|scan)$|:window:last-/.test(key));
    assert.deepEqual(
      kept.filter((key) => !/\{demo:calendar\}:all:0/.test(key)),
      [],
    );
    assert.deepEqual(await entries(/:window:last-[\w-]+:\d+$/, '+inf'), []);
  });
});
