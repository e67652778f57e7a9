/**
 * An export has the counts by action of its members, so that a board of weights that cancel out each other comes back from it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, COPIED, FORGOTTEN, NOW } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { createRandom } from '../../support/windows.mjs';

const BOARD = { weights: { up: 2.5, down: -1.25, like: 1 }, windows: ['day', 'all'], limit: 1000, breakdown: true, archive: true };
const SITE = { actions: { up: {}, down: {}, like: { reversible: true } }, boards: { articles: BOARD } };
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const PERIOD = '?period=2026-11-20';

test('a board comes back from its export, from Redis and from the archive', async (t) => {
  const sites = { demo: SITE, copy: SITE };
  const deployment = await startDeployment({ transport: 'redis://', sites, hasBucket: true, vars: { ADMIN_TOKEN } });
  t.after(() => deployment.stop());
  const setClocks = (/** @type {number} */ ms) => {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(ms);
  };
  const exported = async (/** @type {string} */ site) => {
    const path = `/v1/${site}/admin/boards/articles/export/day.ndjson${PERIOD}`;
    const response = await deployment.worker.fetch(path, { headers });
    assert.equal(response.status, 200);
    const lines = (await response.text()).trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  };
  const explained = async (/** @type {string} */ site, /** @type {string} */ id) => {
    const { body, text } = await deployment.fetch(`/v1/${site}/boards/articles/day/members/${id}/explain${PERIOD}`);
    assert.equal(body.unexplained, 0, text);
    return Object.fromEntries(body.actions.map((/** @type {any} */ { action, count, score }) => [action, [count, score]]));
  };
  /** As docs/import/events.md has it. @param {any[]} lines @param {string} site */
  async function importAll(lines, site) {
    const events = lines.flatMap(({ id, actions }) =>
      Object.entries(actions).map(([action, count]) => ({ action, item: id, count, at: '2026-11-20T12:00:00Z' })),
    );
    for (let at = 0; at < events.length; at += 100) {
      const { body, text } = await deployment.events({ id: `import-${at}`, events: events.slice(at, at + 100) }, { site });
      assert.deepEqual(body?.rejected, [], text);
    }
  }

  setClocks(NOW);
  const random = createRandom(27);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const events = [];
  for (let i = 0; i < 900; i += 1) {
    const action = ['up', 'down', 'down', 'like'][pick(4)];
    events.push({ action, item: `p${pick(60)}`, count: 1 + pick(5), actor: `u${i}` });
    if (action === 'like' && pick(3) === 0) events.push({ action, item: events.at(-1)?.item, actor: `u${i}`, undo: true });
  }
  for (let at = 0; at < events.length; at += 100) {
    assert.deepEqual((await deployment.events({ events: events.slice(at, at + 100) })).body.rejected, []);
  }

  const inRedis = await exported('demo');
  assert.ok(inRedis.length > 40 && inRedis.some(({ score }) => score < 0), 'sums below zero are among them');
  for (const { id, score, actions } of inRedis) {
    const { up = 0, down = 0, like = 0 } = actions;
    assert.equal(score, 2.5 * up - 1.25 * down + like, id);
  }
  await importAll(inRedis, 'copy');
  const sorted = (/** @type {any[]} */ lines) => lines.map((line) => ({ ...line, actions: Object.entries(line.actions).sort() }));
  assert.deepEqual(sorted(await exported('copy')), sorted(inRedis));
  const best = inRedis[0].id;
  assert.deepEqual(await explained('copy', best), await explained('demo', best));

  setClocks(COPIED);
  const upkeep = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
  assert.ok(upkeep.body.archived > 0, upkeep.text);
  setClocks(FORGOTTEN);
  const archived = await exported('demo');
  assert.deepEqual(sorted(archived), sorted(inRedis), 'the archive has them as well');
});
