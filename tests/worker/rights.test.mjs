/**
 * The rights that docs/operations/redis.md gives to Redis's user: the worker does everything with them, and needs each one.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';

import { CALENDAR, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { documentedUser } from '../support/documented-user.mjs';

const ROOT = new URL('../../', import.meta.url);
const ADMIN_TOKEN = 'a-token-for-administration';
const PASSWORD = 'secret';
/** Codes of errors that are names of commands as well. */
const CODES = ['READONLY', 'LOST', 'CHANGED'];

const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, like: { reversible: true } },
  boards: {
    articles: {
      weights: { view: 1, like: 2 },
      windows: [
        ...CALENDAR,
        'last-2-days',
        { name: 'hot', kind: 'half-life', half_life: '6h' },
        { name: 'fading', kind: 'step', every: 'hour', factor: 0.9 },
        { name: 'smooth', kind: 'linear', resets: 'day', at: '00:00:00', beta: 1 },
      ],
      once: { view: 'day' },
      breakdown: true,
      archive: true,
    },
    people: {
      archive: true,
      members: 'actors',
      weights: { like: 1 },
      windows: ['day', 'last-2-days'],
      ties: 'first',
      ranking: 'dense',
      max_members: 3,
    },
    latest: { weights: { view: 1 }, windows: ['day', 'last-2-days'], ties: 'last', ranking: 'competition' },
  },
};

/** What scripts may call: every word in capitals that is quoted in lua/. */
async function wordsOfScripts() {
  const paths = (await readdir(new URL('lua/', ROOT), { recursive: true })).filter((path) => path.endsWith('.lua'));
  const texts = await Promise.all(paths.map((path) => readFile(new URL(`lua/${path}`, ROOT), 'utf8')));
  const words = texts.flatMap((text) => [...text.matchAll(/'([A-Z]+)'/g)].map(([, word]) => word));
  return new Set(words.filter((word) => !CODES.includes(word)));
}

