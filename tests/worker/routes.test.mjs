/**
 * Every address × method × token × origin × what looks like another route, against the running worker. Expectations come from
 * `routes/contract.mjs` and `openapi.json`. What stands in a query, an id or a body never changes which route answers.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { localText } from '../../packages/edgeboard/serve/local.mjs';
import { inProject } from '../../scripts/project.mjs';
import { entriesOf, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { sampled, shareOf } from '../support/part.mjs';
import { startWorker } from '../support/worker.mjs';
import { ACTOR_SECRET, ADDRESSES, answerOf, expectedOf, LISTED, METHODS, whoOf } from './routes/contract.mjs';

/** @typedef {import('./routes/contract.mjs').Case} Case */
/** @typedef {import('./routes/contract.mjs').Address} Address */

const ADMIN_TOKEN = 'a-token-for-admins';
const METRICS_TOKEN = 'a-token-for-metrics';
const TOKENS = { write: WRITE_TOKEN, admin: ADMIN_TOKEN, metrics: METRICS_TOKEN };
const FOREIGN = 'https://evil.example';
const ORIGINS = [undefined, LISTED, FOREIGN, 'null'];
/** Ids that look like routes, and one that does not. */
const ITEMS = ['plain', '/boards/7', '/admin/', 'x/boards/y', '/v1/demo/admin/upkeep', '?/admin/', '#/../../beacon.gif'];
/** Fewer are asked where the site does not exist. */
const SITES = { demo: ITEMS, nobody: ['/admin/'] };
const CONCURRENT = 16;
/** Fewer than have an address wait. */
const WRONG_A_MINUTE = 16;
const MIN_CASES = shareOf(12_000);

const SITE = {
  origins: [LISTED],
  journal: '8d',
  actions: { view: { public: true }, like: {}, save: { reversible: true } },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day'], breakdown: true, history: 10 },
    curated: { weights: { view: 1 }, windows: ['day'] },
    visits: { weights: { view: 1 }, windows: ['day'], once: { view: 'day' } },
    rolled: { weights: { view: 1 }, windows: ['last-2-days'] },
    level: { template: true, weights: { view: 1 }, windows: ['day'] },
  },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
let checked = 0;
/** As the worker describes itself. @type {Record<string, Record<string, any>>} */
let paths;
/** The module's, by its content. */
let file = '';

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN, METRICS_TOKEN, ACTOR_SECRET },
    redisArgs: ['--enable-debug-command', 'yes'],
  });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
  ({ paths } = (await deployment.fetch('/openapi.json')).body);
  file = (await deployment.fetch('/v1/demo/boards')).body.module.path.slice('/v/'.length);
  await deployment.events({ events: ITEMS.map((item) => ({ action: 'like', item })) });
  const lines = ITEMS.map((id) => JSON.stringify({ id })).join('\n');
  for (const kind of ['items', 'actors']) {
    const init = { method: 'PUT', body: lines, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
    assert.equal((await deployment.fetch(`/v1/demo/${kind}`, init)).status, 200);
  }
});
after(() => deployment?.stop());

/** The cases of one address, each once. @param {Address} address @returns {Case[]} */
function casesOf(address) {
  const sites = Object.entries(address.path.includes('{site}') ? SITES : { demo: ITEMS });
  const cases = sites.flatMap(([site, items]) =>
    items.flatMap((item) =>
      METHODS.flatMap((method) =>
        /** @type {const} */ (['none', 'wrong', 'right']).flatMap((token) =>
          ORIGINS.flatMap((origin) =>
            [false, true].map((hasUnknownParameter) => ({ address, site, item, method, token, origin, hasUnknownParameter })),
          ),
        ),
      ),
    ),
  );
  return [...new Map(cases.map((asked) => [JSON.stringify(requestOf(asked)), asked])).values()];
}

