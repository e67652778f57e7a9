/**
 * How often one client may send, and have Redis asked: by the runtime's rate limits, and where there is none by what the isolate saw.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day'], details: false } },
};
const SITES = {
  // As the bindings of wrangler.toml have them.
  usual: { ...SITE, limits: {} },
  // Others, which the isolate keeps.
  own: { ...SITE, limits: { beacons: 5, misses: 3 } },
  free: { ...SITE, limits: { beacons: 0, misses: 0 }, max_beacon_events: 2 },
  plain: { ...SITE, limits: {}, max_beacon_events: 20 },
};

/** @type {import('../../support/deployment.mjs').Deployment} */
let deployment;
let clients = 0;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: SITES });
  // The runtime's minutes are those of its clock.
  deployment.edgeClock.set('2026-11-20T12:00:00Z');
});
after(() => deployment?.stop());
beforeEach(() => {
  deployment.edgeClock.advance(120_000);
  clients += 1;
});

const from = (address = `192.0.2.${clients}`) => ({ 'cf-connecting-ip': address });

/** @param {string} site @param {string} [address] */
const beacon = (site, address) => deployment.beacon({ action: 'view', item: `x${clients}` }, { site, headers: from(address) });
/** @param {string} site */
const pixel = (site) => deployment.fetch(`/v1/${site}/beacon.gif?action=view&item=x${clients}`, { headers: from() });

/** @param {number} times @param {() => Promise<import('../../support/deployment.mjs').Answer>} ask */
async function statuses(times, ask) {
  const found = [];
  for (let i = 0; i < times; i += 1) found.push((await ask()).status);
  return found;
}

/** @param {import('../../support/deployment.mjs').Answer} answer */
function checkRefused({ status, body, headers }) {
  assert.deepEqual([status, body.code, headers.get('cache-control')], [429, 'too-many-requests', 'no-store']);
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `${wait}`);
}

for (const [site, max] of /** @type {[string, number][]} */ ([
  ['usual', 120],
  ['own', 5],
])) {
  describe(`the site ${site}`, () => {
    test(`takes ${max} beacons and pixels of a client a minute, and asks Redis nothing for more`, async () => {
      const half = Math.floor(max / 2);
      assert.deepEqual(new Set(await statuses(half, () => pixel(site))), new Set([200]));
      assert.deepEqual(new Set(await statuses(max - half, () => beacon(site))), new Set([204]));
      const commands = await deployment.commandsDuring(async () => {
        checkRefused(await beacon(site));
        checkRefused(await pixel(site));
      });
      assert.deepEqual(commands, {});
      assert.equal(new Map(entriesOf(await deployment.freshTop('articles/day', '?limit=100', site))).get(`x${clients}`), max);
    });

    test('takes the next ones after the minute, and meanwhile those of others', async () => {
      await statuses(max, () => beacon(site));
      checkRefused(await beacon(site));
      assert.equal((await beacon(site, '198.51.100.1')).status, 204);
      deployment.edgeClock.advance(60_000);
      assert.equal((await beacon(site)).status, 204);
    });

    test('takes an IPv6 network of 64 bits for one client', async () => {
      const address = (/** @type {number} */ i) => `2001:db8:${clients}::${i.toString(16)}`;
      let i = 1;
      await statuses(max, () => beacon(site, address(i++)));
      checkRefused(await beacon(site, address(i)));
      assert.equal((await beacon(site, `2001:db8:${clients}:1::1`)).status, 204);
    });
  });
}

test('the body of who sends too often is not read', async () => {
  await statuses(5, () => beacon('own'));
  const init = { method: 'POST', headers: from() };
  checkRefused(await deployment.fetch('/v1/own/beacon', { ...init, body: '{' }));
  checkRefused(await deployment.fetch('/v1/own/beacon', { ...init, body: 'x'.repeat(70_000) }));
});

test('a foreign page is refused before it is counted', async () => {
  const init = { headers: { ...from(), origin: 'https://nobody.example' } };
  assert.equal((await deployment.beacon({ action: 'view', item: 'x' }, { site: 'own', ...init })).status, 204, 'the site lists all');
  assert.equal((await deployment.fetch('/v1/nosite/beacon', { method: 'POST', body: '{}', ...init })).status, 404);
});

