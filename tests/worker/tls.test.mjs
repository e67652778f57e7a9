/**
 * Redis over TLS: what is sent is counted, directly and in groups, and a server whose certificate nobody trusts gets nothing.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startRedis } from '../support/redis.mjs';
import { makeCertificate, startTls } from '../support/tls.mjs';

const BOARD = { members: 'items', weights: { view: 1 }, windows: ['all'] };
const SITE = { origins: ['*'], actions: { view: { public: true } }, boards: { articles: BOARD } };
const SITES = { direct: SITE, grouped: { ...SITE, ingest: 'grouped' } };

describe('over TLS', () => {
  const [trusted, stranger] = [makeCertificate(), makeCertificate()];
  /** @type {(() => Promise<void>)[]} */
  const ends = [];

  /** @param {string} certificatePath */
  async function started(certificatePath) {
    const redis = await startRedis();
    const { port, close } = await startTls({ redis, certificatePath });
    const { startWorker } = await import('../support/worker.mjs');
    const worker = await startWorker({ vars: { REDIS_URL: `rediss://127.0.0.1:${port}`, SITES } });
    ends.push(worker.stop, close, redis.stop);
    return { redis, worker };
  }

  /** @param {import('../support/worker.mjs').Worker} worker @param {string} site */
  const click = (worker, site) => worker.fetch(`/v1/${site}/beacon`, { method: 'POST', body: '{"action":"view","item":"/a"}' });

  before(() => {
    process.env.NODE_EXTRA_CA_CERTS = trusted.path;
  });
  after(async () => {
    for (const end of ends) await end();
    for (const { remove } of [trusted, stranger]) remove();
  });

  test('events are counted, and rankings read', async () => {
    const { worker } = await started(trusted.path);
    for (const site of Object.keys(SITES)) {
      for (const _ of [1, 2]) assert.equal((await click(worker, site)).status, 204, site);
      const { entries } = await (await worker.fetch(`/v1/${site}/boards/articles/all`)).json();
      assert.deepEqual(entries, [{ rank: 1, id: '/a', score: 2 }], site);
    }
  });

  test('a server is told nothing whose certificate nobody trusts', async () => {
    const { redis, worker } = await started(stranger.path);
    for (const site of Object.keys(SITES)) {
      const { status, headers } = await click(worker, site);
      assert.deepEqual([status, headers.get('retry-after') === null], [503, false], site);
    }
    assert.equal(await redis.command('DBSIZE'), 0);
    assert.doesNotMatch(await redis.command('INFO', 'commandstats'), /cmdstat_(hello|eval|evalsha|fcall|fcall_ro):/);
  });
});
