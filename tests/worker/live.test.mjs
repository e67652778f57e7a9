/** Rankings as they change, over sockets and event streams: what viewers are told, and what it costs Redis. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { rows, viewers } from '../support/viewers.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day', 'all'] } },
};
const ADMIN_TOKEN = 'a-token-for-admins';
const LIVE = '/v1/demo/boards/articles/day/live';
const VIEWERS = 200;

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
const viewing = viewers(() => deployment.worker);

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
});
after(() => deployment?.stop());
beforeEach(async (t) => {
  await deployment.redis.command('FLUSHALL');
  /** @type {import('node:test').TestContext} */ (t).after(viewing.leave);
});

/** @param {string} item */
const click = async (item) => assert.equal((await deployment.beacon({ action: 'view', item })).status, 204);

/** @param {string} [path] */
const watch = (path = LIVE) => viewing.watch(path);
/** @param {Record<string, string>} [headers] */
const stream = (headers) => viewing.stream(LIVE, headers);

test('a socket is told the ranking at once, and each change of it', async () => {
  await click('a');
  const received = await watch();
  await until('the first', () => received.length === 1);
  const { text } = await deployment.top('articles/day');
  assert.deepEqual(received[0].entries, JSON.parse(text).entries);
  await click('b');
  await click('b');
  await until('the change', () => rows(received.at(-1)) === 'b 2,a 1');
  assert.equal(new Set(received.map(({ version }) => version)).size, received.length, 'no version twice');
});

test('an event stream tells the same, and nothing to who has the version that is shown', async () => {
  await click('a');
  const first = await stream();
  const { headers, status } = first.response;
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('cache-control'), headers.get('access-control-allow-origin')],
    [200, 'text/event-stream', 'no-store', '*'],
  );
  await until('an event', () => /^id: (\w+)\ndata: (.+)\n\n/m.test(first.text));
  const [, id, data] = /^id: (\w+)\ndata: (.+)\n\n/m.exec(first.text) ?? [];
  assert.equal(JSON.parse(data).version, id);

  const back = await stream({ 'last-event-id': id });
  await until('a sign of life', () => back.text.includes(':'));
  assert.doesNotMatch(back.text, /entries/);
  await click('a');
  await until('the change', () => [first, back].every(({ text }) => /"score":2/.test(text)));
});

test(`${VIEWERS} viewers cost Redis what one does: at most three commands a second`, async (t) => {
  await click('a');
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => watch()));
  await until('the first', () => viewers.every(({ length }) => length === 1));
  const start = performance.now();
  const quiet = await deployment.commandsDuring(async () => {
    // A viewer of another ranking is looked for as often, so it tells that time passes.
    const other = await watch('/v1/demo/boards/articles/all/live');
    for (let clicks = 1; clicks <= 3; clicks++) {
      await deployment.events({ events: [{ action: 'view', item: 'x', at: deployment.clock.now() - 1000 }] });
      await until('the other change', () => rows(other.at(-1)).includes(`x ${clicks}`));
    }
  });
  const seconds = (performance.now() - start) / 1000;
  await until('the change', () => viewers.every((received) => rows(received.at(-1)).includes('x 3')));
  t.diagnostic(`${seconds.toFixed(1)} s: ${JSON.stringify(quiet)}`);
  // Two rankings are watched, and each look of either is one call of a script.
  assert.ok(quiet.calls <= 2 * (seconds + 2) + 3 * 2, `${seconds} s: ${JSON.stringify(quiet)}`);
});

test('viewers keep what they have while Redis is out, and are current within five seconds when it is back', async () => {
  await click('a');
  const sockets = await Promise.all(Array.from({ length: 20 }, () => watch()));
  const streamed = await stream();
  await until('the first', () => sockets.every(({ length }) => length === 1) && streamed.text.includes('data'));
  await deployment.redis.kill();
  // Reads are answered of what was kept, so that the object has looked in vain when this was renewed in vain.
  await until('an outage', async () => (await deployment.beacon({ action: 'view', item: 'a' })).status === 503);
  assert.ok(sockets.every(({ length }) => length === 1));
  await deployment.redis.restart(); // empty
  await click('c');
  await until('the change', () => sockets.every((received) => rows(received.at(-1)) === 'c 1') && streamed.text.includes('"id":"c"'), {
    timeoutMs: 5000,
  });
});

test('details are part of the address, and of what is told', async () => {
  // Nobody has seen it before: what an isolate knows of a member, it knows for a minute.
  const item = 'described';
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const described = await deployment.fetch(`/v1/demo/items/${item}`, { method: 'PUT', headers: admin, body: '{"title":"The title"}' });
  assert.ok(described.status < 300, described.text);
  await click(item);
  const received = await watch(`${LIVE}?details=1`);
  // The same address as without the parameter, so the ranking of before may be shown for a moment.
  await until('the first', () => rows(received.at(-1)) === `${item} 1`);
  assert.equal(received.at(-1).entries[0].details.title, 'The title');
  await click(item);
  await until('the change', () => rows(received.at(-1)) === `${item} 2`);
});

test('who asks for neither is told what there is; wrong addresses are refused before', async () => {
  const upgrade = { headers: { accept: 'text/event-stream' } };
  for (const [path, init, status, code] of /** @type {[string, RequestInit, number, string][]} */ ([
    [LIVE, {}, 426, 'upgrade-required'],
    [`${LIVE}?limit=0`, upgrade, 400, 'invalid-parameter'],
    [`${LIVE}?details=2`, upgrade, 400, 'invalid-parameter'],
    [`${LIVE}?period=2026-11-20`, upgrade, 400, 'unknown-parameter'],
    ['/v1/demo/boards/articles/week/live', upgrade, 404, 'unknown-window'],
    ['/v1/nobody/boards/articles/day/live', upgrade, 404, 'unknown-site'],
    [LIVE, { method: 'POST' }, 405, 'method-not-allowed'],
  ])) {
    const answer = await deployment.fetch(path, init);
    assert.deepEqual([answer.status, answer.body?.code], [status, code], path);
  }
});
