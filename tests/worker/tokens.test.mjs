/**
 * Who may do what by which token: those for all sites, those for one, two at a time; and how long anybody may try.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { startRedis } from '../support/redis.mjs';
import { startWorker } from '../support/worker.mjs';

const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
const SITES = { demo: SITE, 'my-shop': SITE };
const MAX_WRONG = 20;
const LONG = 'sixteen-letters.';
const METRICS = 'a-token-for-metrics';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { ...SITES, guarded: SITE, watched: SITE },
    vars: {
      WRITE_TOKEN: 'old, new',
      WRITE_TOKEN_MY_SHOP: 'shop',
      ADMIN_TOKEN_MY_SHOP: 'owner,owner-2',
      ADMIN_TOKEN_GUARDED: LONG,
      ADMIN_TOKEN_WATCHED: LONG,
      METRICS_TOKEN_WATCHED: METRICS,
      METRICS_TOKEN_MY_SHOP: 'watcher',
    },
  });
});
after(() => deployment?.stop());
// Every test begins a minute later.
beforeEach(() => deployment.edgeClock.advance(60_000));

/** @param {string} site @param {string} token @param {string} [address] */
const write = (site, token, address = '192.0.2.1') =>
  deployment.events({ events: [1] }, { site, headers: { authorization: `Bearer ${token}`, 'cf-connecting-ip': address } });

/** @param {string} site @param {string} token @param {string} [address] */
const administer = (site, token, address = '192.0.2.1') => {
  const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': address };
  return deployment.fetch(`/v1/${site}/admin/boards/articles/hidden`, { headers });
};

for (const [site, token, mayWrite, mayAdminister] of /** @type {[string, string, boolean, boolean][]} */ ([
  ['demo', 'old', true, false],
  ['demo', 'new', true, false],
  ['demo', 'old, new', false, false],
  ['demo', 'shop', false, false],
  ['demo', 'owner', false, false],
  ['my-shop', 'old', true, false],
  ['my-shop', 'new', true, false],
  ['my-shop', 'shop', true, false],
  ['my-shop', 'owner', false, true],
  ['my-shop', 'owner-2', false, true],
])) {
  test(`${token} of ${site}: ${mayWrite ? 'writes' : 'does not write'}, ${mayAdminister ? 'administers' : 'does not'}`, async () => {
    assert.equal((await write(site, token)).status, mayWrite ? 200 : 401);
    assert.equal((await administer(site, token)).status, mayAdminister ? 200 : 401);
  });
}

test('a site that no token is for says so', async () => {
  const { body } = await administer('demo', 'owner');
  assert.match(body.detail, /no ADMIN_TOKEN for the site demo/);
});

test('an address that shows too many wrong tokens has to wait, whatever it shows of short ones; others need not', async () => {
  const { log } = deployment.worker;
  const begins = log.length;
  for (let tries = 0; tries < MAX_WRONG; tries += 1) assert.equal((await write('demo', `guess-${tries}`)).status, 401);
  for (const token of ['guess', 'new']) {
    const { status, headers, body } = await write('demo', token);
    assert.deepEqual([status, body.code], [429, 'too-many-attempts']);
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 60, `${wait}`);
  }
  assert.equal((await write('demo', 'new', '192.0.2.2')).status, 200);
  const lines = log.slice(begins).filter(({ message }) => message.includes('unauthorized'));
  assert.equal(lines.length, 1, 'a minute has one line in the log');
  assert.ok(!lines[0].message.includes('guess'), 'no token is logged');

  deployment.edgeClock.advance(60_000);
  assert.equal((await write('demo', 'new')).status, 200);
});

test('a right token of sixteen characters passes though its address has to wait', async () => {
  for (let tries = 0; tries < MAX_WRONG; tries += 1) assert.equal((await administer('guarded', `guess-${tries}`)).status, 401);
  assert.deepEqual([(await administer('guarded', 'guess')).status, (await administer('guarded', LONG)).status], [429, 200]);
});

