/**
 * The module, the beacon and the pixel under names that no filter list has, and the module at an address of its content.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';

import { entriesOf, startDeployment } from '../support/deployment.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day'] } },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { BEACON_PATH: 'corner' } });
});
after(() => deployment?.stop());

test('every name is the same module', async () => {
  const [first, ...others] = await Promise.all(['beacon', 'shelf', 'corner'].map((name) => deployment.fetch(`/${name}.js`)));
  assert.match(first.text, /sendBeacon/);
  for (const { status, headers, text } of [first, ...others]) {
    assert.deepEqual([status, text, headers.get('etag')], [200, first.text, first.headers.get('etag')]);
    assert.equal(headers.get('cache-control'), 'no-cache');
  }
});

test('every name is the same beacon and the same pixel', async () => {
  for (const name of ['beacon', 'shelf', 'corner']) {
    const body = JSON.stringify({ action: 'view', item: name });
    assert.equal((await deployment.fetch(`/v1/demo/${name}`, { method: 'POST', body })).status, 204, name);
    const pixel = await deployment.fetch(`/v1/demo/${name}.gif?action=view&item=${name}`);
    assert.deepEqual([pixel.status, pixel.headers.get('content-type')], [200, 'image/gif'], name);
    const { status, headers } = await deployment.fetch(`/v1/demo/${name}`);
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'], name);
  }
  assert.deepEqual(entriesOf(await deployment.freshTop('articles/day')).sort(), [
    ['beacon', 2],
    ['corner', 2],
    ['shelf', 2],
  ]);
});

for (const path of ['/corner', '/corner.gif', '/cornerx.js', '/corner.js.js', '/v1/demo/corner.js', '/v1/demo/cornered', '/v1/corner']) {
  test(`there is nothing at ${path}`, async () => {
    const { status, body } = await deployment.fetch(path);
    assert.deepEqual([status, body.code], [404, 'not-found']);
  });
}

test('boards tells the address of the module by its content, which never changes', async () => {
  const { module } = (await deployment.fetch('/v1/demo/boards')).body;
  const { status, headers, text } = await deployment.fetch(module.path);
  assert.equal(status, 200);
  assert.equal(text, (await deployment.fetch('/beacon.js')).text);
  const digest = createHash('sha256').update(text).digest();
  assert.deepEqual(module, {
    path: `/v/${digest.toString('hex').slice(0, 16)}.js`,
    integrity: `sha256-${digest.toString('base64')}`,
    beacon_path: 'corner',
  });
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(headers.get('access-control-allow-origin'), '*', 'or no page could check its integrity');
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
});

test('another version is not there, and is not kept', async () => {
  const { status, headers, body } = await deployment.fetch('/v/0123456789abcdef.js');
  assert.deepEqual([status, body.code, headers.get('cache-control')], [404, 'not-found', 'no-store']);
  assert.match(body.detail, /it is \/v\/[\da-f]{16}\.js now/);
});
