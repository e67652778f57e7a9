/**
 * How the worker comes to Redis: with which credentials, to which database, over how many connections; and that what it
 * refuses to vouch for did not happen.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, startDeployment, ALL_TRANSPORTS } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';

const SITES = {
  demo: {
    origins: ['*'],
    actions: { view: { public: true } },
    boards: {
      articles: { weights: { view: 1 }, windows: ['day', 'week', 'all'] },
      again: { weights: { view: 1 }, windows: ['day'] },
    },
  },
};
const view = { action: 'view', item: '/posts/1' };
const ADMIN_TOKEN = 'a-token-for-upkeep';
const PASSWORD = 'p@ss:/ü %2F#?';
const ENCODED = encodeURIComponent(PASSWORD);
const REQUIRE_PASSWORD = ['CONFIG', 'SET', 'requirepass', PASSWORD];
const aUser = (/** @type {string[]} */ ...rights) => ['ACL', 'SETUSER', 'clicks', 'reset', 'on', `>${PASSWORD}`, ...rights];

/** @param {import('../support/redis.mjs').Redis} redis @param {string} section @param {string} field */
async function info(redis, section, field) {
  const found = new RegExp(`^${field}:(?:count=|calls=)?(\\d+)`, 'm').exec(await redis.command('INFO', section));
  return Number(found?.[1] ?? 0);
}

/** Keys by database. @param {import('../support/redis.mjs').Redis} redis */
async function keysByDatabase(redis) {
  const lines = [...(await redis.command('INFO', 'keyspace')).matchAll(/^db(\d+):keys=(\d+)/gm)];
  return Object.fromEntries(lines.map(([, database, keys]) => [database, Number(keys)]));
}

/** A click on both boards leaves four periods, and for each board its state and what it remembers of ids. */
const KEYS = 8;

/**
 * Lets Redis know the scripts, so that what it is asked in error it would do.
 *
 * @param {import('../support/redis.mjs').Redis} redis
 */
async function loadScripts(redis) {
  const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES } });
  try {
    const body = JSON.stringify(view);
    assert.equal((await worker.fetch('/v1/demo/beacon', { method: 'POST', body })).status, 204);
    assert.equal((await worker.fetch('/v1/demo/boards/articles/day')).status, 200);
  } finally {
    await worker.stop();
  }
  await redis.command('FLUSHALL');
}