describe('the documented user of Redis', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  /** @type {string[]} */
  let user;
  before(async () => {
    user = await documentedUser(PASSWORD);
    deployment = await startDeployment({
      transport: 'redis://',
      hasBucket: true,
      sites: { demo: SITE, noted: { ...SITE, journal: '8d' } },
      vars: ({ redis }) => ({ REDIS_URL: `redis://edgeboard:${PASSWORD}@127.0.0.1:${redis.port}/0`, ADMIN_TOKEN }),
    });
    await deployment.redis.command('ACL', 'SETUSER', ...user);
  });
  after(() => deployment?.stop());

  test('may do all that the worker does', async () => {
    const { beacon, clock, edgeClock, events, fetch, freshTop, redis, worker } = deployment;
    /** @param {string} instant */
    const setClocks = (instant) => {
      clock.set(instant);
      edgeClock.set(instant);
    };
    setClocks('2026-11-20T12:00:00Z');
    await redis.command('ACL', 'LOG', 'RESET');
    /** @param {string} method @param {string} path @param {string} [token] */
    const ask = async (method, path, token) => {
      const headers = token ? { authorization: `Bearer ${token}` } : undefined;
      const { status, text } = await fetch(`/v1/demo/${path}`, { method, headers });
      assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
    };
    const like = { action: 'like', item: '/posts/1', actor: 'ann' };
    const counting = async () => {
      const batch = {
        id: `at-${clock.now()}`,
        events: [
          { action: 'view', item: '/posts/1' },
          { action: 'view', item: '/posts/2', ago: 90_000 },
        ],
      };
      assert.equal((await beacon(batch)).status, 204);
      assert.equal((await beacon(batch)).status, 204);
      assert.equal((await beacon({ action: 'view', item: '/posts/1', id: 'one' })).status, 204);
      const liked = ['ann', 'bob', 'cyd', 'dee'].map((actor) => ({ ...like, actor }));
      for (const sent of [liked, [{ ...like, undo: true }], [like, { ...like, at: '2026-11-19T12:00:00Z', actor: 'bob' }]]) {
        assert.equal((await events({ events: sent })).status, 200);
      }
    };
    const reading = async () => {
      edgeClock.advance(60_000);
      for (const { name } of SITE.boards.articles.windows.map((window) => (typeof window === 'string' ? { name: window } : window))) {
        await ask('GET', `boards/articles/${name}`);
      }
      await ask('GET', 'boards/articles/day?period=2026-11-19');
      await ask('GET', 'boards/articles/last-2-days?period=2026-11-19');
      await ask('GET', 'boards/people/last-2-days');
      await ask('GET', 'boards/latest/day/members/%2Fposts%2F1?around=2');
      await ask('GET', 'boards/articles/day/members/%2Fposts%2F1/explain');
      await ask('GET', 'top?boards=articles/day,people/day');
      const body = JSON.stringify({ ids: ['/posts/1', 'x'] });
      assert.equal((await fetch('/v1/demo/boards/articles/day/ranks', { method: 'POST', body })).status, 200);
      assert.equal((await fetch('/v1/demo/boards/people/day/ranks', { method: 'POST', body })).status, 200);
      await ask('GET', 'actors/ann/activity', WRITE_TOKEN);
    };
    for (const instant of ['2026-11-20T12:00:00Z', '2026-11-21T12:00:00Z', '2026-12-01T00:00:01Z']) {
      setClocks(instant);
      await counting();
      await ask('POST', 'admin/upkeep', ADMIN_TOKEN);
      await ask('GET', 'admin/upkeep', ADMIN_TOKEN);
      await ask('POST', 'admin/restore', ADMIN_TOKEN);
      await reading();
    }
    setClocks('2026-12-02T00:00:30Z');
    await worker.scheduled();
    assert.equal(await redis.command('HLEN', 'edgeboard:libraries'), 1, 'upkeep noted the library');
    for (const list of ['hidden', 'pinned']) {
      const member = `admin/boards/articles/${list}/%2Fposts%2F2`;
      await ask('PUT', member, ADMIN_TOKEN);
      await ask('GET', `admin/boards/articles/${list}`, ADMIN_TOKEN);
      await freshTop('articles/day');
      await ask('DELETE', member, ADMIN_TOKEN);
    }
    await ask('DELETE', 'admin/boards/articles/members/%2Fposts%2F2', ADMIN_TOKEN);
    await ask('DELETE', 'admin/boards/people/members?prefix=a', ADMIN_TOKEN);
    await counting();
    await ask('GET', 'admin/boards/people/removed', ADMIN_TOKEN);
    await ask('PUT', 'admin/boards/people/members?prefix=a', ADMIN_TOKEN);
    await ask('GET', 'admin/audit', ADMIN_TOKEN);
    assert.equal((await events({ events: [like, { ...like, actor: 'bob' }] }, { site: 'noted' })).status, 200);
    assert.equal((await events({ events: [{ ...like, undo: true }] }, { site: 'noted' })).status, 200);
    const revoked = await fetch('/v1/noted/admin/revoke', {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: JSON.stringify({ actor: 'bob' }),
    });
    assert.equal(revoked.status, 200, revoked.text);
    await ask('DELETE', 'actors/ann', WRITE_TOKEN);
    await redis.command('SET', 'eb:{demo:gone}:all:0', 'x');
    await ask('GET', 'admin/unconfigured', ADMIN_TOKEN);
    await ask('DELETE', 'admin/unconfigured?board=gone', ADMIN_TOKEN);
    assert.equal(await redis.command('EXISTS', 'eb:{demo:gone}:all:0'), 0);
    assert.equal((await fetch('/readyz')).status, 200);
    assert.deepEqual(await redis.command('ACL', 'LOG'), [], 'Redis denied nothing');
    assert.deepEqual(
      worker.log.filter(({ level }) => level === 'error'),
      [],
    );
  });

  test('may call every command of the scripts', async () => {
    const { redis } = deployment;
    const commands = [];
    for (const word of await wordsOfScripts()) {
      const [known] = await redis.command('COMMAND', 'INFO', word);
      if (known) commands.push({ word, categories: known[6] });
    }
    assert.ok(commands.length > 20, 'they were found');
    const missing = commands.filter(
      ({ word, categories }) =>
        ![`+${word.toLowerCase()}`, ...categories.map((/** @type {string} */ name) => `+${name}`)].some((right) => user.includes(right)),
    );
    assert.deepEqual(
      missing.map(({ word }) => word),
      [],
    );
  });

  test('may call nothing else by name', async () => {
    const words = await wordsOfScripts();
    // Sources are run where memory is out. The last two: what is no longer configured is found by plain commands.
    const functions = ['fcall', 'fcall_ro', 'function|load', 'function|list', 'function|delete'];
    const ofAdapter = ['select', 'multi', 'exec', ...functions, 'eval', 'evalsha', 'scan', 'memory|usage'];
    const named = user.filter((right) => /^\+[a-z]/.test(right)).map((right) => right.slice(1));
    assert.deepEqual(
      named.filter((name) => !ofAdapter.includes(name) && !words.has(name.toUpperCase())),
      [],
    );
  });
});
