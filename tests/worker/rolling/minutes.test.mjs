/**
 * Rolling windows of minutes, and the longest ones of hours and days: exact at every boundary, over changes of a zone's clock by an
 * hour and by half of one, whether cron ran or not.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, RESP } from '../../support/deployment.mjs';
import { longTest } from '../../support/part.mjs';
import { until } from '../../support/until.mjs';
import { assertShows, createRandom, readComplete, sumsBetween } from '../../support/windows.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const MINUTE_MS = 60_000;
const NOW = '2026-11-20T12:34:56Z';
const grained = (/** @type {string} */ grain) => ({ name: 'last-60-minutes', kind: 'rolling', grain });
const SITE = {
  origins: ['*'],
  actions: { view: {}, down: {} },
  boards: {
    articles: { weights: { view: 1, down: -3 }, windows: ['last-60-minutes', 'last-744-hours', 'last-400-days'] },
    fives: { weights: { view: 1, down: -3 }, windows: [grained('5 minutes')] },
    tens: { weights: { view: 1, down: -3 }, windows: ['day', grained('10 minutes')] },
  },
};
const SITES = {
  demo: SITE,
  'new-york': { ...SITE, timezone: 'America/New_York' },
  kathmandu: { ...SITE, timezone: 'Asia/Kathmandu' },
  'lord-howe': { ...SITE, timezone: 'Australia/Lord_Howe' },
};