/** @param {Case} asked @returns {{ url: string, init: RequestInit }} */
function requestOf({ address, site, item, method, token, origin, hasUnknownParameter }) {
  const { path, board = 'articles', query, body, id = (of) => of } = address;
  const who = whoOf(address, method);
  const segments = { site, board, window: 'day', id: encodeURIComponent(id(item, method)), file, kind: 'write' };
  const parameters = [query?.(item), hasUnknownParameter && '/admin/'].filter(Boolean).join('&');
  const right = who === 'write' || who === 'metrics' ? TOKENS[who] : TOKENS.admin;
  const wrong = who === 'write' ? TOKENS.admin : TOKENS.write;
  return {
    url: path.replace(/\{(\w+)\}/g, (_, name) => segments[/** @type {'site'} */ (name)]) + (parameters && `?${parameters}`),
    init: {
      method,
      headers: {
        ...(origin !== undefined && { origin }),
        ...(token !== 'none' && { authorization: `Bearer ${token === 'right' ? right : wrong}` }),
      },
      ...(['POST', 'PUT', 'PATCH'].includes(method) && body && { body: JSON.stringify(body(item, method)) }),
    },
  };
}

/** @param {Case} asked */
async function check(asked) {
  const { url, init } = requestOf(asked);
  const expected = expectedOf(asked);
  const { status, headers, body, text } = await deployment.fetch(url, init);
  const answered = Object.keys(expected.headers).map((name) => [
    name,
    headers.get(name)?.replace(/^public, max-age=\d+.*/, 'public') ?? null,
  ]);
  const request = `${init.method} ${url} ${JSON.stringify(init.headers)}: ${text.slice(0, 300)}`;
  assert.deepEqual({ status, code: body?.code, headers: Object.fromEntries(answered) }, expected, request);
  if (init.method === 'HEAD' || status === 204) assert.equal(text, '', request);
  if (body?.code) assert.equal(body.status, status, request);
  checkDescribed(asked, { status, type: headers.get('content-type'), code: body?.code }, request);
  checked += 1;
}

/**
 * The description knows every answer of a method that it has.
 *
 * @param {Case} asked
 * @param {{ status: number, type: string | null, code?: string }} answer
 * @param {string} request
 */
function checkDescribed({ address, method }, { status, type, code }, request) {
  if (!answerOf(address, method)) return;
  const operation = paths[address.path][method === 'HEAD' ? 'get' : method.toLowerCase()];
  const described = operation.responses[status];
  assert.ok(described, `openapi.json has no ${status} for ${request}`);
  assert.deepEqual(Object.keys(described.content ?? {}), type === null ? [] : [type], request);
  if (code) assert.ok(described.content[/** @type {string} */ (type)].schema.allOf[1].properties.code.enum.includes(code), request);
}

/** @template T @param {T[]} list @param {(one: T) => Promise<void>} work @param {number} [concurrent] */
async function forEach(list, work, concurrent = CONCURRENT) {
  const remaining = list.values();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      for (const one of remaining) await work(one);
    }),
  );
}

test('the contract and the description have the same routes', () => {
  const contract = ADDRESSES.map(({ path, methods }) => `${Object.keys(methods).sort()} ${path}`);
  const described = Object.entries(paths).map(([path, methods]) => `${Object.keys(methods).sort()} ${path}`.toUpperCase());
  assert.deepEqual(described.sort(), contract.map((route) => route.toUpperCase()).sort());
});

for (const address of ADDRESSES) {
  test(`${Object.keys(address.methods)} ${address.path}`, async () => {
    const cases = sampled(casesOf(address));
    const wrong = cases.filter(({ token }) => token === 'wrong');
    await forEach(
      cases.filter((asked) => !wrong.includes(asked)),
      check,
      address.alone ? 1 : CONCURRENT,
    );
    for (let at = 0; at < wrong.length; at += WRONG_A_MINUTE) {
      deployment.edgeClock.advance(60_000);
      await forEach(wrong.slice(at, at + WRONG_A_MINUTE), check);
    }
  });
}

test(`these were at least ${MIN_CASES} cases`, (t) => {
  t.diagnostic(`${checked} cases`);
  assert.ok(checked >= MIN_CASES, `${checked}`);
});

