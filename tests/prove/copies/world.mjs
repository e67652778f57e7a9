/**
 * What the proof of copies runs on: a deployment with an archive, both clocks, and the ways to lose what Redis has.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDeployment } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';
import { ADMIN_TOKEN, askUntilDone, authorized } from '../soak/asking.mjs';

/** @typedef {import('../../support/redis.mjs').Redis} Redis */
/** @typedef {Awaited<ReturnType<typeof startWorld>>} World */

/** A request is killed within that time: some before its first round trip, some after its last. */
const KILLED_MS = 25;

/** How Redis loses what it has. */
export const LOSSES = /** @type {const} */ (['emptied', 'an RDB of an hour ago', 'a replica ten minutes behind']);

/**
 * @param {object} options
 * @param {object} options.site
 * @param {'bucket' | 'redis'} options.kept where the archive is
 * @param {typeof LOSSES[number]} options.loss
 * @param {() => number} options.random for what never happens twice at the same time
 */
export async function startWorld({ site, kept, loss, random }) {
  const storage = await mkdtemp(join(tmpdir(), 'edgeboard-copies-'));
  const archive = kept === 'redis' ? await startRedis() : undefined;
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: site },
    vars: { ADMIN_TOKEN, ...(archive && { ARCHIVE_REDIS_URL: archive.url }) },
    hasBucket: !archive,
    storage,
  });
  const { clock, edgeClock, redis } = deployment;
  const standby = loss === 'a replica ten minutes behind' ? await startRedis({ clock }) : undefined;
  /** What happened, for whoever looks for the reason of a difference. @type {string[]} */
  const log = [];
  const note = (/** @type {string} */ what) => log.push(`${new Date(clock.now()).toISOString()} ${what}`);
  let kills = 0;

  /** Moves on, so that what is done before and after is never of the same instant. */
  function tick(ms = 2_000) {
    clock.advance(ms);
    edgeClock.advance(ms);
  }

  async function kill() {
    kills += 1;
    await deployment.restartWorker();
  }

  /** Asks until it is done. @param {string} path @param {RequestInit} [init] @param {boolean} [isKilled] the worker, in the middle of it */
  async function ask(path, init = {}, isKilled = false) {
    note(`${init.method} ${path} ${init.body ?? ''}${isKilled ? ' (killed)' : ''}`);
    if (isKilled) {
      const asked = deployment.fetch(path, { ...init, headers: authorized(path) }).catch(() => undefined);
      await new Promise((done) => setTimeout(done, random() * KILLED_MS));
      await kill();
      await asked;
      // A run that was killed has the board for half a minute.
      tick(40_000);
    }
    return askUntilDone(deployment.fetch, () => tick(1_000), path, init);
  }

  /** What brings Redis back to what it is now. @returns {Promise<() => Promise<void>>} */
  async function backUp() {
    if (loss === 'emptied') return async () => void (await redis.command('FLUSHALL'));
    if (standby) {
      await follow(standby, redis);
      return () => follow(redis, standby);
    }
    const [, dir] = await redis.command('CONFIG', 'GET', 'dir');
    await redis.command('SAVE');
    await copyFile(join(dir, 'dump.rdb'), join(storage, 'dump.rdb'));
    return async () => {
      await redis.kill();
      await copyFile(join(storage, 'dump.rdb'), join(dir, 'dump.rdb'));
      await redis.restart();
    };
  }

  /** The archived periods, by board and unit. @returns {Promise<Set<string>>} */
  async function archived() {
    const names = archive
      ? await archive.command('ZRANGE', 'eb:archive', '0', '-1')
      : (await listAll(await deployment.worker.miniflare.getR2Bucket('ARCHIVE'))).map(({ key }) => key);
    return new Set(names.flatMap((/** @type {string} */ name) => /demo\/(.*\/manifests\/.*)\.json$/.exec(name)?.[1] ?? []));
  }

  return {
    deployment,
    log,
    note,
    tick,
    kill,
    ask,
    backUp,
    archived,
    now: () => clock.now(),
    /** Sets both clocks. @param {number} at */
    moveTo(at) {
      clock.set(at);
      edgeClock.set(at);
    },
    get kills() {
      return kills;
    },
    async stop() {
      await deployment.stop();
      await archive?.stop();
      await standby?.stop();
      await rm(storage, { recursive: true, force: true });
    },
  };
}

/** Makes one server what another one is, and a server of its own again. @param {Redis} copy @param {Redis} of */
async function follow(copy, of) {
  for (const one of [copy, of]) await one.command('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
  await copy.command('REPLICAOF', '127.0.0.1', String(of.port));
  await until('a replica has everything', async () => /master_link_status:up/.test(await copy.command('INFO', 'replication')));
  await copy.command('REPLICAOF', 'NO', 'ONE');
}

/** @param {any} bucket @returns {Promise<{ key: string }[]>} */
async function listAll(bucket) {
  /** @type {{ key: string }[]} */
  const objects = [];
  for (let cursor = /** @type {string | undefined} */ (undefined); ; ) {
    /** @type {any} */
    const listed = await bucket.list({ cursor });
    objects.push(...listed.objects);
    if (!listed.truncated) return objects;
    cursor = listed.cursor;
  }
}