/** Where windows stand, by hand: `[site, ranking, now, id, start, end]`. */
const ROWS = [
  ['demo', 'articles/last-60-minutes', NOW, '2026-11-20T12:34Z', '2026-11-20T11:35:00Z', '2026-11-20T12:35:00Z'],
  ['demo', 'articles/last-60-minutes', '2026-11-20T13:00:30Z', '2026-11-20T13Z', '2026-11-20T12:01:00Z', '2026-11-20T13:01:00Z'],
  ['demo', 'fives/last-60-minutes', NOW, '2026-11-20T12:30Z', '2026-11-20T11:35:00Z', '2026-11-20T12:35:00Z'],
  ['demo', 'tens/last-60-minutes', NOW, '2026-11-20T12:30Z', '2026-11-20T11:40:00Z', '2026-11-20T12:40:00Z'],
  ['kathmandu', 'tens/last-60-minutes', NOW, '2026-11-20T12:30Z', '2026-11-20T11:40:00Z', '2026-11-20T12:40:00Z'],
  ['demo', 'articles/last-744-hours', NOW, '2026-11-20T12Z', '2026-10-20T13:00:00Z', '2026-11-20T13:00:00Z'],
  ['kathmandu', 'articles/last-744-hours', NOW, '2026-11-20T12:15Z', '2026-10-20T13:15:00Z', '2026-11-20T13:15:00Z'],
  ['demo', 'articles/last-400-days', NOW, '2026-11-20', '2025-10-17T00:00:00Z', '2026-11-21T00:00:00Z'],
  // Clocks go back by half an hour at 15:00Z, so the hour that begins then is half as long.
  ['lord-howe', 'articles/last-60-minutes', '2026-04-04T15:10:20Z', '2026-04-04T15:10Z', '2026-04-04T14:11:00Z', '2026-04-04T15:11:00Z'],
  ['lord-howe', 'articles/last-744-hours', '2026-04-04T15:10:20Z', '2026-04-04T15Z', '2026-03-04T16:00:00Z', '2026-04-04T15:30:00Z'],
  ['new-york', 'articles/last-60-minutes', '2026-11-01T06:10:20Z', '2026-11-01T06:10Z', '2026-11-01T05:11:00Z', '2026-11-01T06:11:00Z'],
  ['new-york', 'articles/last-744-hours', '2026-11-01T06:10:20Z', '2026-11-01T06Z', '2026-10-01T07:00:00Z', '2026-11-01T07:00:00Z'],
  ['new-york', 'articles/last-400-days', '2026-11-03T12:00:00Z', '2026-11-03', '2025-09-30T04:00:00Z', '2026-11-04T05:00:00Z'],
];

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {Deployment} */
    let deployment;
    before(async () => (deployment = await startDeployment({ transport, sites: SITES })));
    beforeEach(async () => {
      await deployment.reset();
      deployment.clock.set(NOW);
    });
    after(() => deployment?.stop());

    /** @param {object[]} events @param {string} [site] */
    async function send(events, site = 'demo') {
      const { status, body } = await deployment.events({ events }, { site });
      assert.deepEqual([status, body], [200, { accepted: events.length, duplicate: 0, rejected: [] }]);
    }

    for (const [site, ranking, now, id, starts, ends] of ROWS) {
      test(`${ranking} of ${site} at ${now} holds what happened from its start to its end`, async () => {
        deployment.clock.set(now);
        const first = Date.parse(starts);
        const events = [{ item: 'before', at: first - 1 }, { item: 'first', at: first }, { item: 'now' }];
        const { body } = await deployment.events({ events: events.map((event) => ({ action: 'view', ...event })) }, { site });
        assert.equal(body.accepted, 3, JSON.stringify(body));
        const shown = async () => (await readComplete(deployment, ranking, '', site)).answer;
        const itemsOf = (/** @type {import('../../support/deployment.mjs').Answer} */ answer) => entriesOf(answer).map(([item]) => item);
        const answer = await shown();
        assert.deepEqual(itemsOf(answer).sort(), ['first', 'now']);
        assert.deepEqual(answer.body.period, { id, starts_at: starts, ends_at: ends });
        deployment.clock.set(Date.parse(ends) - 20_000);
        assert.deepEqual(itemsOf(await shown()).sort(), ['first', 'now']);
        deployment.clock.set(ends);
        assert.deepEqual(itemsOf(await shown()), ['now']);
      });
    }

    longTest('three hours with events whenever, upkeep sometimes and readers now and then', async () => {
      const random = createRandom(5);
      const pick = (/** @type {number} */ below) => Math.floor(random() * below);
      /** @type {import('../../support/windows.mjs').Change[]} */
      const changes = [];
      let now = Date.parse(NOW);
      for (let step = 0; step < 80; step += 1) {
        now += pick(random() < 0.7 ? 2 * MINUTE_MS : 10 * MINUTE_MS);
        deployment.clock.set(now);
        const made = Array.from({ length: 1 + pick(5) }, () => {
          const down = random() < 0.25;
          const at = random() < 0.5 ? now - pick(70 * MINUTE_MS) : now - 1;
          return { at, item: `/posts/${pick(20)}`, action: down ? 'down' : 'view' };
        });
        await send(made);
        changes.push(...made.map(({ at, item, action }) => ({ at, item, delta: action === 'down' ? -3 : 1 })));
        if (random() < 0.3) await deployment.worker.scheduled();
        const [board, minutes] = /** @type {[string, number][]} */ ([
          ['articles', 1],
          ['fives', 5],
          ['tens', 10],
        ])[pick(3)];
        const { answer } = await readComplete(deployment, `${board}/last-60-minutes`);
        const size = minutes * MINUTE_MS;
        const end = (Math.floor(Date.parse(answer.body.generated_at) / size) + 1) * size;
        assertShows(answer, sumsBetween(changes, end - 60 * MINUTE_MS, end), `${board} at step ${step}`);
      }
    });

    test('who reads a window has its next minute prepared, without cron', async () => {
      await send([{ action: 'view', item: 'a' }]);
      await readComplete(deployment, 'articles/last-60-minutes');
      const next = Math.floor(Date.parse(NOW) / MINUTE_MS) + 1;
      for (let minute = next; minute < next + 3; minute += 1) {
        await until(`the board of minute ${minute} is whole`, async () => {
          const marks = await deployment.redis.command(
            'ZRANGEBYSCORE',
            `eb:{demo:articles}:window:last-60-minutes:${minute}`,
            '-inf',
            '-inf',
          );
          return marks.some((/** @type {string} */ mark) => /^\0\d+$/.test(mark));
        });
        deployment.clock.set(minute * MINUTE_MS);
        const { body } = await deployment.freshTop('articles/last-60-minutes');
        assert.deepEqual([body.complete, body.entries.length], [true, 1], `minute ${minute}`);
      }
    });

    test('a minute is gone soon after the last window that holds it', async () => {
      await send([{ action: 'view', item: 'a' }]);
      const keys = () => deployment.redis.command('KEYS', '*minute*:[0-9]*');
      assert.ok((await keys()).length > 0);
      deployment.clock.advance(60 * MINUTE_MS);
      assert.ok(
        (await keys()).some((/** @type {string} */ key) => key.includes('}:minute:')),
        'it still leaves',
      );
      deployment.clock.advance(13 * MINUTE_MS);
      assert.deepEqual(
        (await keys()).filter((/** @type {string} */ key) => key.includes('{demo:articles}')),
        [],
      );
      deployment.clock.advance(20 * MINUTE_MS);
      assert.deepEqual(await keys(), []);
    });

    test('a period of minutes that has passed', async () => {
      await send([{ action: 'view', item: 'a', at: Date.parse(NOW) - 5 * MINUTE_MS }]);
      await send([{ action: 'view', item: 'b' }]);
      const { answer } = await readComplete(deployment, 'articles/last-60-minutes', '?period=2026-11-20T12:30Z');
      assert.deepEqual(entriesOf(answer), [['a', 1]]);
      assert.equal(answer.body.period.id, '2026-11-20T12:30Z');
      for (const [period, ranking, status] of [
        ['2026-11-20T12:31Z', 'fives/last-60-minutes', 400],
        ['2026-11-20T12:35Z', 'articles/last-60-minutes', 404],
        ['2026-11-20T11:00Z', 'articles/last-60-minutes', 400],
        ['2026-11-20T11Z', 'articles/last-60-minutes', 404],
      ]) {
        assert.equal((await deployment.freshTop(String(ranking), `?period=${period}`)).status, status, `${ranking} ${period}`);
      }
    });
  });
}
