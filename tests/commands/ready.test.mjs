/** What `npm start` says of a Redis that cannot be asked, and of one that costs more. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { remarks } from '../../packages/edgeboard/serve/ready.mjs';

test('a worker that cannot count says why, and one that can, at which cost', async (t) => {
  let status = 503;
  let ready = {};
  const server = createServer((request, response) => {
    assert.equal(request.url, '/readyz');
    response.writeHead(status).end(JSON.stringify(status === 200 ? { status: 'ready', ...ready } : { detail: 'connection refused' }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  assert.deepEqual(await remarks(url), ['It cannot count: connection refused. Look at REDIS_URL; it counts as soon as Redis answers.']);
  status = 200;
  assert.deepEqual(await remarks(url), []);
  for (const [lacks, line] of /** @type {[object, RegExp][]} */ ([
    [{ functions: false }, /^Redis has no functions, or its user may not use them, so each call costs it about 0\.1 ms more\. See docs/],
    [{ memo: false }, /^Redis keeps nothing between calls of functions, so each call costs it about 0\.1 ms more\. See docs/],
  ])) {
    ready = lacks;
    const [remark, ...others] = await remarks(url);
    assert.match(remark, line);
    assert.deepEqual(others, []);
  }
});