describe('reads', () => {
  const read = (/** @type {string} */ path) => deployment.fetch(`/v1/own/boards/articles/day${path}`, { headers: from() });

  test('that miss are limited, those from the caches are not', async () => {
    const commands = await deployment.commandsDuring(async () => {
      for (const limit of [11, 12, 13]) assert.equal((await read(`?limit=${limit}`)).status, 200);
      checkRefused(await read('?limit=14'));
      assert.equal((await read('?limit=11')).headers.get('cache-status')?.includes('hit'), true);
    });
    assert.equal(commands.calls, 3);
  });

  test('with made-up members are limited', async () => {
    const answers = await statuses(5, () => read(`/members/${Math.random()}`));
    assert.deepEqual(answers, [404, 404, 404, 429, 429]);
  });

  test('of ranks are limited, and their body is not read', async () => {
    const init = { method: 'POST', headers: from() };
    const ask = (body = '{"ids":["x"]}') => deployment.fetch('/v1/own/boards/articles/day/ranks', { ...init, body });
    assert.deepEqual(await statuses(4, ask), [200, 200, 200, 429]);
    checkRefused(await ask('{'));
  });

  test('take as much of the limit as they may cost, where the binding takes one', async () => {
    const ids = (/** @type {number} */ i) => Array.from({ length: 100 }, (_, id) => `m${i}-${id}`);
    let asked = 0;
    const ask = () => {
      asked += 1;
      return deployment.fetch('/v1/usual/boards/articles/day/ranks', {
        method: 'POST',
        headers: from(),
        body: JSON.stringify({ ids: ids(asked) }),
      });
    };
    // 5 + 2 + 2 × 100 commands are 21 of 300.
    assert.deepEqual(await statuses(15, ask), [...Array(14).fill(200), 429]);
  });

  for (const [what, path, status] of /** @type {[string, string, number][]} */ ([
    ['a live ranking that is opened', '/v1/own/boards/articles/day/live', 426],
    ['what the database answers', '/v1/own/items/x', 404],
  ])) {
    test(`are limited: ${what}`, async () => {
      const answers = await statuses(4, () => deployment.fetch(path, { headers: from() }));
      assert.deepEqual(answers.slice(1), [status, status, 429]);
    });
  }

  test('of who is past the limit renew nothing', async () => {
    assert.equal((await read('?limit=31')).status, 200);
    for (const limit of [32, 33]) await read(`?limit=${limit}`);
    deployment.edgeClock.advance(3_000);
    const commands = await deployment.commandsDuring(async () => {
      for (let i = 0; i < 80; i += 1) assert.match((await read('?limit=31')).headers.get('cache-status') ?? '', /fwd=stale/);
    });
    assert.deepEqual(commands, {});
  });

  test('are answered with what there is, where that is old', async () => {
    assert.equal((await read('?limit=21')).status, 200);
    for (const limit of [22, 23]) assert.equal((await read(`?limit=${limit}`)).status, 200);
    deployment.edgeClock.advance(30_000);
    const { status, headers } = await read('?limit=21');
    assert.equal(status, 200);
    assert.match(headers.get('cache-status') ?? '', /fwd=stale/);
  });
});

test('a beacon of many hours takes as much as it may cost', async () => {
  const events = Array.from({ length: 20 }, (_, hour) => ({ action: 'view', item: `x${clients}`, ago: hour * 3_700_000 }));
  const answers = await statuses(120, () => deployment.beacon({ events }, { site: 'usual', headers: from() }));
  const letIn = answers.filter((status) => status === 204).length;
  assert.ok(letIn > 5 && letIn < 60, String(letIn));
});

test('0 is no limit', async () => {
  assert.deepEqual(new Set(await statuses(400, () => beacon('free'))), new Set([204]));
});

for (const [site, max] of /** @type {[string, number][]} */ ([
  ['free', 2],
  ['plain', 20],
])) {
  test(`a beacon of the site ${site} has at most ${max} events, a batch of its server 100`, async () => {
    const events = (/** @type {number} */ count) => ({ events: Array.from({ length: count }, () => ({ action: 'view', item: 'y' })) });
    assert.equal((await deployment.beacon(events(max), { site, headers: from() })).status, 204);
    const { status, body } = await deployment.beacon(events(max + 1), { site, headers: from() });
    assert.deepEqual([status, body.code], [413, 'too-many-events']);
    assert.match(body.detail, new RegExp(`a beacon has at most ${max} events, this one ${max + 1}`));
    assert.equal((await deployment.events(events(100), { site })).body.accepted, 100);
    assert.equal((await deployment.events(events(101), { site })).status, 413);
  });
}

test('the log counts what was refused, and has no line for each', async () => {
  await statuses(40, () => beacon('own'));
  deployment.edgeClock.advance(5 * 60_000);
  await statuses(6, () => beacon('own'));
  const lines = deployment.worker.log.map(({ message }) => message);
  const counted = lines.filter((message) => message.includes('"not-counted"'));
  assert.ok(counted.length >= 1 && JSON.parse(counted.at(-1) ?? '').limited_beacons >= 35, counted.at(-1));
  assert.deepEqual(
    lines.filter((message) => message.includes('too-many-requests')),
    [],
  );
});
