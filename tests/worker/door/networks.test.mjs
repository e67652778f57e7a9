/**
 * Networks of IPv6: a home line has 256 of what an address is told apart by, a company 65,536. What is bounded for an address is bounded for
 * them as well, four times as high each.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { ADMIN_TOKEN, delivered } from '../ingest/queued.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

const NOW = '2026-11-20T12:00:00Z';
const TODAY = Date.parse('2026-11-20') / 86_400_000;
const SITE = { origins: ['*'], actions: { view: { public: true } } };
const BOARD = { weights: { view: 1 }, windows: ['day', 'all'], limit: 1000 };
const ONCE = { ...SITE, boards: { articles: { ...BOARD, once: { view: 'day' } } } };
const SITES = {
  once: ONCE,
  grouped: { ...ONCE, ingest: 'grouped' },
  demo: { ...ONCE, ingest: 'queue' },
  newcomers: { ...SITE, new_members: { visitor: 0, address: 2 }, boards: { articles: BOARD } },
  both: { ...ONCE, new_members: { visitor: 100, address: 1000 } },
};
/** Visitors of a /64 who count once a day, and of the networks around it. */
const [ADDRESS, LINE, COMPANY] = [8, 32, 128];

/** The n-th /64 of a home line, which is a /56. @param {number} n @param {number} [line] @param {number} [company] a /48 */
const of = (n, line = 0, company = 0) => `2001:db8:${company.toString(16)}:${(256 * line + n).toString(16)}::1`;
const times = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => i);
const line = (/** @type {number} */ count, number = 0) => times(count).map((n) => of(n, number));

