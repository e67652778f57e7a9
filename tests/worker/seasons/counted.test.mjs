/**
 * Seasons: each event is counted in the season of its instant, over daylight saving and leap days, whenever it comes; past ones stay
 * readable, and between two of them nothing counts.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { longTest, sampled } from '../../support/part.mjs';
import { assertShows, createRandom, sumsBetween } from '../../support/windows.mjs';
import { everyDays, fridays, seasonsOf } from './model.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const weights = { view: 1, down: -3, like: 5 };
const season = (/** @type {string} */ name, /** @type {string} */ from, /** @type {string} */ until, /** @type {string} */ every) => ({
  name,
  kind: 'season',
  from,
  until,
  ...(every && { every }),
});
const SITE = {
  actions: { view: {}, down: {}, like: { reversible: true } },
  boards: {
    // 28 March 2027 at 02:30 does not exist in Berlin, 31 October at 02:30 comes twice.
    game: {
      weights,
      windows: [
        'day',
        season('winter', '2026-12-01', '2027-03-01', ''),
        season('sprints', '2027-03-28T02:30', '2027-10-31T02:30', '31 days'),
      ],
      ties: 'first',
      keep: { season: '3000d' },
    },
    leap: { weights, windows: [season('days', '2028-02-27', '2028-03-02', '1 day')], ranking: 'dense' },
    weekly: { weights, windows: [season('fridays', '2026-01-01', '2027-01-01', '0 18 * * 5')] },
    fortnights: { weights, windows: ['all', season('fortnights', '2026-01-05', '2027-07-05', '2 weeks')], breakdown: true },
  },
};
const SITES = {
  demo: SITE,
  berlin: { ...SITE, timezone: 'Europe/Berlin' },
  'new-york': { ...SITE, timezone: 'America/New_York', day_starts_at: '04:00' },
  'lord-howe': { ...SITE, timezone: 'Australia/Lord_Howe' },
  kathmandu: { ...SITE, timezone: 'Asia/Kathmandu' },
};
const zoneOf = (/** @type {keyof typeof SITES} */ site) => /** @type {any} */ (SITES[site]).timezone ?? 'UTC';
const SPRINTS = ['2027-03-28', '2027-04-28', '2027-05-29', '2027-06-29', '2027-07-30', '2027-08-30', '2027-09-30'].map(
  (date) => `${date}T02:30`,
);

/** The seasons of each window, and when all of them are over: `[ranking, starts, until]`. */
const WINDOWS = /** @type {[string, string[], string][]} */ ([
  ['game/winter', ['2026-12-01'], '2027-03-01'],
  ['game/sprints', SPRINTS, '2027-10-31T02:30'],
  ['leap/days', ['2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01'], '2028-03-02'],
  ['weekly/fridays', ['2026-01-01', ...fridays(2026)], '2027-01-01'],
  ['fortnights/fortnights', everyDays('2026-01-05', '2027-07-05', 14), '2027-07-05'],
]);