describe('redis://', () => {
  /**
   * Two clicks and a read. When Redis must not be used so, each is refused, and nothing is written anywhere.
   *
   * @param {import('node:test').TestContext} t
   * @param {object} expectation
   * @param {string[][]} [expectation.setup] commands that make the server what it is
   * @param {string} [expectation.credentials] before the host
   * @param {string} [expectation.database] after it
   * @param {string} [expectation.keysIn] the database that holds the keys afterwards; none when it is refused
   */
  async function check(t, { setup = [], credentials = '', database = '', keysIn }) {
    const deployment = await startDeployment({
      transport: 'redis://',
      sites: SITES,
      vars: ({ redis }) => ({ REDIS_URL: `redis://${credentials}127.0.0.1:${redis.port}${database}` }),
    });
    t.after(deployment.stop);
    const { redis, worker, beacon, top } = deployment;
    await loadScripts(redis);
    for (const command of setup) await redis.command(...command);
    await redis.command('CONFIG', 'RESETSTAT');

    const answers = [
      await beacon({ id: 'once', events: [view] }),
      await beacon({ id: 'once', events: [view] }), // the first may change how the next one connects
      await top('articles/day'),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      keysIn ? [204, 204, 200] : [503, 503, 503],
    );
    assert.deepEqual(await keysByDatabase(redis), keysIn ? { [keysIn]: KEYS } : {});
    if (keysIn) assert.deepEqual(entriesOf(answers[2]), [['/posts/1', 1]]);
    else for (const { body } of answers) assert.equal(body.code, 'redis-unavailable');
    assert.equal((await deployment.fetch('/readyz')).status, keysIn ? 200 : 503);

    const connections = await info(redis, 'stats', 'total_connections_received');
    assert.equal(connections, 4, 'one connection for each request: what is refused is not tried again');
    const written = [...worker.log.map(({ message }) => message), ...answers.map(({ text }) => text)];
    assert.deepEqual(
      written.filter((text) => text.includes(PASSWORD) || text.includes(ENCODED)),
      [],
      'nobody learns the password',
    );
  }

  for (const [name, expectation] of Object.entries({
    'a password': { setup: [REQUIRE_PASSWORD], credentials: `:${ENCODED}@`, keysIn: '0' },
    'a password and a database': {
      setup: [REQUIRE_PASSWORD],
      credentials: `:${ENCODED}@`,
      database: '/3',
      keysIn: '3',
    },
    'a database alone': { database: '/15', keysIn: '15' },
    'a user who may touch nothing but boards': {
      setup: [aUser('~eb:*', '+@all', '-@admin', '-@dangerous'), ['ACL', 'SETUSER', 'default', 'resetpass']],
      credentials: `clicks:${ENCODED}@`,
      keysIn: '0',
    },
    'no password where one is wanted': { setup: [REQUIRE_PASSWORD] },
    'a wrong password': { setup: [REQUIRE_PASSWORD], credentials: ':wrong@' },
    'a password where none is wanted': { credentials: `:${ENCODED}@` },
    'an unknown user where none is needed': { credentials: `nobody:${ENCODED}@` },
    'a database that does not exist': { database: '/16' },
    'a user who may not run scripts': {
      setup: [aUser('~*', '+ping')],
      credentials: `clicks:${ENCODED}@`,
    },
    'a user who may not touch boards': {
      setup: [aUser('~other:*', '+@all')],
      credentials: `clicks:${ENCODED}@`,
    },
  })) {
    test(name, (t) => check(t, expectation));
  }

  test('a password that is changed while the worker runs: no click is taken for refused that was counted', async (t) => {
    const deployment = await startDeployment({
      transport: 'redis://',
      sites: SITES,
      vars: ({ redis }) => ({ REDIS_URL: `redis://clicks:${ENCODED}@127.0.0.1:${redis.port}` }),
    });
    t.after(deployment.stop);
    const { redis, beacon, freshTop } = deployment;
    await redis.command(...aUser('~*', '+@all'));
    assert.equal((await beacon(view)).status, 204);
    await redis.command('ACL', 'SETUSER', 'clicks', 'resetpass', '>another');
    let most = 1;
    for (let i = 0; i < 4; i += 1) {
      const { status } = await beacon(view);
      assert.ok([503, 504].includes(status), String(status));
      if (status === 504) most += 1;
    }
    await redis.command(...aUser('~*', '+@all'));
    await until('a click', async () => (await beacon(view)).status === 204);
    const [[, score]] = entriesOf(await freshTop('articles/day'));
    assert.ok(score >= 2 && score <= most + 1, `${score} of at most ${most + 1}`);
    assert.ok(most <= 2, 'after the first surprise the worker looks before it writes');
  });

  test('a server that has no room for another connection is 503, and nothing is counted', async (t) => {
    const deployment = await startDeployment({ transport: 'redis://', sites: SITES });
    t.after(deployment.stop);
    const { redis, beacon, top } = deployment;
    await loadScripts(redis);
    await redis.command('CONFIG', 'SET', 'maxclients', '1'); // the tests' own
    for (let i = 0; i < 20; i += 1) assert.equal((await beacon({ id: 'one', events: [view] })).status, 503);
    assert.equal((await beacon(view)).status, 503);
    assert.equal((await top('articles/day')).status, 503);
    await redis.command('CONFIG', 'SET', 'maxclients', '100');
    assert.equal(await redis.command('DBSIZE'), 0);
    assert.equal((await beacon(view)).status, 204);
  });

  test('connections end with their requests', async (t) => {
    const deployment = await startDeployment({ transport: 'redis://', sites: SITES });
    t.after(deployment.stop);
    const { redis, beacon, freshTop } = deployment;
    const connected = () => info(redis, 'clients', 'connected_clients');
    assert.equal(await connected(), 1, 'the tests’ own');
    await redis.command('CONFIG', 'RESETSTAT');
    for (let round = 0; round < 20; round += 1) {
      const requests = Array.from({ length: 10 }, (_, i) => (i % 2 ? beacon(view) : freshTop('articles/day', `?limit=${i + 1}`)));
      for (const { status } of await Promise.all(requests)) assert.ok(status === 204 || status === 200);
    }
    assert.ok((await info(redis, 'stats', 'total_connections_received')) <= 200, 'one for each request at most');
    await until('one connection', async () => (await connected()) === 1);
  });

  test('upkeep of eighty windows takes one connection, whether they are due or not', async (t) => {
    const windows = Array.from({ length: 10 }, (_, i) => `last-${i + 2}-hours`);
    const board = { weights: { view: 1 }, windows };
    const boards = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`board-${i}`, board]));
    const deployment = await startDeployment({
      transport: 'redis://',
      sites: { demo: { actions: { view: {} }, boards } },
      vars: { ADMIN_TOKEN },
    });
    t.after(deployment.stop);
    const { redis, worker, clock } = deployment;
    // In the first hour of a day upkeep looks at libraries as well.
    deployment.edgeClock.set('2026-11-20T12:30:00Z');
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const isReady = async () => {
      const { body } = await deployment.fetch('/v1/demo/admin/upkeep', { headers });
      assert.equal(body.windows.length, 80);
      return body.windows.every((/** @type {any} */ { ready }) => ready);
    };
    clock.set('2026-11-20T12:30:00Z');
    await deployment.events(view);
    // Skipped hours: no window is whole.
    clock.set('2026-11-20T15:58:00Z');
    await deployment.events(view);
    for (const wasReady of [false, true]) {
      assert.equal(await isReady(), wasReady);
      await redis.command('CONFIG', 'RESETSTAT');
      await worker.scheduled();
      // The first run also copies who is hidden and pinned: one to see whether Redis lost anything, and one to read the lists.
      assert.equal(await info(redis, 'stats', 'total_connections_received'), wasReady ? 1 : 3);
      if (!wasReady) assert.ok((await info(redis, 'commandstats', 'cmdstat_fcall')) >= 160, 'each is repaired and prepared');
      // Those that rest are looked at again after five minutes at most.
      deployment.edgeClock.advance(5 * 60_000);
    }
  });
});

