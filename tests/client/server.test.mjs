/** Tokens that the client signs, and webhooks that it checks, against the worker that reads the ones and sends the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createClient } from '../../packages/client/src/index.js';
import { signActor, verifyWebhook } from '../../packages/client/src/server.js';
import { signActor as signedByWorker } from '../../packages/edgeboard/serve/actor-token.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { startWebhook } from '../support/webhook.mjs';

const FORWARD_SECRET = 'a-secret-for-what-is-handed-on';

test('a token is that of docs/actors.md, whatever the id', async () => {
  for (const actor of ['u7', 'Zoë ✓', 'ÿÿÿ>>>???']) {
    const token = await signActor({ secret: 'a secret', site: 'demo', actor, seconds: 60 });
    const expiry = Number(token.split('.')[1]);
    assert.ok(Math.abs(expiry - Date.now() / 1000 - 60) < 5);
    assert.equal(token, signedByWorker({ secret: 'a secret', site: 'demo', actor, expiry }));
  }
});

test('what the worker hands on is verified', async (t) => {
  const webhook = await startWebhook();
  t.after(webhook.stop);
  const site = {
    actions: { view: {} },
    boards: { articles: { weights: { view: 1 }, windows: ['all'] } },
    forward: { webhook: webhook.url, actions: ['view'] },
  };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: site }, vars: { FORWARD_SECRET } });
  t.after(deployment.stop);
  await createClient({ url: deployment.worker.url, site: 'demo', token: WRITE_TOKEN }).send([{ action: 'view', item: '/1' }], { id: 'b1' });
  await until('a message', async () => webhook.heard.length === 1);
  const [{ headers, text: body }] = webhook.heard;
  const signature = String(headers['edgeboard-signature']);

  const message = await verifyWebhook({ secret: FORWARD_SECRET, signature, body });
  assert.deepEqual([message?.site, message?.events?.[0].id, message?.events?.[0].item], ['demo', 'b1/0', '/1']);
  const wrong = [
    { secret: 'another', signature, body },
    { secret: FORWARD_SECRET, signature, body: body.replace('demo', 'demi') },
    { secret: FORWARD_SECRET, signature: null, body },
    { secret: FORWARD_SECRET, signature: 't=1,v1=00', body },
    { secret: FORWARD_SECRET, signature: signature.replace(/t=\d+/, 't=1795176000'), body },
    { secret: FORWARD_SECRET, signature, body, toleranceS: -1 },
  ];
  for (const each of wrong) assert.equal(await verifyWebhook(each), null, JSON.stringify(each));
});
