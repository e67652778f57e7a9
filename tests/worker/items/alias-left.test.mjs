/**
 * A run that has no time left for all items that become others: what it leaves behind the next one does, and not one of five minutes later.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, edit } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';

const NOW = Date.parse('2026-11-20T12:00:00Z');
/** Longer than a run takes. */
const RUN_MS = 60_000;
const SITE = { origins: ['*'], actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'], fresh: '1s' } } };

test('aliases that a run leaves behind', async (t) => {
  const deployment = await startDeployment({
    transport: 'redis://',
    relayed: true,
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN },
    hasDatabase: true,
  });
  t.after(() => deployment.stop());
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
  const items = ['/a', '/b', '/c', '/d'];
  await deployment.events({ events: items.map((item) => ({ action: 'view', item })) });
  // As the requests of administrators leave them who were interrupted.
  await edit(deployment, 'GET', 'items'); // makes the tables
  const database = await deployment.worker.miniflare.getD1Database('DB');
  const begin = database.prepare("INSERT INTO aliases (site, id, target, state, made_at) VALUES ('demo', ?1, ?2, 'going', 0)");
  await database.batch(items.map((item) => begin.bind(item, `/new${item}`)));
  const unsettled = async () => (await database.prepare("SELECT id FROM aliases WHERE state <> 'done'").all()).results.length;

  let isAsked = false;
  deployment.link.holdRepliesWhen(() => {
    if (!isAsked) deployment.edgeClock.advance(RUN_MS);
    isAsked = true;
    return undefined;
  });
  await deployment.worker.scheduled();
  assert.ok(isAsked && (await unsettled()) > 0, 'this run has no time for all');
  await deployment.worker.scheduled();
  assert.equal(await unsettled(), 0);
  const { body } = await deployment.freshTop('articles/all');
  assert.deepEqual(body.entries.map((/** @type {any} */ { id }) => id).sort(), ['/new/a', '/new/b', '/new/c', '/new/d']);
});
