/**
 * What concerns all boards of a site goes through them in chunks, where templates have many: a client goes on with a cursor, and upkeep goes on
 * with what stands in the database.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, admin, count, pass, SITE, shown, start } from './site.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */

/** Three chunks of 200. */
const BOARDS = Array.from({ length: 450 }, (_, i) => `shelf:${i}`);
/** Of each chunk, by the order of their names. */
const LOOKED_AT = ['shelf:0', 'shelf:99', 'shelf:250', 'shelf:449', 'shelf:340'];
const OPTIONS = {
  site: {
    journal: '8d',
    boards: {
      articles: SITE.boards.articles,
      people: { members: 'actors', weights: { view: 1 }, windows: ['all'], fresh: '1s' },
      shelf: { template: true, on_event: true, weights: { view: 1 }, windows: ['all'], fresh: '1s' },
      team: { template: true, on_event: true, members: 'actors', weights: { view: 1 }, windows: ['all'], fresh: '1s' },
    },
  },
  hasDatabase: true,
};
/** D1 takes so many in a request. */
const MAX_STATEMENTS = 1_000;

/** Has something be viewed once on each of so many boards. @param {Deployment} deployment @param {object} event @param {string[]} boards */
async function viewOn(deployment, event, boards) {
  const tens = Array.from({ length: boards.length / 10 }, (_, i) => boards.slice(10 * i, 10 * i + 10));
  assert.deepEqual(await count(deployment, ...tens.map((names) => ({ action: 'view', ...event, boards: names }))), []);
}

/** Asks until it is done, with the cursor of each answer; at most 1,000 statements go to the database each time. Answers how often. @param {Deployment} deployment @param {(query: string) => Promise<import('../../support/deployment.mjs').Answer>} ask @param {number} done */
async function askOn(deployment, ask, done) {
  for (let times = 1, query = ''; ; times += 1) {
    assert.ok(times < 10, 'it ends');
    const before = await statements(deployment);
    const { status, body, text } = await ask(query);
    assert.ok((await statements(deployment)) - before < MAX_STATEMENTS, text);
    if (status === done) return times;
    assert.deepEqual([status, body.done], [202, false], text);
    query = `cursor=${body.cursor}`;
  }
}

/** @param {Deployment} deployment */
async function statements({ fetch }) {
  const { text } = await fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  return Number(/_isolate_database_total\{site="",what="statements"\} (\d+)/.exec(text)?.[1] ?? 0);
}

/** What stands on each of some boards. @param {Deployment} deployment @param {string[]} boards */
async function shownOn(deployment, boards) {
  return Promise.all(boards.map(async (board) => shown(await deployment.freshTop(`${board}/all`)).join(', ')));
}
const each = (/** @type {string} */ text, boards = LOOKED_AT) => boards.map(() => text);

test('a member is hidden on all boards, and shown again', async (t) => {
  const deployment = await start(t, OPTIONS);
  await viewOn(deployment, { item: '/a' }, BOARDS);
  const change = (/** @type {string} */ method) => (/** @type {string} */ query) => admin(deployment, method, `hidden/%2Fa?${query}`);
  assert.equal(await askOn(deployment, change('PUT'), 204), 3);
  assert.deepEqual(await shownOn(deployment, ['articles', ...LOOKED_AT]), each('', ['articles', ...LOOKED_AT]));
  assert.equal(await askOn(deployment, change('DELETE'), 204), 3);
  assert.deepEqual(await shownOn(deployment, LOOKED_AT), each('/a 1'));
  for (const cursor of ['articles', 'shelf', 'other:1', '']) {
    const { status, body } = await change('PUT')(`cursor=${cursor}`);
    assert.deepEqual([status, body.code], [400, 'invalid-parameter'], cursor);
  }
});