describe('seasons', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport: 'redis://', sites: SITES, relayed: true })));
  beforeEach(() => deployment.reset());
  after(() => deployment?.stop());

  /** @param {object[]} events @param {string} site */
  async function outcomesOf(events, site) {
    const { status, body, text } = await deployment.events({ events }, { site });
    assert.equal(status, 200, text);
    return body;
  }

  for (const site of /** @type {(keyof typeof SITES)[]} */ (Object.keys(SITES))) {
    for (const [ranking, starts, until] of sampled(WINDOWS)) {
      test(`${ranking} of ${site}: a millisecond before and after each end`, async () => {
        const seasons = seasonsOf(zoneOf(site), starts, until);
        const [first, last] = [seasons[0], seasons[seasons.length - 1]];
        // Late events: the last season has been over for an hour.
        deployment.clock.set(last.ends + 3_600_000);
        const edges = [...seasons.map(({ starts: at }) => at), last.ends];
        const events = edges.flatMap((at) => [-1, 0, 1].map((ms) => ({ action: 'view', item: `${at + ms}`, at: at + ms })));
        for (let i = 0; i < events.length; i += 99) await outcomesOf(events.slice(i, i + 99), site);
        for (const { id, starts: from, ends } of seasons) {
          const { status, body, text } = await deployment.freshTop(ranking, `?period=${id}`, site);
          assert.equal(status, 200, text);
          const within = events.map(({ item }) => item).filter((item) => Number(item) >= from && Number(item) < ends);
          assert.deepEqual(body.entries.map((/** @type {any} */ entry) => entry.id).sort(), within.sort(), id);
          const iso = (/** @type {number} */ at) => new Date(at).toISOString().replace('.000Z', 'Z');
          assert.deepEqual([body.period, body.complete], [{ id, starts_at: iso(from), ends_at: iso(ends) }, true]);
        }
        const { body } = await deployment.freshTop(ranking, '', site);
        assert.equal(body.period.id, last.id, 'the last one stays');
        deployment.clock.set(first.starts - 10_000);
        const early = await deployment.freshTop(ranking, '', site);
        assert.deepEqual([early.status, early.body.period.id], [200, first.id], 'none has begun');
        assert.equal((await deployment.freshTop(ranking, `?period=${first.id}`, site)).body.code, 'unknown-period');
      });
    }
  }

  test('events of now, one by one and together, on either side of an end', async () => {
    const [first, second] = seasonsOf('Europe/Berlin', SPRINTS, '2027-10-31T02:30');
    for (const [at, item] of /** @type {[number, string][]} */ ([
      [first.starts - 3_600_000, 'before'],
      [first.starts, 'first'],
      [first.ends - 20_000, 'last'],
      [first.ends, 'next'],
    ])) {
      deployment.clock.set(at);
      // The first makes the boards, the second a plan, and the third goes by it.
      for (let i = 0; i < 3; i += 1) await outcomesOf([{ action: 'view', item }], 'berlin');
      await outcomesOf(
        ['x', item].map((each) => ({ action: 'view', item: each })),
        'berlin',
      );
    }
    const shown = async (/** @type {string} */ id) => entriesOf(await deployment.freshTop('game/sprints', `?period=${id}`, 'berlin'));
    assert.deepEqual(await shown(first.id), [
      ['first', 4],
      ['last', 4],
      ['x', 2],
    ]);
    assert.deepEqual(await shown(second.id), [
      ['next', 4],
      ['x', 1],
    ]);
    assert.deepEqual(entriesOf(await deployment.freshTop('game/sprints', '', 'berlin')), await shown(second.id));
  });

  test('what is undone leaves the season that it was done in', async () => {
    const [first] = seasonsOf('Europe/Berlin', SPRINTS, '2027-10-31T02:30');
    const like = { action: 'like', item: 'a', actor: 'u1' };
    deployment.clock.set(first.ends - 60_000);
    await outcomesOf([like, { ...like, actor: 'u2' }], 'berlin');
    deployment.clock.set(first.ends + 60_000);
    const body = await outcomesOf(
      [
        { ...like, undo: true },
        { action: 'like', item: 'a', actor: 'u3' },
      ],
      'berlin',
    );
    assert.deepEqual(body, { accepted: 2, duplicate: 0, rejected: [] });
    const shown = async (/** @type {string} */ query) => entriesOf(await deployment.freshTop('game/sprints', query, 'berlin'));
    assert.deepEqual([await shown(`?period=${first.id}`), await shown('')], [[['a', 5]], [['a', 5]]]);
  });

  test('between two seasons nothing counts, and the event says so', async () => {
    deployment.clock.set('2028-03-10T12:00:00Z');
    const outside = [
      { action: 'view', item: 'a' },
      { action: 'view', item: 'a', at: '2028-02-26T23:59:59.999Z' },
    ];
    const within = { action: 'view', item: 'a', at: '2028-02-29T12:00:00Z' };
    // `fortnights` has ended too; `game` counts its days.
    const only = { demo: { ...SITE, boards: { leap: SITE.boards.leap } } };
    const alone = await startDeployment({ transport: 'redis://', sites: only });
    try {
      alone.clock.set('2028-03-10T12:00:00Z');
      const { body } = await alone.events({ events: [...outside, within] });
      assert.equal(body.accepted, 1);
      assert.deepEqual(
        body.rejected.map((/** @type {any} */ { index, code }) => [index, code]),
        [
          [0, 'out-of-season'],
          [1, 'out-of-season'],
        ],
      );
      for (let i = 0; i < 3; i += 1) {
        const again = await alone.events({ events: [outside[0]] });
        assert.equal(again.body.rejected[0].code, 'out-of-season');
      }
      const keys = await alone.redis.command('KEYS', '*:season:*[0-9]');
      assert.deepEqual(keys, [`eb:{demo:leap}:season:${Date.parse('2028-02-29T00:00:00Z') / 1000}`]);
    } finally {
      await alone.stop();
    }
    assert.equal((await outcomesOf([...outside, within], 'demo')).accepted, 3, 'another board counts days');
  });

  longTest('a year of events whenever they come', async () => {
    const random = createRandom(11);
    const pick = (/** @type {number} */ below) => Math.floor(random() * below);
    const seasons = seasonsOf('America/New_York', everyDays('2026-01-05', '2027-07-05', 14), '2027-07-05');
    /** @type {import('../../support/windows.mjs').Change[]} */
    const changes = [];
    let now = seasons[0].starts - 86_400_000;
    for (let step = 0; step < 120; step += 1) {
      now += pick(9 * 86_400_000);
      deployment.clock.set(now);
      const made = Array.from({ length: 1 + pick(5) }, () => {
        const at = random() < 0.5 ? now - pick(40 * 86_400_000) : now - 1;
        return { at, item: `/posts/${pick(12)}`, action: random() < 0.25 ? 'down' : 'view' };
      });
      await outcomesOf(made, 'new-york');
      changes.push(...made.map(({ at, item, action }) => ({ at, item, delta: action === 'down' ? -3 : 1 })));
    }
    for (const { id, starts, ends } of seasons.filter(({ starts }) => starts <= now)) {
      const answer = await deployment.freshTop('fortnights/fortnights', `?period=${id}`, 'new-york');
      assert.equal(answer.status, 200, answer.text);
      assertShows(answer, sumsBetween(changes, starts, ends), id);
    }
  });

  test('periods that are none, and members of those that are', async () => {
    deployment.clock.set('2027-06-01T12:00:00Z');
    const events = [1, 2, 3].map((i) => ({ action: 'view', item: `${i === 3 ? 'b' : 'a'}`, at: '2026-12-24T12:00:00Z' }));
    await outcomesOf(events, 'demo');
    await outcomesOf(
      [
        { action: 'view', item: 'b' },
        { action: 'view', item: 'c' },
      ],
      'demo',
    );
    for (const [ranking, period, status, code] of [
      ['game/winter', '2026-12-02', 400, 'invalid-period'],
      ['game/winter', '2027-03-28T02:30', 400, 'invalid-period'],
      ['game/winter', '2026-12-01T00:00', 400, 'invalid-period'],
      ['game/sprints', '2027-06-29T02:30', 404, 'unknown-period'],
    ]) {
      const { status: got, body } = await deployment.freshTop(String(ranking), `?period=${period}`);
      assert.deepEqual([got, body.code], [status, code], `${ranking} ${period}`);
    }
    const of = async (/** @type {string} */ path) => (await deployment.fetch(`/v1/demo/boards/game/${path}`)).body;
    const a = await of('winter/members/a?period=2026-12-01');
    assert.deepEqual([a.rank, a.score, a.total], [1, 2, 2]);
    const sprint = await of('sprints');
    assert.deepEqual(
      sprint.entries.map((/** @type {any} */ { id, score }) => [id, score]),
      [
        ['b', 1],
        ['c', 1],
      ],
      'who was first stands first',
    );
    const explained = (await deployment.fetch('/v1/demo/boards/fortnights/fortnights/members/c/explain')).body;
    assert.equal(explained.formula.kind, 'season');
    assert.equal(explained.unexplained, 0);
  });
});
