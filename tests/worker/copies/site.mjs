/**
 * A site with every copy of what Redis has, and the ways to ask for it.
 */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';

import { backUp, load } from '../../support/backup.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { startRedis } from '../../support/redis.mjs';
import { until } from '../../support/until.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const WINDOWS = ['hour', 'day', 'all', 'last-7-days', { name: 'hot', kind: 'half-life', half_life: '6h' }];

/**
 * @param {object} options
 * @param {import('./kept.mjs').Kept} options.kept where marks are
 * @param {string[]} [options.sites]
 * @param {object} [options.board]
 * @param {object} [options.boards]
 * @param {object} [options.site]
 * @param {boolean} [options.isCluster] over three masters
 */
export async function start({ kept, sites: names = ['demo'], board = {}, boards = {}, site = {}, isCluster = false }) {
  const hasDatabase = kept === 'database';
  const inDatabase = hasDatabase && { history: 10, snapshot: 'top', totals: [{ window: 'all', every: '1m' }] };
  const articles = { weights: { view: 1, like: 2 }, windows: WINDOWS, archive: true, ...inDatabase, ...board };
  const actions = { view: { public: true }, like: { reversible: true } };
  const sites = Object.fromEntries(names.map((name) => [name, { origins: ['*'], actions, boards: { articles, ...boards }, ...site }]));
  const archive = kept === 'redis' ? await startRedis() : undefined;
  const vars = { ADMIN_TOKEN, ...(archive && { ARCHIVE_REDIS_URL: archive.url }) };
  const deployment = await startDeployment({
    transport: 'redis://',
    isCluster,
    relayed: !isCluster,
    sites,
    vars,
    hasBucket: !archive,
    hasDatabase,
  });
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

  /** The rows of a statement. @param {string} sql */
  const rows = async (sql) => {
    const database = await deployment.worker.miniflare.getD1Database('DB');
    return (await database.prepare(sql).all()).results;
  };
  const bucket = () => /** @type {Promise<any>} */ (deployment.worker.miniflare.getR2Bucket('ARCHIVE'));

  /** The objects of the archive, but for documents about Redis, by name. */
  async function objects() {
    /** @type {Record<string, unknown>} */
    const found = {};
    if (archive) {
      for (const name of await archive.command('ZRANGE', 'eb:archive', '0', '-1'))
        found[name] = await archive.command('GET', name.replace('/', ':archive:'));
    } else {
      for (const { key, etag } of (await (await bucket()).list()).objects) found[key] = etag;
    }
    return Object.fromEntries(Object.entries(found).filter(([name]) => !/redis-marks|curation/.test(name)));
  }

  /** Loses a document that is kept beside Redis. @param {string} name */
  async function forget(name) {
    if (hasDatabase) await rows(`DELETE FROM state_documents WHERE name = '${name}'`);
    else if (archive) await archive.command('DEL', `eb:archive:demo/${name}.json`);
    else await (await bucket()).delete(`eb/demo/${name}.json`);
  }

  /** The lines of the log about losses. @returns {Record<string, any>[]} */
  const lines = () =>
    deployment.worker.log
      .filter(({ message }) => message.includes('"code":"redis-'))
      .flatMap(({ message }) => {
        const line = JSON.parse(message.slice(message.indexOf('{')));
        return /^redis-(lost|behind)$/.test(line.code) ? [line] : [];
      });

  /** What each object of the bucket says. */
  async function texts() {
    const on = await bucket();
    /** @type {Record<string, string>} */
    const found = {};
    for (const { key } of (await on.list()).objects) {
      const bytes = Buffer.from(await (await on.get(key)).arrayBuffer());
      found[key] = (key.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    }
    return found;
  }

  return {
    deployment,
    headers,
    rows,
    texts,
    objects,
    stop: async () => {
      await deployment.stop();
      await archive?.stop();
    },

    /** Sets both clocks. @param {number} ms */
    setClocks(ms) {
      deployment.clock.set(ms);
      deployment.edgeClock.set(ms);
    },
    /** @param {object[]} events */
    async send(events) {
      for (const name of names) {
        const { status, body, text } = await deployment.events({ events }, { site: name });
        assert.deepEqual([status, body.rejected], [200, []], text);
      }
    },
    /** What cron does. */
    run: () => deployment.worker.scheduled(),
    async upkeep() {
      const { status, body, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
      assert.equal(status, 200, text);
      return body;
    },
    readiness: () => deployment.fetch('/readyz'),
    loss: async () => (await deployment.fetch('/v1/demo/admin/restore', { headers })).body,
    /** @param {string} [body] @param {string} [query] */
    restore: (body, query = '') => deployment.fetch(`/v1/demo/admin/restore${query}`, { method: 'POST', headers, ...(body && { body }) }),
    /** @param {string} method @param {string} path @param {string} [body] */
    admin: (method, path, body) => deployment.fetch(`/v1/demo/admin/${path}`, { method, headers, ...(body && { body }) }),

    /** The lines about losses, so many at least. @param {number} count @returns {Promise<Record<string, any>[]>} */
    reported: (count) => until('the log says it', () => lines().length >= count && lines()),

    async metrics() {
      const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
      const found = text.matchAll(/^edgeboard_(redis_(?:lost|behind)\w*)\{site="demo"\} (\d+)$/gm);
      return Object.fromEntries(Array.from(found, ([, name, value]) => [name, Number(value)]));
    },

    /** All that follows Redis. */
    async copies() {
      if (!hasDatabase) return { objects: await objects() };
      const [totals, history, snapshots] = [
        await rows('SELECT board, period, member, score FROM totals ORDER BY 1, 2, 3'),
        await rows('SELECT board, window_name, period, total, entries FROM history ORDER BY 1, 2, 3'),
        await rows("SELECT board, window_name, page FROM snapshots WHERE window_name <> '' ORDER BY 1, 2"),
      ];
      for (const [name, found] of Object.entries({ totals, history, snapshots })) assert.ok(found.length > 0, name);
      return { objects: await objects(), totals, history, snapshots };
    },

    /** Loses what is known of marks beside Redis. */
    forgetMarks: () => forget('redis-marks'),
    /** The same of the lists of hidden and pinned members. */
    forgetLists: () => forget('articles/curation'),

    snapshot: () => backUp(deployment.redis),
    /** @param {import('../../support/backup.mjs').Backup} backup */
    restoreBackup: (backup) => load(deployment.redis, backup),
  };
}
