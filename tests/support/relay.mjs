/**
 * A TCP relay in front of redis-server: counts the round trips that pass, and loses replies on demand.
 *
 * A reply that is lost after its commands were applied looks to the client exactly like commands that never arrived.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * @typedef {object} Relay
 * @property {number} port
 * @property {number} connections accepted so far
 * @property {number} roundTrips times a client began to send after it had, if anything, received
 * @property {(n: number) => void} loseReplies let the next n round trips reach Redis, then break their connections
 * @property {(loses: () => boolean) => void} loseRepliesWhen from now on do the same with each round trip for which
 *   `loses`, asked when its reply begins, says so
 * @property {(holds: () => Promise<unknown> | undefined) => void} holdRepliesWhen from now on hold the reply of each round trip for which
 *   `holds`, asked when it begins, answers until when
 * @property {(ms: number) => void} delayBy from now on hold what passes for so long, each way. A connection that is made then takes a
 *   round trip, as TCP's handshake does
 * @property {() => void} loseReplyAndEnd the same once, and accept no connection from then on
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ redis: { port: number } }} options the server to stand in front of
 * @returns {Promise<Relay>}
 */
export async function startRelay({ redis }) {
  let connections = 0;
  let roundTrips = 0;
  let losing = 0;
  let losesNext = () => false;
  let holdsNext = () => /** @type {Promise<unknown> | undefined} */ (undefined);
  let ending = false;
  let delayMs = 0;
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();

  /** What passes to a socket, in its order, not before an instant of `performance.now()`. @param {import('node:net').Socket} socket */
  const passTo = (socket, notBefore = 0) => {
    /** @type {Uint8Array[]} */
    const held = [];
    return (/** @type {Uint8Array} */ bytes) => {
      const ms = Math.max(notBefore - performance.now(), 0) + delayMs;
      if (ms === 0) {
        socket.write(bytes);
        return;
      }
      held.push(bytes);
      setTimeout(() => socket.destroyed || socket.write(/** @type {Uint8Array} */ (held.shift())), ms).unref();
    };
  };

  const server = createServer((client) => {
    connections += 1;
    let asking = false;
    let isWhole = true;
    const readsWhole = createCommands();
    const upstream = connect({ host: '127.0.0.1', port: redis.port, noDelay: true });
    const end = tie(client, upstream, sockets);
    /** @type {Promise<unknown> | undefined} */
    let held;
    const [ask, answer] = [passTo(upstream, performance.now() + 2 * delayMs), passTo(client)];
    client.on('data', (bytes) => {
      // The rest of a command is on its way with its beginning, also when a reply to earlier ones comes between.
      if (isWhole) {
        if (!asking) roundTrips += 1;
        asking = true;
      }
      isWhole = readsWhole(bytes);
      ask(bytes);
    });
    upstream.on('data', (bytes) => {
      const begins = asking;
      asking = false;
      if (losing > 0) {
        losing -= 1;
        if (ending && losing === 0) server.close();
        end();
      } else if (begins && losesNext()) {
        end();
      } else {
        if (begins) held = holdsNext();
        if (held) held.then(() => client.destroyed || answer(bytes));
        else answer(bytes);
      }
    });
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    get connections() {
      return connections;
    },
    get roundTrips() {
      return roundTrips;
    },
    loseReplies: (n) => void (losing += n),
    loseRepliesWhen: (loses) => void (losesNext = loses),
    holdRepliesWhen: (holds) => void (holdsNext = holds),
    delayBy: (ms) => void (delayMs = ms),
    loseReplyAndEnd() {
      losing += 1;
      ending = true;
    },
    async close() {
      const closed = server.listening && once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * Takes what a client sends, and tells whether its last command is whole. What is not RESP, as HTTP, always is.
 *
 * @returns {(bytes: Buffer) => boolean}
 */
function createCommands() {
  let rest = Buffer.alloc(0);
  /** @type {boolean | undefined} */
  let isResp;
  return (bytes) => {
    isResp ??= bytes[0] === 0x2a;
    if (!isResp) return true;
    rest = Buffer.concat([rest, bytes]);
    for (let end = commandEnd(rest); end !== undefined; end = commandEnd(rest)) rest = rest.subarray(end);
    return rest.length === 0;
  };
}

/** Where the first command ends: an array of bulk strings. `undefined` when it is not whole. @param {Buffer} bytes */
function commandEnd(bytes) {
  let end = bytes.indexOf('\r\n') + 2;
  if (end < 2) return undefined;
  for (let remaining = Number(bytes.toString('latin1', 1, end - 2)); remaining > 0; remaining -= 1) {
    const line = bytes.indexOf('\r\n', end);
    if (line < 0) return undefined;
    end = line + 2 + Number(bytes.toString('latin1', end + 1, line)) + 2;
  }
  return end <= bytes.length ? end : undefined;
}

/**
 * Ties two sockets together: when one ends, both do.
 *
 * @param {import('node:net').Socket} client
 * @param {import('node:net').Socket} upstream
 * @param {Set<import('node:net').Socket>} sockets holds them while they are open
 * @returns {() => void} ends both
 */
export function tie(client, upstream, sockets) {
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.on('error', end);
    socket.on('close', () => {
      sockets.delete(socket);
      end();
    });
  }
  client.setNoDelay(true);
  return end;
}
