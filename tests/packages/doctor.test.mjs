/** `edgeboard doctor` against the built worker: what it finds right, and each thing that it finds wrong. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { version } from '../../packages/edgeboard/about.mjs';
import { examine } from '../../packages/edgeboard/commands/doctor.mjs';
import { RESP, startDeployment } from '../support/deployment.mjs';
import { freePort } from '../support/port.mjs';
import { until } from '../support/until.mjs';

const TOKEN = 'a-token-of-administrators';
const ORIGIN = 'https://example.com';
const SITES = {
  blog: {
    origins: [ORIGIN],
    actions: { view: { public: true } },
    boards: { pages: { weights: { view: 1 }, windows: ['day', 'last-7-days'] } },
  },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: RESP[0], sites: SITES, vars: { ADMIN_TOKEN: TOKEN } });
});
after(() => deployment.stop());

/** @param {Partial<Parameters<typeof examine>[0]>} [asked] @returns {Promise<Record<string, { verdict: string, line: string }>>} by what they are about */
async function findings(asked) {
  /** @type {Record<string, { verdict: string, line: string }>} */
  const found = {};
  for await (const { about, ...finding } of examine({ url: deployment.worker.url, sites: SITES, token: TOKEN, version, ...asked })) {
    found[about] = finding;
  }
  return found;
}

test('nothing is wrong once upkeep has run', async () => {
  const early = await findings();
  assert.deepEqual(early.cron, { verdict: 'wrong', line: 'it has not run yet: deploy anew where that stays so for some minutes' });
  await deployment.worker.scheduled();
  const found = await findings();
  assert.deepEqual(
    Object.entries(found).filter(([, { verdict }]) => verdict !== 'right'),
    [],
  );
  assert.deepEqual(Object.keys(found).sort(), [
    'Redis',
    'bindings',
    'clock',
    'cron',
    'eviction',
    'functions',
    'origin',
    'site',
    'tokens',
    'version',
  ]);
});

test('what is wrong is said, with what to do', async () => {
  const other = { ...SITES, shop: {} };
  const origins = { blog: { ...SITES.blog, origins: ['https://www.example.com'] } };
  for (const [about, asked, line] of /** @type {[string, Parameters<typeof findings>[0], RegExp][]} */ ([
    ['version', { version: '9.9.9' }, /^0\.1\.0 is deployed, and this is 9\.9\.9: npx edgeboard deploy/],
    ['site', { sites: other }, /^shop is answered 404: /],
    ['origin', { sites: origins }, /^pages of https:\/\/www\.example\.com may not count for blog \(\d+\): deploy/],
    ['tokens', { token: 'another-token-of-administrators' }, /^ADMIN_TOKEN is answered 401: /],
    ['address', { url: `http://127.0.0.1:${await freePort()}` }, /does not answer: connect ECONNREFUSED/],
  ])) {
    const found = (await findings(asked))[about];
    assert.equal(found?.verdict, 'wrong', `${about}: ${JSON.stringify(found)}`);
    assert.match(found.line, line);
  }
  assert.equal((await findings({ token: undefined })).tokens.verdict, 'unknown');
});

test('a short token of the deployment is named, and never shown', async () => {
  await deployment.restartWorker({ METRICS_TOKEN_BLOG: 'guess-me' });
  const wrong = [];
  for await (const { about, verdict, line } of examine({ url: deployment.worker.url, sites: SITES, token: TOKEN, version }))
    if (verdict === 'wrong') wrong.push(`${about}: ${line}`);
  const remedy = 'npx edgeboard secrets METRICS_TOKEN_BLOG';
  assert.deepEqual(wrong, [`tokens: METRICS_TOKEN_BLOG has fewer than 16 characters, so it can be found by trying: ${remedy}`]);
  const { body, text } = await deployment.fetch('/v1/blog/admin/upkeep', { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.deepEqual(body.short_tokens, ['METRICS_TOKEN_BLOG']);
  assert.doesNotMatch(text, /guess-me/);
  await deployment.restartWorker({ METRICS_TOKEN_BLOG: '' });
});

test('a Redis whose user may not call functions counts at a cost', async () => {
  await deployment.redis.command('ACL', 'SETUSER', 'default', '-fcall');
  await deployment.restartWorker();
  const { Redis, functions } = await findings();
  assert.equal(Redis.verdict, 'right');
  assert.equal(functions.verdict, 'costly');
  assert.match(functions.line, /^Redis has no functions, or its user may not use them, so each call costs it/);
  await deployment.redis.command('ACL', 'SETUSER', 'default', '+fcall');
  await deployment.restartWorker();
});

test('a Redis that evicts, one with another clock, and none', async () => {
  await deployment.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await deployment.restartWorker(); // it asks for the policy now and then
  assert.match((await findings()).eviction.line, /^maxmemory-policy is allkeys-lru; set noeviction/);
  await deployment.redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  await deployment.restartWorker();

  deployment.clock.advance(10 * 60_000);
  const { clock } = await findings();
  assert.match(clock.line, /^Redis's is ahead by (599|60\d) s: set that of its machine by NTP$/);
  assert.equal(clock.verdict, 'wrong');
  deployment.clock.advance(2 * 60 * 60_000);
  assert.match((await findings()).clock.line, /^Redis's/);

  await deployment.redis.kill();
  // An answer of just before may be kept.
  await until('it is noticed', async () => (await findings({ token: undefined })).Redis.verdict === 'wrong');
});
