/**
 * The site of the tests of the archive, and the ways to ask for it.
 */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';

import { backUp, load } from '../../support/backup.mjs';
import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {Record<string, number>} Scores by member */
export const ADMIN_TOKEN = 'a-token-for-owners';
/** Half an hour before the day's end. */
export const NOW = Date.parse('2026-11-20T23:30:00Z');
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** When the day is archived, and when Redis no longer has it for readers. */
export const COPIED = NOW + 37 * MINUTE_MS;
export const FORGOTTEN = NOW + 61 * DAY_MS;
const DAY = 20_777;

const BOARD = { weights: { view: 1, like: 2 }, windows: ['day'], limit: 1000, archive: true };
const SITE = {
  origins: ['*'],
  actor_history: '366d',
  actions: { view: { public: true }, like: { reversible: true } },
  boards: { articles: BOARD },
};

/**
 * @param {object} [options]
 * @param {object} [options.board]
 * @param {object} [options.site]
 * @param {import('./kept.mjs').Kept | 'nowhere'} [options.kept] where the archive is
 * @param {string} [options.storage]
 * @param {boolean} [options.hasDatabase]
 */
export async function start({ board = {}, site = {}, kept = 'bucket', storage, hasDatabase } = {}) {
  const sites = { demo: { ...SITE, ...site, boards: { articles: { ...BOARD, ...board } } } };
  const archive = kept === 'redis' ? await startRedis() : undefined;
  const vars = { ADMIN_TOKEN, FORWARD_SECRET: 'sixteen-letters-and-more', ...(archive && { ARCHIVE_REDIS_URL: archive.url }) };
  const hasBucket = kept === 'bucket';
  const deployment = await startDeployment({ transport: 'redis://', relayed: true, sites, vars, hasBucket, hasDatabase, storage });
  const objects = archive ? inRedis(archive) : inBucket(deployment);
  const stop = async () => {
    await deployment.stop();
    await archive?.stop();
  };
  return { deployment, stop, objects, ...on(deployment) };
}

