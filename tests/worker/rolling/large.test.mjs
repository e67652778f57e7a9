/**
 * A large board that nobody prepared: what is shown while it is repaired says so, and is never wrong when it does not.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { assertShows, fillDays, readComplete, scoresOf } from '../../support/windows.mjs';
import { NOW, SITES, TODAY } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

describe('a large board', () => {
  const MEMBERS = 20_000;
  const PREFIX = 'eb:{demo:articles}';
  /** @type {Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport: 'redis://', sites: SITES })));
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** Scores of ten days; answers their sums from one day to another. */
  const fill = () => fillDays(deployment.redis, { prefix: PREFIX, members: MEMBERS, first: TODAY - 9, last: TODAY });

  test('says that it is not complete while readers repair it, and is never wrong when it says that it is', async () => {
    const sumsOf = await fill();
    const { answer, incomplete } = await readComplete(deployment, 'articles/last-7-days', '?limit=1000');
    assert.ok(incomplete > 0, 'it was seen incomplete');
    const sums = sumsOf(TODAY - 6, TODAY);
    assertShows(answer, sums);
    assert.deepEqual(await scoresOf(deployment.redis, `${PREFIX}:window:last-7-days:${TODAY}`), sums, 'every member');
  });

  test('whoever is written during the repair is right when it has ended', async () => {
    const sumsOf = await fill();
    const first = await deployment.freshTop('articles/last-7-days');
    assert.equal(first.body.complete, false);
    const sums = sumsOf(TODAY - 6, TODAY);
    const touched = Array.from({ length: 50 }, (_, i) => `/posts/${i * 397}`);
    for (let i = 0; i < touched.length; i += 10) {
      const items = touched.slice(i, i + 10);
      const { body } = await deployment.events({
        events: items.map((item, j) => ({ action: 'view', item, ...(j % 2 === 0 && { at: '2026-11-16T08:00:00Z' }) })),
      });
      assert.equal(body.accepted, items.length);
      for (const item of items) sums.set(item, (sums.get(item) ?? 0) + 1);
    }
    const { answer } = await readComplete(deployment, 'articles/last-7-days', '?limit=1000');
    assertShows(answer, sums);
    assert.deepEqual(await scoresOf(deployment.redis, `${PREFIX}:window:last-7-days:${TODAY}`), sums, 'every member');
  });

  test('a boundary crossed under writes and reads, upkeep never having run: no request fails, and it is exact again', async () => {
    const sumsOf = await fill();
    await readComplete(deployment, 'articles/last-7-days');
    deployment.clock.set('2026-11-21T00:00:00Z');
    const sums = sumsOf(TODAY - 5, TODAY);
    /** @type {import('../../support/deployment.mjs').Answer[]} */
    const answers = [];
    let ended = false;
    const write = async (/** @type {number} */ writer) => {
      for (let i = 0; !ended; i += 1) {
        const item = `/posts/${(writer * 9_973 + i * 131) % MEMBERS}`;
        const answer = await deployment.events({ action: 'view', item });
        answers.push(answer);
        if (answer.status === 200) sums.set(item, (sums.get(item) ?? 0) + 1);
      }
    };
    const writers = [0, 1, 2].map(write);
    const { incomplete } = await readComplete(deployment, 'articles/last-7-days', '?limit=100').finally(() => (ended = true));
    await Promise.all(writers);
    assert.ok(incomplete > 0, 'it was seen incomplete');
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const { answer } = await readComplete(deployment, 'articles/last-7-days', '?limit=1000');
    assertShows(answer, sums);
    assert.deepEqual(await scoresOf(deployment.redis, `${PREFIX}:window:last-7-days:${TODAY + 1}`), sums, 'every member');
  });

  test('a past period is built in chunks, says so, and is exact', async () => {
    const sumsOf = await fill();
    const { answer, incomplete } = await readComplete(deployment, 'articles/last-7-days', '?period=2026-11-19&limit=1000');
    assert.ok(incomplete > 0, 'it was seen incomplete');
    const sums = sumsOf(TODAY - 7, TODAY - 1);
    assertShows(answer, sums);
    const key = `${PREFIX}:window:last-7-days:past:${TODAY - 1}`;
    assert.deepEqual(await scoresOf(deployment.redis, key), sums, 'every member');
    const remaining = await deployment.redis.command('TTL', key);
    assert.ok(remaining > 3500 && remaining <= 3600, `${remaining} s are left of its hour`);
  });
});
