/**
 * Events by a queue name their boards as well: messages of services, dead letters, and what is handed on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../../support/until.mjs';
import { startWebhook } from '../../support/webhook.mjs';
import { admin, shown, start } from './site.mjs';

const finish = (/** @type {string} */ actor, /** @type {string} */ board) => ({ action: 'finish', actor, boards: [board] });
/** What is delivered comes within that, where nothing failed. */
const SOON = { timeoutMs: 20_000 };

test('a message counts on the boards that it names; one of an unknown template is a dead letter that says which', async (t) => {
  const deployment = await start(t, { hasQueue: true });
  await admin(deployment, 'PUT', 'boards/level:1');
  const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
  await queue.send(/** @type {any} */ ({ site: 'demo', id: 'm1', events: [finish('ann', 'level:1'), finish('bob', 'world:1')] }));
  const letters = async () => (await admin(deployment, 'GET', 'dead')).body.letters;
  await until('the letter is there', async () => (await letters()).length === 1, SOON);
  const [{ code, message }] = await letters();
  assert.equal(code, 'unknown-board');
  assert.deepEqual(message.events[0].boards, ['world:1']);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['ann 1']);
});

test('what a queue keeps while it is asked to counts on its boards', async (t) => {
  const deployment = await start(t, { hasQueue: true, site: { ingest: 'queue' } });
  await admin(deployment, 'PUT', 'boards/level:1');
  const { status, text } = await deployment.events({ id: 'b1', events: [finish('ann', 'level:1')] });
  assert.equal(status, 202, text);
  await until('it is counted', async () => shown(await deployment.freshTop('level:1/all'))[0] === 'ann 1', SOON);
});

test('grouped events count on their boards', async (t) => {
  const deployment = await start(t, { site: { ingest: 'grouped' } });
  await admin(deployment, 'PUT', 'boards/level:1');
  const { body } = await deployment.events({ events: [finish('ann', 'level:1'), finish('ann', 'level:2')] });
  assert.deepEqual([body.accepted, body.rejected.map((/** @type {{ code: string }} */ { code }) => code)], [1, ['unknown-board']]);
  assert.deepEqual(shown(await deployment.freshTop('level:1/all')), ['ann 1']);
});

test('what is handed on says the boards that it names', async (t) => {
  const webhook = await startWebhook();
  t.after(webhook.stop);
  const deployment = await start(t, { site: { forward: { webhook: webhook.url } } });
  await admin(deployment, 'PUT', 'boards/level:1');
  await deployment.events({ id: 'b1', events: [finish('ann', 'level:1'), finish('bob', 'level:2')] });
  await until('it is handed on', async () => webhook.heard.length === 1, SOON);
  const [{ events }] = webhook.heard.map(({ message }) => message);
  assert.deepEqual(
    events.map((/** @type {{ actor: string, boards: string[] }} */ { actor, boards }) => [actor, boards]),
    [['ann', ['level:1']]],
  );
});