test('an actor is erased from all boards, and from the copies of lists', async (t) => {
  const deployment = await start(t, OPTIONS);
  const boards = BOARDS.map((board) => board.replace('shelf', 'team'));
  const looked = ['people', ...LOOKED_AT.map((board) => board.replace('shelf', 'team'))];
  await viewOn(deployment, { actor: 'ann', item: '/a' }, boards);
  assert.equal((await admin(deployment, 'PUT', 'boards/team:449/hidden/ann')).status, 204);
  const erase = (/** @type {string} */ query) =>
    deployment.fetch(`/v1/demo/actors/ann?${query}`, { method: 'DELETE', headers: { authorization: 'Bearer a-token-for-writing' } });
  assert.equal(await askOn(deployment, erase, 204), 3);
  assert.deepEqual(await shownOn(deployment, looked), each('', looked));
  const database = await deployment.worker.miniflare.getD1Database('DB');
  const { results } = await database.prepare("SELECT document FROM state_documents WHERE name = 'team:449/curation'").all();
  assert.deepEqual(JSON.parse(/** @type {any} */ (results[0]).document).hidden, []);
});

test('what an item did is taken back on all boards', async (t) => {
  const deployment = await start(t, OPTIONS);
  await viewOn(deployment, { item: '/a' }, BOARDS);
  await viewOn(deployment, { item: '/b' }, BOARDS);
  let events = 0;
  const revoke = async (/** @type {string} */ query) => {
    const answer = await admin(deployment, 'POST', `revoke?${query}`, { item: '/a' });
    events += answer.body.events;
    return answer;
  };
  assert.equal(await askOn(deployment, revoke, 200), 3);
  assert.equal(events, 450 + 45, 'once for each board, and the event once on the board of the configuration');
  assert.deepEqual(await shownOn(deployment, LOOKED_AT), each('/b 1'));
});

test('a deletion that is killed anywhere goes on by itself, and the item comes back to all boards', async (t) => {
  const deployment = await start(t, { ...OPTIONS, relayed: true });
  const item = 'items/%2Fa';
  const edit = async (/** @type {string} */ method, /** @type {object | undefined} */ body = undefined) => {
    const init = { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: body && JSON.stringify(body) };
    return (await deployment.fetch(`/v1/demo/${item}`, init)).status;
  };
  await viewOn(deployment, { item: '/b' }, BOARDS);
  for (const killedAt of [3, 6, 9]) {
    const of = `killed at ${killedAt}`;
    assert.ok([200, 201].includes(await edit('PUT', { title: 'A' })), of);
    await pass(deployment, 12);
    await viewOn(deployment, { item: '/a' }, BOARDS);
    assert.deepEqual(await shownOn(deployment, LOOKED_AT), each('/b 1, /a 1'), of);
    let trips = 0;
    deployment.link?.loseRepliesWhen(() => {
      trips += 1;
      return trips >= killedAt;
    });
    assert.equal(await edit('DELETE'), 202, of);
    deployment.link?.loseRepliesWhen(() => false);
    await pass(deployment, 12);
    assert.deepEqual(await shownOn(deployment, LOOKED_AT), each('/b 1'), of);
    const refused = await count(deployment, { action: 'view', item: '/a', boards: ['shelf:449', 'shelf:0'] });
    assert.deepEqual(refused, ['0 item-gone'], of);
  }
});

test('an item becomes another one on all boards', async (t) => {
  const deployment = await start(t, OPTIONS);
  await viewOn(deployment, { item: '/a' }, BOARDS);
  await viewOn(deployment, { item: '/b' }, BOARDS);
  const alias = async (/** @type {string} */ query) => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: '{"to":"/b"}' };
    return deployment.fetch(`/v1/demo/items/%2Fa/alias${query}`, init);
  };
  const dry = await alias('?dry_run=1');
  // Of `articles` an entry of the day and one of all time.
  assert.deepEqual([dry.status, dry.body.entries], [200, 450 + 2], dry.text);
  const made = await alias('');
  assert.ok([200, 202].includes(made.status), made.text);
  await pass(deployment, 12);
  assert.deepEqual(await shownOn(deployment, ['articles', ...LOOKED_AT]), ['/b 90', ...each('/b 2')]);
  assert.equal((await alias('')).body.done, true);
});
