/**
 * A free TCP port on loopback, for servers that cannot pick one themselves and say which.
 *
 * It is free when returned, not reserved: a caller whose server finds it taken asks again. It is none of the ports that systems give to outgoing
 * connections, so that a server that is stopped finds it free when it is started anew.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below Linux's range for outgoing connections (32768), and above those of services. */
const [FIRST, END] = [10_000, 32_000];
const MAX_TRIES = 100;

/** @returns {Promise<number>} */
export async function freePort() {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (tries < MAX_TRIES) continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