test('METRICS_TOKEN reads metrics of its site and does nothing else; ADMIN_TOKEN reads them as well', async () => {
  const { paths } = (await deployment.fetch('/openapi.json')).body;
  /** Each operation that takes a token, by the names of those that it takes. */
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security }]) => {
      const takes = security.flatMap((/** @type {Record<string, unknown>} */ one) => Object.keys(one)).join();
      return takes ? [{ path: path.replace(/\{(\w+)\}/g, (_, name) => (name === 'site' ? 'watched' : 'day')), method, takes }] : [];
    }),
  );
  const reads = operations.filter(({ takes }) => takes === 'metrics,admin').map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(reads, ['get /v1/watched/admin/metrics', 'get /v1/watched/admin/metrics/history']);
  const show = async (/** @type {string} */ token, /** @type {{ method: string, path: string }} */ { method, path }) => {
    const { status } = await deployment.fetch(path, { method: method.toUpperCase(), headers: { authorization: `Bearer ${token}` } });
    return status;
  };
  for (const operation of operations) {
    const of = `${operation.method} ${operation.path}`;
    // There is no dataset.
    const expected = operation.path.endsWith('/history') ? 404 : 200;
    assert.equal(await show(METRICS, operation), reads.includes(of) ? expected : 401, of);
    if (reads.includes(of)) assert.deepEqual([await show(LONG, operation), await show('old', operation)], [expected, 401], of);
  }
  const elsewhere = await deployment.fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${METRICS}` } });
  assert.deepEqual(
    [elsewhere.status, elsewhere.body.detail],
    [401, 'this deployment has no METRICS_TOKEN or ADMIN_TOKEN for the site demo, so nobody may do this'],
  );
  const boards = await deployment.fetch('/v1/watched/boards', { headers: { authorization: `Bearer ${METRICS}` } });
  assert.deepEqual([boards.status, boards.body.fullness], [200, undefined]);
});

test('wrong tokens for metrics have their address wait, as any do', async () => {
  const headers = (/** @type {string} */ token) => ({ headers: { authorization: `Bearer ${token}` } });
  const read = (/** @type {string} */ token) => deployment.fetch('/v1/watched/admin/metrics', headers(token));
  for (let tries = 0; tries < MAX_WRONG; tries += 1) {
    const { status, body } = await read(`guess-${tries}`);
    assert.deepEqual([status, body.detail], [401, 'the token is not the METRICS_TOKEN or ADMIN_TOKEN']);
  }
  assert.deepEqual([(await read('guess')).status, (await read(METRICS)).status, (await read(LONG)).status], [429, 200, 200]);
});

test('an address that was sought, so that it shares all counts of a sender, locks it out no more', async () => {
  // In a sketch without a secret. Ten million tries found it, in two seconds.
  const beside = '10.151.241.33';
  for (let tries = 0; tries < MAX_WRONG; tries += 1) assert.equal((await write('demo', `guess-${tries}`, beside)).status, 401);
  assert.equal((await write('demo', 'new', beside)).status, 429);
  assert.equal((await write('demo', 'new', '192.0.2.1')).status, 200);
});

test('an IPv6 network of 64 bits counts as one address', async () => {
  for (let tries = 0; tries < MAX_WRONG; tries += 1) await write('demo', 'guess', `2001:db8::${tries + 1}`);
  assert.equal((await write('demo', 'new', '2001:db8::ffff')).status, 429);
  assert.equal((await write('demo', 'new', '2001:db8:0:1::1')).status, 200);
});

test('the log names each variable with a short token once', () => {
  const lines = deployment.worker.log.filter(({ message }) => message.includes('"short-token"'));
  assert.deepEqual(lines.map(({ level, message }) => `${level} ${JSON.parse(message).detail.split(' ')[0]}`).sort(), [
    'warn ADMIN_TOKEN_MY_SHOP',
    'warn METRICS_TOKEN_MY_SHOP',
    'warn WRITE_TOKEN',
    'warn WRITE_TOKEN_MY_SHOP',
  ]);
});

test('tokens and secrets of a site that does not exist, three at a time, or short are configuration errors', async (t) => {
  const redis = await startRedis();
  t.after(redis.stop);
  for (const [name, value, line] of [
    ['WRITE_TOKEN_SHOP', 'x', 'WRITE_TOKEN_SHOP names no site; allowed: WRITE_TOKEN_DEMO, WRITE_TOKEN_MY_SHOP'],
    [
      'ADMIN_TOKEN',
      'secret-1,secret-2,secret-3',
      'ADMIN_TOKEN = (not shown) is not allowed; allowed: a token, or two with a comma between them while one replaces the other',
    ],
    ['ACTOR_SECRET_SHOP', 'a-secret-of-a-shop', 'ACTOR_SECRET_SHOP names no site; allowed: ACTOR_SECRET_DEMO, ACTOR_SECRET_MY_SHOP'],
    ...['fifteen-letters', 'a-secret-of-a-site,', 'a-secret-of-a-site,short', `${'a-secret-of-a-site,'.repeat(2)}a-secret-of-a-site`].map(
      (secrets) => [
        'ACTOR_SECRET',
        secrets,
        'ACTOR_SECRET = (not shown) is not allowed; allowed: a secret of at least 16 characters, or two with a comma between them while one replaces the other',
      ],
    ),
    ['VISITOR_SECRET', 'fifteen-letters', 'VISITOR_SECRET = (not shown) is not allowed; allowed: text of at least 16 characters'],
  ]) {
    const worker = await startWorker({ vars: { REDIS_URL: redis.url, SITES, [name]: value } });
    try {
      const response = await worker.fetch('/healthz');
      assert.deepEqual([response.status, (await response.json()).detail], [500, line]);
    } finally {
      await worker.stop();
    }
  }
});
