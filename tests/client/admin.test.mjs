/** What administers sites and boards at run time, by the client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, createAdmin } from '../../packages/client/src/admin.js';
import { startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const BOARD = { weights: { view: 1 }, windows: ['all'] };
const SHOP = { actions: { view: {} }, boards: { articles: BOARD, shelf: { ...BOARD, template: true } } };

/** @template T @param {AsyncIterable<T>} of */
async function all(of) {
  const found = [];
  for await (const each of of) found.push(each);
  return found;
}

test('sites and boards are made, listed, changed, moved and deleted', async (t) => {
  const vars = { ADMIN_TOKEN, SITES_SECRET: 'a-secret-of-which-others-are-derived' };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SHOP }, vars });
  t.after(deployment.stop);
  const { url } = deployment.worker;
  const admin = createAdmin({ url, token: ADMIN_TOKEN });
  const made = await admin.putSite('shop', SHOP);
  assert.ok('issued' in made && made.issued);
  const write = made.issued.write;
  const changed = await admin.putSite('shop', { ...SHOP, quota: { members: 7 } });
  assert.deepEqual([changed.version, 'issued' in changed], [2, false]);
  assert.deepEqual((await admin.site('shop')).used?.members, 0);
  assert.equal((await admin.suspendSite('shop')).state, 'suspended');
  assert.equal((await admin.resumeSite('shop')).state, 'active');
  const other = await admin.issueToken('shop', 'write');
  assert.ok(other !== write);
  await admin.endToken('shop', 'write');
  await assert.rejects(admin.endToken('shop', 'write'), { status: 409, code: 'no-older-token' });
  await assert.rejects(admin.putSite('demo', SHOP), (error) => error instanceof ApiError && error.code === 'site-configured');

  assert.equal((await admin.putBoard('shop', 'shelf:new', { title: 'New' })).title, 'New');
  await admin.putBoard('shop', 'shelf:old');
  assert.equal((await admin.board('shop', 'shelf:old')).state, 'open');
  assert.deepEqual(
    (await all(admin.boards('shop', 'shelf'))).map(({ board }) => board),
    ['shelf:new', 'shelf:old'],
  );
  const events = ['/a', '/b', '/a'].map((item) => ({ action: 'view', item, boards: ['shelf:new'] }));
  const counted = await deployment.events({ events }, { site: 'shop', headers: { authorization: `Bearer ${other}` } });
  assert.equal(counted.status, 200, counted.text);

  // Each connection breaks after some bytes: the export goes on, and nothing comes twice.
  const whole = await all(admin.exportSite('shop'));
  let requests = 0;
  const breaking = createAdmin({
    url,
    token: ADMIN_TOKEN,
    fetch: async (...args) => {
      requests += 1;
      const text = await (await fetch(...args)).text();
      const lines = text.split('\n');
      const end = lines.findIndex((line) => line.includes('"kind":"next"'));
      return new Response(lines.slice(0, end < 0 ? lines.length : end + 1).join('\n') + (end < 0 ? '' : '\n{"kind":"mem'));
    },
  });
  assert.deepEqual(await all(breaking.exportSite('shop')), whole);
  assert.ok(requests > 2, `${requests}`);
  await admin.putSite('copy', SHOP);
  assert.deepEqual(await admin.importSite('copy', whole), []);
  assert.equal((await admin.importSite('copy', whole)).length, 2, 'each period stays');
  const { body } = await deployment.top('shelf:new/all', '', 'copy');
  assert.deepEqual(
    body.entries.map((/** @type {any} */ { id, score }) => [id, score]),
    [
      ['/a', 2],
      ['/b', 1],
    ],
  );

  assert.equal((await admin.deleteBoard('shop', 'shelf:old')).state, 'going');
  assert.equal((await admin.deleteSite('shop')).state, 'going');
  assert.deepEqual(
    (await all(admin.sites())).map(({ site, state }) => `${site} ${state}`),
    ['copy active', 'shop going'],
  );
  await assert.rejects(all(createAdmin({ url, token: 'x' }).exportSite('copy')), { status: 401 });
});