test('where nothing is, every method and page may read so', async () => {
  const addresses = [
    '/nothing',
    '/v1/demo',
    '/v1/demo/admin',
    '/v1/demo/beacon/admin/',
    '/v1/demo/boards/7',
    '/admin/',
    '/v1/demo%2Fbeacon',
  ];
  const cases = addresses.flatMap((url) => METHODS.flatMap((method) => ORIGINS.map((origin) => ({ url, method, origin }))));
  await forEach(cases, async ({ url, method, origin }) => {
    const { status, headers, body } = await deployment.fetch(url, { method, headers: origin ? { origin } : {} });
    assert.deepEqual([status, body?.code], [404, method === 'HEAD' ? undefined : 'not-found'], `${method} ${url}`);
    assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('cache-control')], ['*', 'no-store']);
    assert.equal(headers.get('allow'), null);
  });
});

test('no query, id or body gets a foreign page past the check of its origin, and none is counted', async () => {
  const queries = [
    '',
    '/admin/',
    'x=/boards/7',
    'origin=null',
    `origin=${LISTED}`,
    'action=view&item=/boards/7',
    'action=view&item=/admin/&/admin/',
  ];
  /** @type {Record<string, string>[]} */
  const pages = [
    { origin: FOREIGN },
    { origin: 'null' },
    { origin: `${LISTED}.evil.example` },
    { origin: `${FOREIGN}/boards/7`, referer: `${LISTED}/` },
    { referer: `${FOREIGN}/boards/7` },
    { referer: `${FOREIGN}/?${LISTED}/admin/` },
    { referer: `${LISTED}@evil.example/` },
    { 'sec-fetch-site': 'cross-site' },
  ];
  const requests = queries.flatMap((query) =>
    ITEMS.flatMap((item) => [
      { url: `/v1/demo/beacon.gif?${query || `action=view&item=${encodeURIComponent(item)}`}`, init: {} },
      { url: `/v1/demo/beacon?${query}`, init: { method: 'POST', body: JSON.stringify({ action: 'view', item }) } },
      { url: `/v1/demo/beacon?${query}`, init: { method: 'OPTIONS' } },
    ]),
  );
  const before = await contents();
  let refused = 0;
  await forEach(
    pages.flatMap((headers) => requests.map(({ url, init }) => ({ url, init: { ...init, headers } }))),
    async ({ url, init }) => {
      const { status, body, headers } = await deployment.fetch(url, init);
      assert.deepEqual([status, body?.code], [403, 'origin-not-allowed'], `${url} ${JSON.stringify(init)}`);
      assert.equal(headers.get('access-control-allow-origin'), null);
      refused += 1;
    },
  );
  assert.equal(refused, pages.length * requests.length);
  assert.deepEqual(await changedSince(before), []);
  await deployment.beacon({ action: 'view', item: '/boards/7' }, { headers: { origin: LISTED } });
  assert.notDeepEqual(await changedSince(before), [], 'what is counted shows');
});

