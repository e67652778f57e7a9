/**
 * `npm start` asks for the scheduled run again and again, one at a time, also after one that failed.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { runScheduled } from '../../packages/edgeboard/serve/schedule.mjs';
import { until } from '../support/until.mjs';

const EACH_MS = 5;

test('the scheduled run is asked for again and again', async (t) => {
  /** @type {(string | undefined)[]} */
  const asked = [];
  let running = 0;
  let most = 0;
  const server = createServer((request, response) => {
    asked.push(request.url);
    running += 1;
    most = Math.max(most, running);
    setTimeout(() => {
      running -= 1;
      if (asked.length === 1) request.socket.destroy();
      else response.end();
    }, 4 * EACH_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const stop = runScheduled(`http://127.0.0.1:${port}`, EACH_MS);
  t.after(stop);
  await until('it is asked three times', () => asked.length >= 3);
  assert.equal(most, 1, 'one at a time');
  assert.deepEqual([...new Set(asked)], ['/cdn-cgi/handler/scheduled']);
});
