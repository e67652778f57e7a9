/**
 * Answers from memory are kept as the runtime takes them, by the address as it came. Nobody sees a difference: what is kept is what the
 * worker would answer, until it would answer something else.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { find, keep, lastCountedAt } from '../../src/edge/responses.js';
import { entriesOf, startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';

const windows = ['day', 'all', 'last-7-days'];
const board = { weights: { view: 1 }, windows, breakdown: true };
const SITE = { origins: ['https://demo.example'], actions: { view: {} }, boards: { articles: board, slow: { ...board, fresh: '20s' } } };
const ADDRESSES = [
  '/v1/demo/boards/articles/day',
  '/v1/demo/boards/articles/day?limit=1',
  '/v1/demo/boards/articles/day?period=2026-11-20',
  '/v1/demo/boards/slow/all?offset=1',
  '/v1/demo/boards/slow/last-7-days',
  '/v1/demo/top?boards=articles/day,slow/day',
  '/v1/demo/boards/articles/day/members/%2Fposts%2F1?around=1',
  '/v1/demo/boards/slow/day/members/a/explain',
  '/v1/demo/boards/slow/day.csv',
];
/** How far the worker's clock moves between reads: within a second, over the next, and past what is fresh. */
const STEPS_MS = [0, 300, 300, 400, 400, 500, 200, 6_000, 2_000, 10_000, 11_000];

describe('what is kept', () => {
  const url = 'https://edge.example/v1/demo/boards/articles/day';
  const init = { status: 200, headers: { etag: 'W/"1"', 'cache-control': 'public' } };
  const now = Date.now();
  /** @param {number} from @param {number} until @param {RequestInit} [kind] */
  function kept(from, until, kind) {
    const responses = new Map();
    const address = keep(responses, new Request(url, kind), new Uint8Array(Buffer.from('{}')), init, from, until, 7);
    return { responses, address };
  }

  test('is answered again and again', async () => {
    const { responses, address } = kept(now - 1_000, now + 60_000);
    assert.equal(address, url);
    for (let read = 0; read < 3; read += 1) {
      const found = find(responses, new Request(url));
      assert.ok(found);
      assert.deepEqual([found.status, await found.text(), Object.fromEntries(found.headers)], [200, '{}', init.headers]);
    }
    assert.equal(
      keep(responses, new Request(url), new Uint8Array(Buffer.from('[]')), init, now - 1_000, now + 60_000, 8),
      undefined,
      'in its place',
    );
    assert.equal(lastCountedAt(), 7);
    assert.equal(await find(responses, new Request(url))?.text(), '[]');
    assert.equal(lastCountedAt(), 8, 'each is counted at its own place');
  });

  /** @type {[name: string, from: number, until: number, request: Request][]} */
  const others = [
    ['too late', now - 2_000, now - 1, new Request(url)],
    ['after a clock went back', now + 60_000, now + 61_000, new Request(url)],
    ['at another address', now - 1_000, now + 60_000, new Request(`${url}?limit=10`)],
    ['to HEAD', now - 1_000, now + 60_000, new Request(url, { method: 'HEAD' })],
    ['to POST', now - 1_000, now + 60_000, new Request(url, { method: 'POST' })],
    ['to who has a copy', now - 1_000, now + 60_000, new Request(url, { headers: { 'if-none-match': '*' } })],
  ];
  for (const [name, from, until, request] of others) {
    test(`is not answered ${name}`, () => assert.equal(find(kept(from, until).responses, request), undefined));
  }

  test('never answers HEAD', () => {
    const { responses, address } = kept(now - 1_000, now + 60_000, { method: 'HEAD' });
    assert.deepEqual([responses.size, address], [0, undefined]);
  });
});

describe('rankings from memory', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => (deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } })));
  after(() => deployment?.stop());
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set('2026-11-20T12:00:00Z');
    await deployment.events({ events: ['/posts/1', '/posts/1', '/posts/2', 'a', 'a', 'a'].map((item) => ({ action: 'view', item })) });
  });

  /** All of an answer but what the runtime adds. @param {string} address @param {RequestInit} [init] */
  async function whole(address, init) {
    const { status, headers, text } = await deployment.fetch(address, init);
    return JSON.stringify([status, [...headers].filter(([name]) => name !== 'date').sort(), text]);
  }

  for (const address of ADDRESSES) {
    test(`${address} is answered as without`, async () => {
      // Addresses that nobody used mean the same, and go the long way.
      let unused = address.includes('?') ? `${address}&` : `${address}?`;
      const longWay = () => whole((unused += '&'));
      let compared = 0;
      for (const step of STEPS_MS) {
        deployment.edgeClock.advance(step);
        await until('two equal answers on the long way, with others in between', async () => {
          const first = await longWay();
          const between = [
            await whole(address),
            await whole(address),
            await whole(address),
            await whole(address, { headers: { origin: 'https://x.example' } }),
          ];
          if ((await longWay()) !== first) return false;
          for (const answer of between) assert.equal(answer, first);
          compared += Number(first.includes('detail=memory'));
          return true;
        });
      }
      assert.ok(compared > 3, `${compared} from memory`);
    });
  }

  test('a newer ranking replaces it at once', async () => {
    const address = '/v1/demo/boards/articles/day';
    const replaced = await until('a copy that is due, of a ranking that is fresh', async () => {
      deployment.edgeClock.advance(60_000);
      const { headers, body } = await deployment.fetch(address);
      deployment.edgeClock.advance(1_200);
      await deployment.fetch(address);
      await deployment.fetch(address);
      await deployment.events({ events: [{ action: 'view', item: 'a' }] });
      const renewed = await deployment.fetch(address, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      return renewed.status === 200 && renewed.body.version !== body.version && renewed;
    });
    for (let read = 0; read < 3; read += 1) {
      assert.deepEqual(entriesOf(await deployment.fetch(address)), entriesOf(replaced), 'the score went down');
    }
  });

  test('it is counted as what comes from memory', async () => {
    const { fetch, edgeClock, worker } = deployment;
    const address = '/v1/demo/boards/slow/day';
    /** The counters, from the next line of the log. */
    const counters = async () => {
      const lines = () => worker.log.filter(({ message }) => message.includes('"code":"reads"'));
      const before = lines().length;
      return until('a line of the log', async () => {
        edgeClock.advance(6 * 60_000);
        await fetch(address);
        return lines().length > before && JSON.parse(lines()[before].message);
      });
    };
    await fetch(address);
    const first = await counters();
    const reads = 50;
    for (let read = 0; read < reads; read += 1) await fetch(address);
    const { memory } = await counters();
    assert.equal(memory - first.memory, reads);
  });
});
