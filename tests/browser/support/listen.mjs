/** A web server of a test's own, on a free port and so of an origin of its own. */

import { once } from 'node:events';
import { createServer } from 'node:http';

/** @param {(...exchange: Parameters<import('node:http').RequestListener>) => void} handler */
export async function listen(handler) {
  const server = createServer((request, response) => {
    // A browser repeats by itself what is lost on a connection it had used before.
    response.setHeader('connection', 'close');
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    close() {
      server.close();
      server.closeAllConnections();
      return once(server, 'close');
    },
  };
}
