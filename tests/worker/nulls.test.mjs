/**
 * A field that is null counts as left out, in every body.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signActor } from '../../packages/edgeboard/serve/actor-token.mjs';
import { startDeployment } from '../support/deployment.mjs';

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */

const ADMIN_TOKEN = 'a-token-for-nulls';
const ACTOR_SECRET = 'a-secret-of-the-site';
const SITE = {
  origins: ['*'],
  journal: '8d',
  activity: true,
  actions: { view: { public: true }, like: { reversible: true }, finish: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['day'] },
    best: { members: 'actors', score: 'max', actions: ['finish'], windows: ['day'] },
  },
};
/** What an event of a server may leave out. */
const OPTIONAL = ['actor', 'visitor', 'ago', 'at', 'undo', 'count', 'value', 'meta', 'seq', 'id'];

describe('a field that is null', () => {
  /** @type {Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({
      transport: 'redis://',
      sites: { demo: SITE },
      hasBucket: true,
      vars: { ADMIN_TOKEN, ACTOR_SECRET },
    });
  });
  after(() => deployment?.stop());

  const token = () => signActor({ secret: ACTOR_SECRET, site: 'demo', actor: 'u7', expiry: Math.floor(Date.now() / 1000) + 86_400 });
  const post = (/** @type {string} */ path, /** @type {unknown} */ body) =>
    deployment.fetch(`/v1/demo/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: JSON.stringify(body),
    });
  const view = (/** @type {string} */ item) => ({ action: 'view', item });

  test('of an event or a batch counts as left out', async () => {
    const events = OPTIONAL.map((field) => ({ ...view('null'), [field]: null }));
    const answer = await deployment.events({ id: null, events });
    assert.deepEqual(answer.body, { accepted: OPTIONAL.length, duplicate: 0, rejected: [] });
    const once = (await deployment.freshTop('articles/day')).body.entries;
    assert.deepEqual(
      once.map((/** @type {any} */ { id, score }) => [id, score]),
      [['null', OPTIONAL.length]],
      'each counts once',
    );
    const bare = await deployment.events({ ...view('bare'), ...Object.fromEntries(OPTIONAL.map((field) => [field, null])) });
    assert.deepEqual([bare.status, bare.body.accepted], [200, 1], bare.text);
    const valued = await deployment.events({ action: 'finish', actor: 'ann', item: null, value: 7, meta: null });
    assert.equal(valued.status, 200, valued.text);
    const visited = await deployment.events({ ...view('v'), visitor: { address: '192.0.2.1', agent: null } });
    assert.equal(visited.status, 200, visited.text);
    const beacon = await deployment.beacon({
      token: null,
      id: null,
      events: [{ ...view('b'), actor: null, id: null, ago: null, undo: null }],
    });
    assert.equal(beacon.status, 204, beacon.text);
  });

  test('that is required is missing', async () => {
    const answer = await deployment.events({ events: [{ action: null, item: 'a' }, view('b'), { action: 'view', item: null }] });
    assert.deepEqual(
      answer.body.rejected.map((/** @type {any} */ { index, code, detail }) => [index, code, detail.split(';')[0]]),
      [
        [0, 'invalid-action', 'action is missing'],
        [2, 'invalid-item', 'item is missing'],
      ],
    );
  });

  for (const [name, path, body, status] of /** @type {[string, string, () => object, number][]} */ ([
    ['ranks', 'boards/articles/day/ranks', () => ({ ids: ['null'], among: null }), 200],
    [
      'activity of an actor',
      'mine',
      () => ({ token: token(), action: null, items: null, days: null, details: null, limit: null, after: null }),
      200,
    ],
    ['items that an actor likes', 'mine', () => ({ token: token(), action: 'like', items: ['a'], days: null, details: null }), 200],
    ['a revocation', 'admin/revoke', () => ({ actor: null, visitor: null, item: 'x', from: null, until: null, dry_run: true }), 200],
    ['a replay', 'admin/dead/replay', () => ({ ids: null, all: true, seq: null, dry_run: null }), 200],
    ['a restoration', 'admin/restore', () => ({ accept: null }), 200],
  ])) {
    test(`of ${name} counts as left out`, async () => {
      const answer = await post(path, body());
      assert.equal(answer.status, status, answer.text);
    });
  }
});