describe('http:// with a wrong token', () => {
  test('is 503, once for each request', async (t) => {
    const deployment = await startDeployment({
      transport: 'http://',
      sites: SITES,
      vars: { REDIS_TOKEN: 'wrong-token' },
    });
    t.after(deployment.stop);
    const { link, beacon, top, redis, worker } = deployment;
    const answers = [await beacon({ id: 'once', events: [view] }), await top('articles/day'), await deployment.fetch('/readyz')];
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [503, 'redis-unavailable']);
    assert.equal(link.roundTrips, 3);
    assert.equal(await redis.command('DBSIZE'), 0);
    assert.ok(worker.log.length > 0);
    assert.ok(worker.log.every(({ message }) => !message.includes('wrong-token')));
  });
});

for (const transport of ALL_TRANSPORTS) {
  test(`over ${transport}, a reply is lost and then Redis is gone: 504, since it may have been counted, and was`, async (t) => {
    const deployment = await startDeployment({ transport, relayed: true, sites: SITES });
    t.after(deployment.stop);
    const { link, beacon, redis } = deployment;
    await beacon({ ...view, item: '/warm' });
    link.loseReplyAndEnd();
    const { status, body } = await beacon({ id: 'once', events: [view] });
    assert.deepEqual([status, body.code], [504, 'outcome-unknown']);
    assert.equal(Number(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', '/posts/1')), 1);
    const after = await beacon({ id: 'again', events: [{ ...view, item: '/never' }] });
    // It never got there. A gateway's 503 does not say so.
    assert.equal(after.status, transport === 'http://' ? 504 : 503);
    assert.equal(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', '/never'), null);
  });

  test(`over ${transport}, Redis loses the library while many click and read: each is answered, and each click counts once`, async (t) => {
    const deployment = await startDeployment({ transport, sites: SITES });
    t.after(deployment.stop);
    const { beacon, top, redis } = deployment;
    for (let round = 0; round < 3; round += 1) {
      await redis.command('FUNCTION', 'FLUSH');
      const clicks = Array.from({ length: 10 }, () => beacon(view));
      const answers = await Promise.all([...clicks, ...['day', 'week', 'all'].map((window) => top(`articles/${window}`))]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array(10).fill(204), 200, 200, 200],
      );
    }
    assert.equal(Number(await redis.command('ZSCORE', 'eb:{demo:articles}:all:0', '/posts/1')), 30);
  });
}
