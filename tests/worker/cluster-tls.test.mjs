/**
 * A cluster over TLS, whose nodes announce names that nobody resolves, with a user that has the documented rights on each node and no others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startCluster } from '../support/cluster.mjs';
import { documentedUser } from '../support/documented-user.mjs';
import { makeCertificate, startTls } from '../support/tls.mjs';
import { until } from '../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-administration';
const PASSWORD = 'secret';
/** One on each of three nodes, in the order of these. */
const BOARDS = ['articles', 'a', 'people'];
const board = { weights: { view: 1 }, windows: ['day', 'last-7-days', 'all'] };
const SITE = {
  origins: ['*'],
  activity: false,
  limits: { beacons: 0, misses: 0 },
  actions: { view: { public: true } },
  boards: Object.fromEntries(BOARDS.map((name) => [name, board])),
};

describe('a cluster over TLS', () => {
  const certificate = makeCertificate();
  /** @type {(() => Promise<void>)[]} */
  const ends = [];
  /** @type {import('../support/cluster.mjs').Cluster} */
  let cluster;
  /** Ports of TLS, in the order of the nodes. @type {number[]} */
  let ports;
  /** @type {import('../support/worker.mjs').Worker} */
  let worker;

  /** @param {Record<string, string>} vars */
  async function started(vars) {
    const { startWorker } = await import('../support/worker.mjs');
    const seeds = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const REDIS_URL = `rediss://edgeboard:${PASSWORD}@${seeds}?cluster=true`;
    const started = await startWorker({ vars: { REDIS_URL, ADMIN_TOKEN, SITES: { demo: SITE }, ...vars } });
    ends.push(started.stop);
    return started;
  }

  /** @param {import('../support/worker.mjs').Worker} of */
  const click = (of) => of.fetch('/v1/demo/beacon', { method: 'POST', body: '{"action":"view","item":"/a"}' });

  before(async () => {
    process.env.NODE_EXTRA_CA_CERTS = certificate.path;
    cluster = await startCluster();
    ends.push(cluster.stop);
    const user = await documentedUser(PASSWORD);
    ports = [];
    for (const [place, node] of cluster.nodes.entries()) {
      const ofCluster = ['~edgeboard:libraries*', '+cluster|slots', '+asking'];
      await node.command('ACL', 'SETUSER', ...user, ...ofCluster);
      await node.command('ACL', 'SETUSER', 'default', '-fcall', '-fcall_ro', '-eval', '-evalsha');
      await node.command('CONFIG', 'SET', 'cluster-announce-hostname', `node-${place}.internal`);
      await node.command('CONFIG', 'SET', 'cluster-preferred-endpoint-type', 'hostname');
      const { port, close } = await startTls({ redis: node, certificatePath: certificate.path });
      ports.push(port);
      ends.push(close);
    }
    await until('each node knows the names of the others', async () => {
      const answers = await Promise.all(cluster.nodes.map((node) => node.command('CLUSTER', 'SLOTS')));
      return answers.flat().every(([, , [host]]) => host.endsWith('.internal'));
    });
    const announced = cluster.nodes.map(({ port }, place) => `node-${place}.internal:${port}=127.0.0.1:${ports[place]}`);
    worker = await started({ REDIS_ADDRESS_MAP: announced.join(',') });
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
    certificate.remove();
  });

  test('nodes are reached where the map says, and count and answer', async () => {
    for (const _ of [1, 2, 3]) assert.equal((await click(worker)).status, 204);
    for (const [place, name] of BOARDS.entries()) {
      const read = await worker.fetch(`/v1/demo/boards/${name}/all`);
      assert.deepEqual((await read.json()).entries, [{ rank: 1, id: '/a', score: 3 }], name);
      assert.equal(await cluster.nodes[place].command('EXISTS', `eb:{demo:${name}}:state`), 1, 'on a node of its own');
    }
  });

  test('Redis denies nothing of what upkeep, readiness and administration ask', async () => {
    for (const node of cluster.nodes) await node.command('ACL', 'LOG', 'RESET');
    await worker.scheduled();
    const ready = await worker.fetch('/readyz');
    assert.equal(ready.status, 200, await ready.clone().text());
    const ask = async (/** @type {string} */ method, /** @type {string} */ path) => {
      const init = { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
      const answer = await worker.fetch(`/v1/demo/admin/${path}`, init);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    };
    await ask('POST', 'upkeep');
    await ask('GET', 'unconfigured');
    await ask('PUT', 'boards/a/hidden/%2Fa');
    await ask('POST', 'boards/people/reset');
    for (const node of cluster.nodes) assert.deepEqual(await node.command('ACL', 'LOG'), []);
  });

  test('without the map nothing counts, and readiness says so', async () => {
    const unmapped = await started({});
    assert.equal((await click(unmapped)).status, 503);
    assert.equal((await unmapped.fetch('/readyz')).status, 503);
  });
});
