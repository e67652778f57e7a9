/**
 * Decaying windows have no periods: they are frozen as they stand when a day or an hour is over.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertSigned, startWebhook } from '../../support/webhook.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { MINUTE_MS, NOW, on, shown, start } from './site.mjs';

const MIDNIGHT = NOW + 30 * MINUTE_MS;
const HOT = { name: 'hot', kind: 'half-life', half_life: '30m' };
const WEEKLY = { name: 'weekly', kind: 'step', every: 'day', factor: 0.5 };
const FRESH = { name: 'fresh', kind: 'linear', resets: 'day', beta: 1 };
const PEOPLE = { members: 'actors', weights: { view: 1 }, windows: [HOT, WEEKLY, FRESH], history: 3 };

/** @param {import('node:test').TestContext} t @param {object} [board] @param {object} [more] @param {Record<string, string>} [vars] */
async function startWith(t, board = {}, more = {}, vars = {}) {
  const deployment = await start({ site: { boards: { people: { ...PEOPLE, ...board } }, ...more }, vars });
  t.after(() => deployment.stop());
  const to = on(deployment);
  to.setClocks(NOW);
  /** @param {string} window @param {string} query */
  const top = (window, query) => deployment.freshTop(`people/${window}`, query);
  /** @param {string} window */
  const ids = async (window) => (await to.periods(`people/${window}`)).body.periods.map((/** @type {any} */ { id }) => id);
  return { deployment, top, ids, ...to };
}

test('as they stand at the end of a day', async (t) => {
  const to = await startWith(t);
  assert.equal(await to.freeze(), 0, 'the day before has been over for too long');
  await to.view({ ann: 4, ben: 2 });
  to.setClocks(MIDNIGHT + MINUTE_MS);
  assert.equal(await to.freeze(), 3);
  assert.equal(await to.freeze(), 0, 'each once');

  const { periods } = (await to.periods('people/hot')).body;
  assert.deepEqual(
    periods.map((/** @type {any} */ { id, starts_at, ends_at, total }) => [id, starts_at, ends_at, total]),
    [['2026-11-20', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 2]],
  );
  assert.match(periods[0].frozen_at, /^2026-11-21T00:01:0/);
  assert.ok(periods[0].winner.score > 1.9 && periods[0].winner.score < 2.1, 'it lost the half in half an hour');
  assert.deepEqual(
    (await to.periods('people/weekly')).body.periods.map((/** @type {any} */ { winner }) => winner),
    [{ rank: 1, id: 'ann', score: 2 }],
  );
  // The linear window began anew at midnight, and is frozen as it was.
  const [linear] = (await to.periods('people/fresh')).body.periods;
  assert.deepEqual([linear.winner.id, linear.winner.score > 4 * 23.5 * 3_600 - 1], ['ann', true]);

  await to.view({ ben: 40 });
  to.setClocks(MIDNIGHT + 20 * DAY_MS);
  const { status, body, text } = await to.top('hot', '?period=2026-11-20');
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.entries.map((/** @type {any} */ { rank, id }) => [rank, id]),
    [
      [1, 'ann'],
      [2, 'ben'],
    ],
  );
  assert.deepEqual([body.period.id, body.complete, body.generated_at], ['2026-11-20', true, periods[0].frozen_at]);
  const member = await to.deployment.fetch('/v1/demo/boards/people/weekly/members/ben?period=2026-11-20');
  assert.deepEqual([member.body.rank, member.body.score], [2, 1], member.text);

  assert.equal((await to.erase('ann')).status, 204);
  assert.deepEqual(shown((await to.top('weekly', '?period=2026-11-20')).body), [[2, 'ben', 1]]);
});

test('what was missed is left out, and what was not frozen is said to be so', async (t) => {
  const to = await startWith(t);
  await to.view({ ann: 4 });
  to.setClocks(MIDNIGHT + 31 * MINUTE_MS);
  const frozen = async () => assert.equal(await to.freeze(), 0);
  const [asked, rested] = [await to.deployment.commandsDuring(frozen), await to.deployment.commandsDuring(frozen)];
  assert.ok((rested.calls ?? 0) <= (asked.calls ?? 0) - 3, 'Redis is asked once for each window until the next day');
  to.setClocks(MIDNIGHT + DAY_MS + MINUTE_MS);
  assert.equal(await to.freeze(), 3);
  assert.deepEqual(await to.ids('hot'), ['2026-11-21']);
  const of = async (/** @type {string} */ query) => (await to.top('hot', query)).body;
  assert.deepEqual((await of('?period=2026-11-20')).detail, 'the period cannot be had: it was not frozen');
  assert.deepEqual((await of('?period=2026-11-21T00Z')).code, 'invalid-period');
  assert.deepEqual(shown((await to.top('weekly', '?period=2026-11-21')).body), [[1, 'ann', 1]]);
});

test('each hour, by the clock of the site', async (t) => {
  const to = await startWith(t, { windows: [HOT], history_every: 'hour' }, { timezone: 'Asia/Kathmandu' });
  await to.view({ ann: 4 });
  to.setClocks(NOW + 46 * MINUTE_MS);
  assert.equal(await to.freeze(), 1);
  to.setClocks(NOW + HOUR_MS + 46 * MINUTE_MS);
  assert.equal(await to.freeze(), 1);
  assert.deepEqual(await to.ids('hot'), ['2026-11-21T00:15Z', '2026-11-20T23:15Z']);
  const { body, text } = await to.top('hot', '?period=2026-11-20T23:15Z');
  assert.equal(body.entries?.[0]?.id, 'ann', text);
  assert.equal((await to.top('hot', '?period=2026-11-20T23Z')).body.code, 'unknown-period');
});

test('handed on with their winners', async (t) => {
  const webhook = await startWebhook();
  t.after(() => webhook.stop());
  const forward = { webhook: webhook.url, actions: [], periods: true };
  const to = await startWith(t, { windows: [WEEKLY] }, { forward }, { FORWARD_SECRET: 'sixteen-letters-and-more' });
  await to.view({ ann: 4 });
  webhook.answers.status = 410;
  to.setClocks(MIDNIGHT + MINUTE_MS);
  assert.equal(await to.freeze(), 0, 'nobody has it');
  webhook.answers.status = 204;
  assert.equal(await to.freeze(), 1);
  const { message } = webhook.heard.at(-1) ?? { message: null };
  assert.deepEqual([message?.period.window, message?.period.id], ['weekly', '2026-11-20']);
  assert.deepEqual(message?.period.entries, [{ rank: 1, id: 'ann', score: 2 }]);
  assertSigned(webhook.heard[0], 'sixteen-letters-and-more');
});
