/**
 * A cache of somebody else in front of the worker, which knows nothing but the headers: an nginx, configured as docs/caching.md
 * shows. It keeps nearly all reads from the worker, shows nothing that is too old, and turns with the period.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { createClock } from '../support/clock.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { startNginx } from '../support/nginx.mjs';
import { until } from '../support/until.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['hour', 'day', 'week', 'all'] } },
};
const DAY = '/v1/demo/boards/articles/day';
/** What a ranking of `fresh = "2s"` may be too old by, all in all. */
const PROMISED_MS = 3_000;
/** What this machine may take to bring an answer from one program to the next. */
const UNDER_WAY_MS = 1_000;

describe('behind nginx', () => {
  const clock = createClock(); // one for Redis and the worker; nginx lives on the true time
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  /** @type {import('../support/nginx.mjs').Nginx} */
  let nginx;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, clock, edgeClock: clock });
    clock.set('2026-11-20T12:00:00Z');
    nginx = await startNginx(deployment.worker);
  });
  after(async () => {
    await nginx?.stop();
    await deployment?.stop();
  });

  const view = () => deployment.beacon({ action: 'view', item: '/posts/1' });
  /** @param {string} path @param {Record<string, string>} [headers] */
  async function read(path, headers) {
    const response = await fetch(nginx.url + path, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  }
  const scoreIn = (/** @type {any} */ body) => body.entries[0]?.score ?? 0;

  test('99 of 100 reads a second never reach the worker, and none is older than promised', async (t) => {
    /** When each view was acknowledged. @type {number[]} */
    const viewed = [];
    const from = nginx.passed();
    let shown = 0;
    let reads = 0;
    const startedAt = Date.now();
    /** @type {Promise<unknown>[]} */
    const views = [];
    while (reads < 800) {
      if (reads % 20 === 0) views.push(view().then(() => viewed.push(Date.now())));
      const sentAt = Date.now();
      const { status, body } = await read(DAY);
      assert.equal(status, 200);
      const least = viewed.filter((at) => at < sentAt - PROMISED_MS - UNDER_WAY_MS).length;
      assert.ok(scoreIn(body) >= least, `${scoreIn(body)} of ${least} views`);
      assert.ok(scoreIn(body) >= shown, 'a score that goes down');
      shown = scoreIn(body);
      reads += 1;
      await pause(Math.max(0, startedAt + reads * 10 - Date.now()));
    }
    await Promise.all(views);
    const passed = nginx.passed() - from;
    const seconds = (Date.now() - startedAt) / 1000;
    t.diagnostic(`${reads} reads in ${seconds.toFixed(1)} s, ${passed} reached the worker`);
    // One a second at most; a slower machine has more seconds.
    assert.ok(passed <= Math.max(reads / 100, seconds), `${passed} reached the worker`);
    await until('the last view', async () => scoreIn((await read(DAY)).body) === viewed.length);
  });

  test('who has the ranking gets 304, from nginx as from the worker', async () => {
    const { headers } = await read(DAY);
    const again = await read(DAY, { 'if-none-match': headers.get('etag') ?? '' });
    assert.deepEqual([again.status, again.body], [304, '']);
    assert.equal(headers.get('age'), null);
  });

  test('that something is not there is kept as well, and a beacon never', async () => {
    const path = '/v1/demo/boards/articles/week/members/nobody';
    const from = nginx.passed();
    const answers = await Promise.all(Array.from({ length: 50 }, () => read(path)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [404]);
    assert.ok(nginx.passed() - from <= 3, `${nginx.passed() - from} reached the worker`);
    const clicks = nginx.passed();
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await fetch(`${nginx.url}/v1/demo/beacon.gif?action=view&item=gif`)).status, 200);
    }
    assert.equal(nginx.passed() - clicks, 3);
  });

  test('right at the end of a period the new one is shown', async () => {
    const end = Date.parse('2026-11-20T14:00:00Z');
    clock.set(end - 4_500);
    await view();
    let after = 0;
    let before = 0;
    while (after < 100) {
      const isOver = clock.now() >= end;
      const { body } = await read('/v1/demo/boards/articles/hour');
      if (isOver) assert.equal(body.period.id, '2026-11-20T14Z');
      if (isOver) after += 1;
      else if (body.period.id === '2026-11-20T13Z') before += 1;
      await pause(5);
    }
    assert.ok(before > 0, 'the old period was read as well');
  });

  test('when the worker is gone, the last ranking is shown', async () => {
    const last = await read(DAY);
    await deployment.worker.stop();
    const later = await read(DAY);
    assert.deepEqual([later.status, later.body], [200, last.body]);
  });
});