test('the page loads only what is its own, and nobody frames it; no other answer is a page', async () => {
  const { headers, text } = await deployment.fetch('/admin');
  const digest = (/** @type {RegExp} */ element) =>
    `'sha256-${createHash('sha256')
      .update(element.exec(text)?.[1] ?? '')
      .digest('base64')}'`;
  const script = digest(/<script type="module">(.*?)<\/script>/s);
  const style = digest(/<style>(.*?)<\/style>/s);
  assert.deepEqual(headers.get('content-security-policy')?.split('; '), [
    "default-src 'none'",
    `script-src 'self' ${script}`,
    `style-src ${style}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

test('the root says what this is, and nothing of a demo is there, whatever a deployment is given', async (t) => {
  const expected = 'This is edgeboard: it counts events and answers rankings.\n';
  assert.equal((await deployment.fetch('/')).text, expected);
  const given = { variables: { DEMO: { actions: { view: {} }, boards: {} } }, page: { html: '<h1>', headers: {} } };
  const vars = { REDIS_URL: deployment.redis.url, SITES: { shop: SITE }, EDGEBOARD_LOCAL: localText(given), DEMO: given.variables.DEMO };
  const worker = await startWorker({ vars });
  t.after(worker.stop);
  assert.equal(await (await worker.fetch('/')).text(), expected);
  assert.equal((await worker.fetch('/v1/demo/boards')).status, 404);
  for (const name of readdirSync(inProject('build')).filter((name) => /\.(wasm|js)$/.test(name))) {
    assert.ok(!readFileSync(inProject('build', name)).includes('Simulate readers'), name);
  }
});

test('HEAD on the pixel is checked like GET, and counts nothing', async () => {
  const before = await contents();
  const ask = (/** @type {string} */ method, /** @type {string} */ query) => deployment.fetch(`/v1/demo/beacon.gif?${query}`, { method });
  for (const [query, status] of /** @type {[string, number][]} */ ([
    ['action=view&item=/posts/1', 200],
    ['action=view&item=/posts/1&id=known', 200],
    ['action=veiw&item=/posts/1', 400],
    ['action=like&item=/posts/1', 403],
    ['action=view', 400],
  ])) {
    const answer = await ask('HEAD', query);
    assert.deepEqual([answer.status, answer.text], [status, ''], query);
  }
  assert.deepEqual(await changedSince(before), []);
  await ask('GET', 'action=view&item=/posts/1&id=known');
  assert.notDeepEqual(await changedSince(before), [], 'its id was not taken');
});

test('a parameter that a beacon does not take is refused, and the beacon is not counted', async () => {
  const before = await contents();
  for (const query of ['/admin/', '/boards/7', '/admin/=', 'item=x&/admin/', '%2Fadmin%2F']) {
    for (const headers of /** @type {Record<string, string>[]} */ ([{}, { origin: LISTED }])) {
      const body = JSON.stringify({ action: 'view', item: '/posts/1' });
      const answer = await deployment.fetch(`/v1/demo/beacon?${query}`, { method: 'POST', headers, body });
      assert.deepEqual([answer.status, answer.body.code], [400, 'unknown-parameter'], query);
    }
  }
  assert.deepEqual(await changedSince(before), []);
});

test('a visitor is told apart by its address, whatever the id looks like', async () => {
  const visitors = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '2001:db8::7', '192.0.2.2'];
  const items = ITEMS.filter((item) => item !== 'plain').map((item) => `${item}/once`);
  for (const item of items) {
    for (const [index, address] of visitors.entries()) {
      const headers = { 'cf-connecting-ip': address, 'user-agent': 'Mozilla/5.0' };
      const isPixel = index < 3;
      const url = isPixel ? `/v1/demo/beacon.gif?action=view&item=${encodeURIComponent(item)}` : '/v1/demo/beacon';
      const body = JSON.stringify({ action: 'view', item });
      const answer = await deployment.fetch(url, { headers, ...(!isPixel && { method: 'POST', body }) });
      assert.equal(answer.status, isPixel ? 200 : 204, answer.text);
    }
  }
  const scores = new Map(entriesOf(await deployment.freshTop('visits/day', '?limit=100')));
  assert.deepEqual(
    items.map((item) => scores.get(item)),
    items.map(() => new Set(visitors).size),
  );
});

/**
 * Everything in Redis.
 *
 * @returns {Promise<Map<string, { digest: string, expires: boolean }>>} by key; a key expires that ends within a minute
 */
async function contents() {
  const { redis } = deployment;
  const keys = await redis.command('KEYS', '*');
  const [digests, lives] = await Promise.all([
    redis.command('DEBUG', 'DIGEST-VALUE', ...keys),
    Promise.all(keys.map((/** @type {string} */ key) => redis.command('PTTL', key))),
  ]);
  return new Map(
    keys.map((/** @type {string} */ key, /** @type {number} */ index) => [
      key,
      { digest: digests[index], expires: lives[index] >= 0 && lives[index] < 60_000 },
    ]),
  );
}

/**
 * The keys that were made, changed or removed since. A key that expired meanwhile is none of them.
 *
 * @param {Awaited<ReturnType<typeof contents>>} before
 */
async function changedSince(before) {
  const now = await contents();
  const isChanged = (/** @type {string} */ key) => now.get(key)?.digest !== before.get(key)?.digest;
  const isExpired = (/** @type {string} */ key) => !now.has(key) && before.get(key)?.expires;
  return [...new Set([...before.keys(), ...now.keys()])].filter((key) => isChanged(key) && !isExpired(key));
}