describe('networks of an address', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN }, hasQueue: true });
  });
  beforeEach(async () => {
    await deployment.reset();
    deployment.clock.set(NOW);
  });
  after(() => deployment?.stop());

  /** @param {string} site @param {string} address @param {string} [item] */
  async function view(site, address, item = 'a', agent = 'Mozilla/5.0 Firefox/140.0') {
    const headers = { 'cf-connecting-ip': address, 'user-agent': agent };
    const answer = await deployment.beacon({ action: 'view', item }, { site, headers });
    assert.equal(answer.status, 204, answer.text);
    return answer.headers.get('edgeboard-refused');
  }
  /** How many views of an item counted. @param {string} site */
  const views = async (site, item = 'a') => Number((await deployment.redis.command('ZSCORE', `eb:{${site}:articles}:all:0`, item)) ?? 0);
  /** How many views count when each of some addresses looks once. @param {string} site @param {string[]} addresses */
  async function counted(site, addresses) {
    const before = await views(site);
    for (const address of addresses) await view(site, address);
    return (await views(site)) - before;
  }

  describe('of what counts once', () => {
    test(`40 networks of a home line count ${LINE} times a day, and others do not suffer`, async () => {
      assert.equal(await counted('once', line(40)), LINE);
      assert.equal(await counted('once', line(40)), 0, 'no more that day');
      for (const [what, address] of [
        ['the line next door', of(0, 1)],
        ['another company', of(0, 0, 1)],
        ['an address of IPv4', '192.0.2.1'],
      ]) {
        assert.equal(await counted('once', [address]), 1, what);
      }
      // A visitor of before may do something else.
      await view('once', of(0), 'b');
      await view('once', of(39), 'b');
      assert.equal(await views('once', 'b'), 1);
      deployment.clock.set('2026-11-21T12:00:00Z');
      assert.equal(await counted('once', [of(39)]), 1, 'the next day');
    });

    test(`40 lines of a company count ${COMPANY} times, whichever networks they have`, async () => {
      const each = [];
      for (const n of times(6)) each.push(await counted('once', line(40, n)));
      assert.deepEqual(each, [LINE, LINE, LINE, LINE, 0, 0]);
      assert.equal(await counted('once', [of(0, 0, 1), of(0, 0, 2)]), 2, 'other companies');
    });

    test('an address counts as often as before, and 40 of IPv4 count 40 times', async () => {
      const agents = times(20).map((n) => `Mozilla/5.0 Firefox/${n}.0`);
      for (const address of [of(0), '192.0.2.1']) {
        const before = await views('once');
        for (const agent of agents) await view('once', address, 'a', agent);
        assert.equal((await views('once')) - before, ADDRESS, address);
      }
      assert.equal(
        await counted(
          'once',
          times(40).map((n) => `198.51.100.${n}`),
        ),
        40,
      );
    });

    test('also of events that a server sends, which is told', async () => {
      const events = times(40).map((n) => ({ action: 'view', item: 'a', visitor: { address: of(n), agent: 'x' } }));
      const { body } = await deployment.events({ events }, { site: 'once' });
      const codes = body.rejected.map((/** @type {{ code: string }} */ { code }) => code);
      assert.deepEqual([body.accepted, codes], [LINE, times(40 - LINE).map(() => 'too-many-visitors')]);
    });

    test('nobody is remembered for longer, and no more than four names for a visitor', async () => {
      await counted('once', line(40));
      const [names, salt] = ['visitors', 'salt'].map((what) => `eb:{once:articles}:${what}:${TODAY}`);
      const fields = (await deployment.redis.command('HKEYS', names)).filter((/** @type {string} */ field) => !field.startsWith('\0'));
      // Of each who counted the visitor and the /64; one /56, and one /48.
      assert.equal(fields.length, 2 * LINE + 2);
      assert.ok(
        fields.every((/** @type {string} */ field) => /^(visitor:|@)[0-9a-f]{16}$/.test(field)),
        `${fields}`,
      );
      const ends = await Promise.all([names, salt].map((key) => deployment.redis.command('EXPIRETIME', key)));
      assert.deepEqual(ends, [ends[1], ends[1]], 'with the salt');
    });
  });

  describe('of new members', () => {
    test('40 networks of a home line put as many on a board as four addresses, and a company as many as sixteen', async () => {
      const put = async (/** @type {string[]} */ addresses) => {
        let sum = 0;
        for (const address of addresses) {
          for (const n of times(3)) sum += (await view('newcomers', address, `/${address}/${n}`)) === null ? 1 : 0;
        }
        return sum;
      };
      assert.equal(await put([of(0)]), 2, 'an address');
      assert.equal(await put(line(40).slice(1)), 6, 'the rest of the line');
      assert.equal(await view('newcomers', of(77), '/more'), 'too-many-new');
      for (const n of [1, 2, 3]) assert.equal(await put(line(40, n)), 8, `line ${n}`);
      assert.equal(await put(line(40, 4)), 0, 'the company has what it may');
      assert.equal(await put([of(0, 0, 1), of(0, 0, 2)]), 4, 'other companies');
      assert.equal(await put(times(40).map((n) => `192.0.2.${n}`)), 80, 'addresses of IPv4');
      const { body } = await deployment.freshTop('articles/all', '?limit=1', 'newcomers');
      assert.equal(body.total, 32 + 4 + 80);
      // What is there goes on being counted.
      assert.equal(await view('newcomers', of(77), `/${of(0)}/0`), null);
      deployment.clock.set('2026-11-20T13:00:01Z');
      assert.equal(await view('newcomers', of(77), '/more'), null, 'an hour later');
    });

    test('nobody is remembered for longer than the hour', async () => {
      for (const n of times(8)) await view('newcomers', of(n), `/${n}`);
      const key = 'eb:{newcomers:articles}:newcomers';
      assert.equal(await deployment.redis.command('HLEN', key), 8 + 8 + 2, 'each visitor and /64, one /56 and one /48');
      assert.equal(await deployment.redis.command('EXPIRETIME', key), Date.parse(NOW) / 1000 + 3600);
    });
  });

  test('a click costs as many commands as one of IPv4, whoever is new', async () => {
    /** @type {Record<string, number>[][]} */
    const costs = [];
    for (const addresses of [line(3), times(3).map((n) => `192.0.2.${n}`)]) {
      await deployment.reset();
      const [one, two, other] = addresses;
      // A plan, and the day's salt.
      for (const item of ['warm', 'warmer']) await view('both', other, item);
      const during = (/** @type {string} */ address, /** @type {string} */ item) =>
        deployment.commandsDuring(() => view('both', address, item));
      costs.push([await during(one, 'a'), await during(one, 'a'), await during(two, 'a'), await during(two, 'b')]);
    }
    assert.deepEqual(costs[0], costs[1]);
  });

  describe('on their way', () => {
    test('an object that gathers events counts them', async () => {
      assert.equal(await counted('grouped', line(40)), LINE);
    });

    test('a queue carries them, and messages of versions that knew no networks count', async () => {
      for (const address of line(40)) await view('demo', address);
      await delivered(deployment, ADMIN_TOKEN);
      assert.equal(await views('demo'), LINE);
      const queue = await deployment.worker.miniflare.getQueueProducer('INGEST_QUEUE');
      const message = (/** @type {number} */ n, /** @type {object} */ more) => {
        const digest = (/** @type {number} */ bytes) => Buffer.alloc(bytes, n).toString('base64url');
        const visitor = `${digest(16)}.${digest(9)}`;
        const events = [{ action: 'view', item: 'a', index: 0, id: `m${n}` }];
        return { sent: deployment.edgeClock.now(), tried: false, site: 'demo', server: false, whole: true, visitor, ...more, events };
      };
      const networks = 'AAAAAAAAAAAB.AAAAAAAAAAAC';
      const bodies = [message(1, {}), ...times(40).map((n) => message(2 + n, { networks }))];
      for (const body of bodies) await queue.send(/** @type {any} */ (body), { contentType: 'json' });
      await delivered(deployment, ADMIN_TOKEN, bodies.length);
      assert.deepEqual(entriesOf(await deployment.freshTop('articles/all', '', 'demo')), [['a', LINE + 1 + LINE]]);
    });
  });
});
