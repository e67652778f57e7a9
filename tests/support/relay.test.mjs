/** A round trip is one, in however many pieces it comes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';

import { startRedis } from './redis.mjs';
import { startRelay } from './relay.mjs';

const PING = '*1\r\n$4\r\nPING\r\n';

test('round trips are counted by what is sent, not by how it arrives', async () => {
  const redis = await startRedis();
  const relay = await startRelay({ redis });
  const client = connect({ host: '127.0.0.1', port: relay.port, noDelay: true });
  let replies = '';
  client.on('data', (bytes) => (replies += bytes));
  /** Sends a piece, and waits until so many replies are there. @param {string} piece @param {number} count */
  const exchange = async (piece, count) => {
    client.write(piece);
    while (replies.length < '+PONG\r\n'.length * count) await once(client, 'data');
  };
  try {
    await exchange(PING, 1);
    assert.equal(relay.roundTrips, 1);
    // The first reply comes before the second command is whole.
    for (const [i, cut] of [1, 3, 5, 9, PING.length - 1].entries()) {
      await exchange(PING + PING.slice(0, cut), 2 * i + 2);
      await exchange(PING.slice(cut), 2 * i + 3);
      assert.equal(relay.roundTrips, i + 2, `cut at ${cut}`);
    }
    await exchange(PING, 12);
    assert.equal(relay.roundTrips, 7);
  } finally {
    client.destroy();
    await relay.close();
    await redis.stop();
  }
});
