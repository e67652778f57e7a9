/**
 * Names for the best shares of a board's members.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';

const TIERS = [
  { name: 'gold', top: '1%' },
  { name: 'silver', top: '20%' },
  { name: 'bronze', top: '50.5%' },
];
const PLAIN = { weights: { view: 1 }, windows: ['day', 'last-7-days'] };
const BOARD = { ...PLAIN, tiers: TIERS };
const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: BOARD, shared: { ...BOARD, ranking: 'competition' }, plain: PLAIN },
};
/** Ten members, the first with ten points; the last two are equal. @type {Record<string, number>} */
const SCORES = { a: 10, b: 9, c: 8, d: 7, e: 6, f: 5, g: 4, h: 3, i: 1, j: 1 };
const EXPECTED = ['gold', 'silver', 'bronze', 'bronze', 'bronze', 'bronze', undefined, undefined, undefined, undefined];

/** @type {import('../../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE } });
  const events = Object.entries(SCORES).flatMap(([item, points]) => Array.from({ length: points }, () => ({ action: 'view', item })));
  assert.equal((await deployment.events({ events })).body.accepted, events.length);
});
after(() => deployment?.stop());

/** @param {any[]} entries @returns {(string | undefined)[]} */
const tiersOf = (entries) => entries.map(({ tier }) => tier);

test('entries of a page, whatever it begins with', async () => {
  for (const board of ['articles', 'shared']) {
    for (const window of ['day', 'last-7-days']) {
      const { body, text } = await deployment.freshTop(`${board}/${window}`);
      assert.deepEqual(tiersOf(body.entries), EXPECTED, text);
    }
    assert.deepEqual(tiersOf((await deployment.freshTop(`${board}/day`, '?offset=1&limit=3')).body.entries), EXPECTED.slice(1, 4));
    const { body } = await deployment.fetch(`/v1/demo/boards/${board}/day?exclude=a&limit=2`);
    assert.deepEqual(tiersOf(body.entries), ['silver', 'bronze'], 'composed');
  }
});

test('a member, its neighbours, and several members', async () => {
  const { body } = await deployment.fetch('/v1/demo/boards/articles/day/members/f?around=1');
  assert.deepEqual([body.tier, tiersOf(body.around)], ['bronze', ['bronze', 'bronze', undefined]]);
  assert.equal('tier' in (await deployment.fetch('/v1/demo/boards/articles/day/members/g')).body, false);
  const init = { method: 'POST', body: JSON.stringify({ ids: ['a', 'nobody', 'j', 'b'] }) };
  const { body: many } = await deployment.fetch('/v1/demo/boards/articles/day/ranks', init);
  assert.deepEqual(tiersOf(many.ranks), ['gold', undefined, undefined, 'silver']);
});

test('another version where tiers are others, and none without them', async () => {
  const versions = ['articles', 'plain'].map(async (board) => (await deployment.freshTop(`${board}/day`)).body);
  const [articles, plain] = await Promise.all(versions);
  assert.deepEqual(tiersOf(plain.entries), Array(10).fill(undefined));
  assert.notEqual(articles.version, plain.version);
});

test('what is counted moves members from tier to tier', async () => {
  await deployment.events({ events: [{ action: 'view', item: 'j', count: 12 }] });
  const { body } = await deployment.freshTop('articles/day');
  assert.equal(body.entries[0].id, 'j');
  assert.deepEqual(tiersOf(body.entries), EXPECTED);
});

test('they cost no command', async () => {
  const [one, other] = ['/v1/demo/boards/articles/day?limit=7', '/v1/demo/boards/plain/day?limit=7'];
  const costs = [];
  for (const path of [one, other]) costs.push(await deployment.commandsDuring(() => deployment.fetch(path)));
  assert.ok(Object.keys(costs[0]).length > 3, 'it asks Redis');
  assert.deepEqual(costs[0], costs[1]);
});
