/**
 * Grouped ingest beside direct ingest, in one run and in turn: 64 senders of beacons of one event as fast as they go, on loopback and
 * behind a relay of 10 ms each way, and one sender alone.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

import { createTraffic, everyMember } from '../../tests/support/bodies/traffic.mjs';
import { SHIPPED } from '../../tests/support/costs.mjs';
import { startRedis } from '../../tests/support/redis.mjs';
import { startRelay } from '../../tests/support/relay.mjs';
import { startWorker } from '../../tests/support/worker.mjs';
import { Problem } from '../../scripts/report.mjs';
import { inTurn, mapValues, median, medianRatio } from '../rounds.mjs';
import { ZONE } from '../site.mjs';
import { expectStatus } from './contenders.mjs';

const SENDERS = 64;
const AWAY_MS = 10;
const PATH = '/v1/demo/beacon';

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
    near: await compared({ senders: SENDERS, rounds, seconds, delayMs: 0 }),
    far: await compared({ senders: SENDERS, rounds, seconds, delayMs: AWAY_MS }),
    alone: await compared({ senders: 1, rounds, seconds, delayMs: 0 }),
  };
}

/** @param {{ senders: number, rounds: number, seconds: number, delayMs: number }} options */
async function compared({ senders, rounds, seconds, delayMs }) {
  const [direct, grouped] = [await startSite('direct', delayMs), await startSite('grouped', delayMs)];
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

/** @param {'direct' | 'grouped'} ingest @param {number} delayMs */
async function startSite(ingest, delayMs) {
  const redis = await startRedis();
  const relay = await startRelay({ redis });
  const worker = await startWorker({
    cf: ZONE,
    vars: {
      REDIS_URL: `redis://127.0.0.1:${relay.port}`,
      SITES: { demo: { ...SHIPPED.demo, limits: { beacons: 0, misses: 0 }, max_beacon_events: 100, ingest } },
    },
  });
  const traffic = createTraffic();
  for (const body of everyMember(traffic)) {
    await expectStatus(await worker.fetch(PATH, { method: 'POST', body: JSON.stringify(body) }), 204);
  }
  relay.delayBy(delayMs);
  return {
    redis,
    traffic,
    url: worker.url + PATH,
    async stop() {
      await worker.stop();
      await relay.close();
      await redis.stop();
    },
  };
}

/**
 * @param {Awaited<ReturnType<typeof startSite>>} site
 * @param {number} senders
 * @param {number} seconds
 * @returns {Promise<Sample>}
 */
async function send({ redis, traffic, url }, senders, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: senders });
  const run = randomBytes(3).toString('hex');
  await redis.command('CONFIG', 'RESETSTAT');
  /** @type {number[]} */
  const took = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (performance.now() < until) {
        const body = traffic.views(1);
        const sent = performance.now();
        const status = await post(url, agent, JSON.stringify({ ...body, id: `${run}${body.id}` }));
        if (status !== 204) throw new Problem(`${url} answered ${status}`);
        took.push(performance.now() - sent);
      }
    }),
  );
  const elapsedS = (performance.now() - began) / 1000;
  agent.destroy();
  const stats = await redis.command('INFO', 'commandstats');
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].filter(([, name]) => name !== 'config|resetstat' && name !== 'info');
  const commands = calls.reduce((sum, [, , n]) => sum + Number(n), 0);
  const connections = Number(/^total_connections_received:(\d+)/m.exec(await redis.command('INFO', 'stats'))?.[1]);
  return { clicksPerS: took.length / elapsedS, p50Ms: median(took), commands: commands / took.length, connections };
}

/** @param {string} url @param {Agent} agent @param {string} body @returns {Promise<number | undefined>} the status */
function post(url, agent, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'text/plain' } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sent.once('error', reject).end(body);
  });
}
