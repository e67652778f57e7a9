/**
 * Grouped ingest beside direct ingest, in one run and in turn: 64 senders of beacons of one event as fast as they go, on loopback and
 * behind a relay of 10 ms each way, and one sender alone. What is so far away is asked over TLS, by a user with a password, as
 * docs/operations/redis.md has it. Beside it stands the same without TLS, which saves direct ingest a trip: two are left, and one of grouped
 * ingest. What that allows is seen from one sender, who waits for nothing but trips.
 *
 * One thread of workerd does all the work of both ways. So nothing else may be a part of what is measured: the senders are wrk, and the
 * worker is asked itself.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { createTraffic, everyMember } from '../../tests/support/bodies/traffic.mjs';
import { SHIPPED } from '../../tests/support/costs.mjs';
import { freePort } from '../../tests/support/port.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startRelay } from '../../tests/support/relay.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { expectStatus } from './contenders.mjs';
import { load } from './load.mjs';

const SENDERS = 64;
const AWAY_MS = 10;
const [USER, PASSWORD] = ['edgeboard', 'a-password-for-redis'];
const PATH = '/v1/demo/beacon';
/** Different bodies, which come again with other ids. */
const BODIES = 1000;

/**
 * @typedef {object} Sample
 * @property {number} clicksPerS
 * @property {number} p50Ms
 * @property {number} commands per click
 * @property {number} connections
 */

/** @param {import('../options.mjs').Effort} effort */
export async function benchIngest({ rounds, seconds }) {
  return {
    near: await compared({ senders: SENDERS, rounds, seconds }),
    far: await compared({ senders: SENDERS, rounds, seconds, delayMs: AWAY_MS, isTls: true }),
    plain: await compared({ senders: SENDERS, rounds, seconds, delayMs: AWAY_MS }),
    plainAlone: await compared({ senders: 1, rounds, seconds, delayMs: AWAY_MS }),
    alone: await compared({ senders: 1, rounds, seconds }),
  };
}

/**
 * @typedef {object} Place of Redis
 * @property {number} [delayMs] each way
 * @property {boolean} [isTls]
 *
 * @param {{ senders: number, rounds: number, seconds: number } & Place} options
 */
async function compared({ senders, rounds, seconds, ...place }) {
  const [direct, grouped] = [await startSite('direct', place), await startSite('grouped', place)];
  try {
    const turns = mapValues({ direct, grouped }, (site) => () => send(site, senders, seconds));
    await inTurn(turns, 1); // to warm up
    const samples = await inTurn(turns, rounds);
    const all = (/** @type {'direct' | 'grouped'} */ way, /** @type {keyof Sample} */ figure) => samples[way].map((of) => of[figure]);
    const ratio = (/** @type {keyof Sample} */ figure) => medianRatio(all('grouped', figure), all('direct', figure));
    const figures = (/** @type {'direct' | 'grouped'} */ way) => ({
      clicksPerS: median(all(way, 'clicksPerS')),
      p50Ms: median(all(way, 'p50Ms')),
      commands: median(all(way, 'commands')),
      connections: Math.max(...all(way, 'connections')),
    });
    return {
      direct: figures('direct'),
      grouped: figures('grouped'),
      ratios: { clicksPerS: ratio('clicksPerS'), p50Ms: ratio('p50Ms'), commands: ratio('commands') },
    };
  } finally {
    await direct.stop();
    await grouped.stop();
  }
}

/** @param {'direct' | 'grouped'} ingest @param {Place} place */
async function startSite(ingest, { delayMs = 0, isTls = false }) {
  const { redis, port, urlAt } = await (isTls ? startTlsRedis() : startPlainRedis());
  const relay = await startRelay({ redis: { port } });
  const worker = await startWorker({
    isAskedItself: true,
    vars: {
      REDIS_URL: urlAt(relay.port),
      SITES: { demo: { ...SHIPPED.demo, limits: { beacons: 0, misses: 0 }, max_beacon_events: 100, ingest } },
    },
  });
  const traffic = createTraffic();
  for (const body of everyMember(traffic)) {
    await expectStatus(await worker.fetch(PATH, { method: 'POST', body: JSON.stringify(body) }), 204);
  }
  relay.delayBy(delayMs);
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-bodies-'));
  const bodies = join(folder, 'one.jsonl');
  writeFileSync(bodies, Array.from({ length: BODIES }, () => `${JSON.stringify(traffic.views(1))}\n`).join(''));
  return {
    redis,
    bodies,
    url: worker.url + PATH,
    async stop() {
      rmSync(folder, { recursive: true });
      await worker.stop();
      await relay.close();
      await redis.stop();
    },
  };
}

async function startPlainRedis() {
  const redis = await startRedis();
  return { redis, port: redis.port, urlAt: (/** @type {number} */ port) => `redis://127.0.0.1:${port}` };
}

/** With the certificate that workerd trusts: `npm run bench` makes it. */
async function startTlsRedis() {
  const path = process.env.NODE_EXTRA_CA_CERTS;
  if (!path) throw new Problem('NODE_EXTRA_CA_CERTS names no certificate: npm run bench makes one');
  const port = await freePort();
  const files = ['--tls-cert-file', path, '--tls-key-file', path];
  const redis = await startRedis({ args: ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files] });
  await redis.command('ACL', 'SETUSER', USER, 'on', `>${PASSWORD}`, '~*', '+@all');
  return { redis, port, urlAt: (/** @type {number} */ at) => `rediss://${USER}:${PASSWORD}@127.0.0.1:${at}` };
}

/**
 * @param {Awaited<ReturnType<typeof startSite>>} site
 * @param {number} senders
 * @param {number} seconds
 * @returns {Promise<Sample>}
 */
async function send({ redis, bodies, url }, senders, seconds) {
  await redis.command('CONFIG', 'RESETSTAT');
  const { requests, requestsPerS, p50Ms, errors } = await load({ url, bodies, seconds, connections: senders });
  if (errors > 0) throw new Problem(`${url} failed ${errors} times`);
  const stats = await redis.command('INFO', 'commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].filter(([, name]) => name !== 'config|resetstat' && name !== 'info');
  const commands = calls.reduce((sum, [, , n]) => sum + Number(n), 0);
  const connections = Number(/^total_connections_received:(\d+)/m.exec(await redis.command('INFO', 'stats'))?.[1]);
  return { clicksPerS: requestsPerS, p50Ms, commands: commands / requests, connections };
}
