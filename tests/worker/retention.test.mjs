/**
 * Periods are kept for as long as `keep` of the board or of its site says, and as long as a rolling window needs them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../support/deployment.mjs';
import { HOUR_MS, readComplete } from '../support/windows.mjs';

const NOW = '2026-11-20T12:34:56Z';
const HOUR = 498_660;
const weights = { view: 1 };
const SITE = {
  actions: { view: {} },
  keep: { hour: '2h', day: '2d', year: '1d' },
  boards: {
    articles: { weights, windows: ['hour', 'day', 'month', 'year', 'all'], keep: { hour: '7d' } },
    short: { weights, windows: ['hour'] },
    rolling: { weights, windows: ['hour', 'last-24-hours'] },
  },
};
const USUAL = { actions: { view: {} }, boards: { articles: { weights, windows: ['hour'] } } };

describe('keep', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE, usual: USUAL } });
    deployment.clock.set(NOW);
    const events = [{ action: 'view', item: 'a' }];
    for (const site of ['demo', 'usual']) assert.equal((await deployment.events({ events }, { site })).body.accepted, 1);
  });
  after(() => deployment?.stop());

  /** Hours from now until a key expires; the hour that NOW is in ends in less than half of one. @param {string} key */
  const remainingHours = async (key) => Math.floor(Number(await deployment.redis.command('TTL', key)) / 3600);

  for (const [key, hours] of /** @type {[string, number][]} */ ([
    [`eb:{demo:articles}:hour:${HOUR}`, 7 * 24],
    ['eb:{demo:articles}:day:20777', 2 * 24 + 11],
    ['eb:{demo:articles}:month:24322', 3 * 366 * 24 + 10 * 24 + 11],
    ['eb:{demo:articles}:year:2026', 24 + 41 * 24 + 11],
    ['eb:{demo:articles}:all:0', -1],
    [`eb:{demo:short}:hour:${HOUR}`, 2],
    [`eb:{demo:rolling}:hour:${HOUR}`, 25 + 48],
    [`eb:{usual:articles}:hour:${HOUR}`, 3 * 24],
  ])) {
    test(`${key} goes in ${hours} hours`, async () => assert.equal(await remainingHours(key), hours));
  }

  test('what is kept no longer is refused, to readers and to late events; a rolling window has all of it', async () => {
    const statuses = async () => {
      const rankings = ['articles/hour', 'short/hour', 'rolling/hour'];
      const answers = await Promise.all(rankings.map((ranking) => deployment.freshTop(ranking, '?period=2026-11-20T12Z')));
      return answers.map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [200, 200, 200]);
    deployment.clock.advance(3 * HOUR_MS);
    assert.deepEqual(await statuses(), [200, 404, 200]);
    const { answer } = await readComplete(deployment, 'rolling/last-24-hours');
    assert.deepEqual(entriesOf(answer), [['a', 1]]);
    const { body } = await deployment.events({ events: [{ action: 'view', item: 'late', at: NOW }] });
    assert.equal(body.accepted, 1, 'other boards keep that hour');
    assert.deepEqual(await deployment.redis.command('KEYS', 'eb:{demo:short}:hour:*'), []);
    const late = await deployment.events({ events: [{ action: 'view', item: 'late', at: '2026-11-10T12:00:00Z' }] }, { site: 'usual' });
    assert.deepEqual(
      late.body.rejected.map((/** @type {any} */ { code }) => code),
      ['too-old'],
    );
  });
});
