/**
 * A free TCP port on loopback, for servers that cannot pick one themselves and say which.
 *
 * It is free when returned, not reserved: a caller whose server finds it taken asks again.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** @returns {Promise<number>} */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
