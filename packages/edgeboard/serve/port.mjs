/**
 * TCP ports on loopback.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** @returns {Promise<number>} a port that is free now; nothing reserves it */
export async function freePort() {
  return listenBriefly(0);
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isFree(port) {
  try {
    await listenBriefly(port);
    return true;
  } catch (error) {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return false;
    throw error;
  }
}

/** @param {number} port */
async function listenBriefly(port) {
  const server = createServer().listen(port, LOOPBACK);
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return address.port;
}