/** The objects of an archive, for what no request tells. @param {Deployment} deployment */
function inBucket(deployment) {
  const bucket = () => /** @type {Promise<any>} */ (deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  return {
    names: async () =>
      /** @type {string[]} */ ((await (await bucket()).list()).objects.map((/** @type {{ key: string }} */ { key }) => key)),
    /** @param {string} name */
    read: async (name) => {
      const bytes = Buffer.from(await (await (await bucket()).get(name)).arrayBuffer());
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    },
    /** @param {string[]} names */
    remove: async (...names) => (await bucket()).delete(names),
    /** @param {string[]} names */
    put: async (...names) => {
      for (const name of names) await (await bucket()).put(name, '');
    },
    refuseAll: async () => assert.fail('a bucket takes everything'),
  };
}

/** The same in another Redis. @param {import('../../support/redis.mjs').Redis} redis */
function inRedis(redis) {
  const keyOf = (/** @type {string} */ name) => name.replace('/', ':archive:');
  return {
    names: () => /** @type {Promise<string[]>} */ (redis.command('ZRANGE', 'eb:archive', '0', '-1')),
    /** @param {string} name */
    read: (name) => /** @type {Promise<string>} */ (redis.command('GET', keyOf(name))),
    /** @param {string[]} names */
    remove: async (...names) => {
      for (const name of names) {
        await redis.command('UNLINK', keyOf(name));
        await redis.command('ZREM', 'eb:archive', name);
      }
    },
    /** @param {string[]} names */
    put: async (...names) => {
      for (const name of names) {
        await redis.command('SET', keyOf(name), '');
        await redis.command('ZADD', 'eb:archive', '0', name);
      }
    },
    /** It is listed and read as before. */
    refuseAll: () => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
  };
}

/** The ways to act on a deployment. @param {Deployment} deployment */
function on(deployment) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const board = 'eb:{demo:articles}';

  /** Sets both clocks. @param {number} ms */
  function setClocks(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
  }

  /** Writes the day's board past the worker, with the expiry that a worker gives it. @param {Scores} scores */
  async function fill(scores) {
    const entries = Object.entries(scores);
    for (let i = 0; i < entries.length; i += 1000) {
      const part = entries.slice(i, i + 1000).flatMap(([id, score]) => [String(score), id]);
      await deployment.redis.command('ZADD', `${board}:day:${DAY}`, ...part);
    }
    await deployment.redis.command('EXPIREAT', `${board}:day:${DAY}`, (FORGOTTEN + 30 * DAY_MS) / 1000);
  }

  /** @param {object[]} events */
  async function send(events) {
    const { status, body } = await deployment.events({ events });
    assert.deepEqual([status, body.rejected], [200, []]);
  }

  const upkeep = () => deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });

  /** Runs upkeep until nothing is left, or it fails. Answers how many periods it archived. */
  async function archive() {
    const { status, body, text } = await upkeep();
    assert.equal(status, 200, text);
    return body.archived;
  }

  /** What the metrics tell of the job. */
  async function counted() {
    const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
    const of = (/** @type {string} */ name) =>
      Number(new RegExp(`^edgeboard_isolate_${name}_total\\{site="demo",job="archive articles"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    return { runs: of('job_runs'), members: of('job_members'), failed: of('jobs_failed') };
  }

  /** @param {string} [query] */
  const day = (query = '') => deployment.freshTop('articles/day', `?period=2026-11-20${query}`);
  /** @param {string} form @param {string} query */
  async function download(form, query) {
    const response = await deployment.worker.fetch(`/v1/demo/admin/boards/articles/export/day.${form}${query}`, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** @param {string} id @param {string} [query] */
  const member = (id, query = '') => deployment.fresh(`/v1/demo/boards/articles/day/members/${id}?period=2026-11-20${query}`);
  /** @param {string} id */
  const erase = (id) =>
    deployment.fetch(`/v1/demo/actors/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } });
  /** @param {string} id */
  const remove = (id) => deployment.fetch(`/v1/demo/admin/boards/articles/members/${id}`, { method: 'DELETE', headers });
  /** @param {string} prefix */
  const removePrefix = (prefix) => {
    const query = new URLSearchParams({ prefix });
    return deployment.fetch(`/v1/demo/admin/boards/articles/members?${query}`, { method: 'DELETE', headers });
  };
  /** @param {string} id */
  const hide = (id) => deployment.fetch(`/v1/demo/admin/boards/articles/hidden/${id}`, { method: 'PUT', headers });

  /** The day in Redis, and what was moved aside. */
  async function stored() {
    const found = [];
    for (const key of [`${board}:day:${DAY}`, `${board}:day:${DAY}:left`]) found.push(await deployment.redis.command('ZCARD', key));
    return found;
  }

  /** Whether Redis remembers a job. */
  const isAtWork = async () => (await deployment.redis.command('HEXISTS', `${board}:archive`, 'job')) === 1;

  return {
    isAtWork,
    snapshot: () => backUp(deployment.redis),
    /** @param {import('../../support/backup.mjs').Backup} backup */
    restore: (backup) => load(deployment.redis, backup),
    setClocks,
    fill,
    send,
    upkeep,
    archive,
    counted,
    day,
    download,
    member,
    erase,
    remove,
    removePrefix,
    hide,
    stored,
  };
}

/** Members in the order of a ranking: by score, then by id, the greater first. @param {Scores} scores */
export const ranked = (scores) =>
  Object.entries(scores)
    .filter(([, score]) => score > 0)
    .sort(([one, a], [other, b]) => b - a || (one < other ? 1 : -1));

/** What ranks on a page. @param {any} body @returns {[string, number][]} */
export const shown = (body) => body.entries.map((/** @type {any} */ { id, score }) => [id, score]);

/** So many members, hundreds of them with one score. @param {number} count */
export const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 1 + ((i * 7919) % 97)]));
