/** What `npm start` says of a Redis that cannot be asked. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { unreadiness } from '../../packages/edgeboard/serve/ready.mjs';

test('a worker that cannot count says why', async (t) => {
  let status = 503;
  const server = createServer((request, response) => {
    assert.equal(request.url, '/readyz');
    response.writeHead(status).end(JSON.stringify(status === 200 ? { status: 'ready' } : { detail: 'connection refused' }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  assert.equal(await unreadiness(url), 'It cannot count: connection refused. Look at REDIS_URL; it counts as soon as Redis answers.');
  status = 200;
  assert.equal(await unreadiness(url), undefined);
});
