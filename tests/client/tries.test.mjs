/** Requests that fail are sent again, with the ids that they had: a lost reply counts nothing twice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { ApiError, createClient } from '../../packages/client/src/index.js';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';

const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'] } } };
const MANY = 250;

/** @typedef {{ status?: number, headers?: Record<string, string>, body?: string, losesReply?: boolean, hangs?: boolean }} Fault */

/**
 * Stands before the worker. Each request meets the next fault, or none.
 *
 * @param {string} url the worker's
 * @param {import('node:test').TestContext} t
 */
async function startProxy(url, t) {
  /** @type {Fault[]} */
  const faults = [];
  /** @type {{ at: number, body: any }[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push({ at: performance.now(), body: body && JSON.parse(body) });
    const fault = faults.shift() ?? {};
    if (fault.hangs) return;
    if (fault.status) return void response.writeHead(fault.status, fault.headers).end(fault.body);
    const headers = { authorization: String(request.headers.authorization) };
    const answer = await fetch(`${url}${request.url}`, { method: request.method, headers, body: body || undefined });
    const text = await answer.text();
    if (fault.losesReply) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, faults, requests };
}

describe('tries', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } });
  });
  after(() => deployment?.stop());

  /** @param {import('node:test').TestContext} t @param {object} [more] */
  async function clientBehindProxy(t, more) {
    const proxy = await startProxy(deployment.worker.url, t);
    return { ...proxy, client: createClient({ url: proxy.url, site: 'demo', token: WRITE_TOKEN, ...more }) };
  }
  /** @param {string} item */
  const scoreOf = async (item) => {
    const { body } = await deployment.fetch('/v1/demo/boards/articles/all/ranks', {
      method: 'POST',
      body: JSON.stringify({ ids: [item] }),
    });
    return body.ranks[0].score;
  };

  test('a lost reply counts nothing twice', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t);
    faults.push({ losesReply: true }, {}, { losesReply: true }, { losesReply: true });
    const sent = await client.send(Array.from({ length: MANY }, () => ({ action: 'view', item: '/lost' })));
    assert.deepEqual([sent.accepted, sent.duplicate], [50, 200]);
    assert.equal(await scoreOf('/lost'), MANY);
    assert.equal(requests.length, 6);
    assert.deepEqual(requests[0].body.id, requests[1].body.id);
    assert.ok(requests[1].body.events[0].ago > 0, 'it happened before it was sent again');
  });

  test('neither does one of tracked events, that are sent again later', async (t) => {
    const { client, faults } = await clientBehindProxy(t, { tries: 1 });
    faults.push({ losesReply: true });
    client.track({ action: 'view', item: '/tracked' });
    await assert.rejects(client.flush(), { code: 'no-answer' });
    client.track({ action: 'view', item: '/tracked' });
    await client.flush();
    assert.equal(await scoreOf('/tracked'), 2);
  });

  test('they are sent again by themselves', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t, { tries: 1 });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    faults.push({ losesReply: true });
    client.track({ action: 'view', item: '/later' });
    for (const deadline = performance.now() + 10_000; requests.length < 2; await setImmediate()) {
      assert.ok(performance.now() < deadline, 'it is sent again');
      t.mock.timers.tick(1000);
    }
    t.mock.timers.reset();
    await client.flush();
    assert.equal(await scoreOf('/later'), 1);
    assert.equal(requests[0].body.id, requests[1].body.id);
  });

  test('an error names the batch, with which it can be sent again', async (t) => {
    const { client, faults } = await clientBehindProxy(t, { tries: 2 });
    const events = Array.from({ length: MANY }, () => ({ action: 'view', item: '/again' }));
    faults.push({}, { losesReply: true }, { losesReply: true });
    const error = await client.send(events).catch((error) => error);
    assert.ok(error instanceof ApiError && error.batch, String(error));
    await client.send(events, { id: error.batch });
    assert.equal(await scoreOf('/again'), MANY);
  });

  test('Retry-After is waited for', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t);
    const problem = JSON.stringify({ title: '', status: 503, code: 'redis-unavailable', detail: 'Redis does not answer' });
    faults.push({ status: 503, headers: { 'retry-after': '1' }, body: problem });
    assert.equal((await client.boards()).site, 'demo');
    assert.ok(requests[1].at - requests[0].at >= 990, String(requests[1].at - requests[0].at));

    faults.push({ status: 429, headers: { 'retry-after': '3600' }, body: problem });
    const error = await client.boards().catch((error) => error);
    assert.deepEqual([error.status, error.retryAfterMs, requests.length], [429, 3_600_000, 3], 'an hour is not');
  });

  test('tries wait longer and longer, and have an end', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t, { tries: 4 });
    faults.push({ status: 502 }, { status: 503 }, { status: 504 }, { status: 520 });
    await assert.rejects(client.ranking('articles', 'all'), { status: 520, code: 'unknown' });
    const waits = requests.slice(1).map(({ at }, i) => at - requests[i].at);
    assert.equal(waits.length, 3);
    for (const [i, wait] of waits.entries()) assert.ok(wait >= 120 * 2 ** i, `wait ${i}: ${wait} ms`);
  });

  test('what cannot succeed is not sent again, nor what would be done twice', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t);
    for (const status of [400, 401, 404, 409, 500]) {
      faults.push({ status });
      await assert.rejects(client.boards(), { status });
    }
    faults.push({ status: 503 });
    await assert.rejects(client.request('POST /v1/{site}/items', { body: { title: 'A' } }), { status: 503 });
    assert.equal(requests.length, 6);
  });

  test('a try that hangs is given up, and a signal ends the wait', async (t) => {
    const { client, faults, requests } = await clientBehindProxy(t, { timeoutMs: 300 });
    faults.push({ hangs: true });
    assert.equal((await client.boards()).site, 'demo');
    assert.equal(requests.length, 2);

    faults.push({ status: 503, headers: { 'retry-after': '30' } });
    const controller = new AbortController();
    const asked = client.boards({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('left')), 50);
    await assert.rejects(asked, /left/);
  });
});
