/**
 * Late events say which frozen periods they are of, whichever way they come in; usual ones ask nothing.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startDeployment } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { ADMIN_TOKEN, MINUTE_MS, NOW, on } from './site.mjs';

const OVER = NOW + 36 * MINUTE_MS;
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const BOARD = { weights: { view: 1 }, limit: 10, history: 3 };
const BOARDS = {
  articles: { ...BOARD, windows: ['hour', 'day', 'last-3-days', 'all', { name: 'hot', kind: 'half-life', half_life: '6h' }] },
  people: { ...BOARD, members: 'actors', windows: ['day'] },
  blog: { ...BOARD, windows: ['day'], items: ['/blog/*'] },
  forgetful: { weights: { view: 1 }, windows: ['day'] },
};

/** @param {import('node:test').TestContext} t @param {string} ingest @param {object} [options] */
async function start(t, ingest, options = {}) {
  const site = { origins: ['*'], ingest, actions: { view: { public: true }, like: { reversible: true } }, boards: BOARDS };
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: site },
    hasDatabase: true,
    hasQueue: ingest === 'queue',
    vars: { ADMIN_TOKEN },
    ...options,
  });
  t.after(deployment.stop);
  const { setClocks } = on(deployment);
  const run = async () => {
    const { status, text } = await deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers });
    assert.equal(status, 200, text);
    await deployment.worker.scheduled();
  };
  /** @param {string} item @param {object} [more] */
  const view = (item, more) => ({ action: 'view', item, ...more });
  /** @param {object[]} events */
  const send = async (events) => {
    const { status, body, text } = await deployment.events({ events });
    assert.equal(status, ingest === 'queue' ? 202 : 200, text);
    assert.deepEqual(body.rejected, []);
    return body;
  };
  const statements = async () => {
    const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers });
    return Number(/^edgeboard_database_total\{[^}]*"statements"[^}]*\} (\d+)/m.exec(text)?.[1]);
  };
  /** @param {string} item */
  const score = async (item) => Number((await deployment.redis.command('ZSCORE', 'eb:{demo:articles}:all:0', item)) ?? 0);
  const warnings = () =>
    deployment.worker.log
      .map(({ message }) => message)
      .filter((message) => message.includes('"frozen-period-changed"'))
      .map((message) => JSON.parse(message));
  setClocks(NOW);
  return { deployment, setClocks, run, view, send, statements, score, warnings };
}

const OF_ITEM = [
  { board: 'articles', window: 'hour', periods: ['2026-11-20T23Z'] },
  { board: 'articles', window: 'day', periods: ['2026-11-20'] },
  { board: 'articles', window: 'last-3-days', periods: ['2026-11-20'] },
];
const OF_PERSON = { board: 'people', window: 'day', periods: ['2026-11-20'] };

for (const ingest of ['direct', 'grouped']) {
  describe(`ingest = "${ingest}"`, () => {
    test('the answer names them, of each board on which an event counts', async (t) => {
      const to = await start(t, ingest);
      await to.send([to.view('a', { actor: 'ann' }), to.view('/blog/1')]);
      assert.equal('frozen' in (await to.send([to.view('b', { at: NOW - HOUR_MS })])), false, 'nothing is frozen yet');
      to.setClocks(OVER);
      await to.run();

      const late = { id: 'late', ...to.view('c', { at: NOW }) };
      assert.deepEqual((await to.send([to.view('d'), late])).frozen, OF_ITEM);
      assert.deepEqual((await to.send([late])).frozen, OF_ITEM, 'sent again, as after a lost answer');
      assert.deepEqual((await to.send([to.view('c', { ago: 40 * MINUTE_MS, actor: 'ben' })])).frozen, [...OF_ITEM, OF_PERSON]);
      assert.deepEqual((await to.send([to.view('/blog/1', { at: NOW })])).frozen, [
        ...OF_ITEM,
        { board: 'blog', window: 'day', periods: ['2026-11-20'] },
      ]);
      for (const [what, event] of /** @type {[string, any][]} */ ([
        ['of now', to.view('e')],
        ['of the day that goes on', to.view('e', { at: OVER - 6 * MINUTE_MS + 1 })],
        ['of a moment ago', to.view('e', { ago: 1_500 })],
        ['of before all that is frozen', to.view('e', { at: NOW - 40 * DAY_MS })],
        ['worth nothing', { action: 'like', item: 'e', actor: 'ann', at: NOW }],
      ]))
        assert.equal('frozen' in (await to.send([event])), false, what);

      const refused = await to.deployment.events({ events: [{ ...to.view('f'), action: 'share', at: NOW }] });
      assert.deepEqual([refused.body.rejected.length, 'frozen' in refused.body], [1, false]);
      const beacon = await to.deployment.beacon({ events: [to.view('g', { ago: 40 * MINUTE_MS })] });
      assert.equal(beacon.status, 204);

      // Made anew, they have all of it.
      const anew = await to.deployment.fetch('/v1/demo/admin/boards/articles/freeze?window=day&period=2026-11-20', {
        method: 'POST',
        headers,
      });
      assert.deepEqual([anew.body.changed, anew.body.period.revision, anew.body.period.winner.id], [true, 2, 'c'], anew.text);
    });

    test('usual events ask nothing of the database', async (t) => {
      const to = await start(t, ingest);
      await to.send([to.view('a')]);
      to.setClocks(OVER);
      await to.run();
      const before = await to.statements();
      for (const more of [{}, { ago: 0 }, { ago: 1_500 }, { at: OVER - 4 * MINUTE_MS }]) await to.send([to.view('b', more)]);
      await to.deployment.beacon({ events: [to.view('b', { ago: HOUR_MS })] });
      assert.equal(await to.statements(), before);
      await to.send([to.view('b', { at: NOW }), to.view('c', { at: NOW - MINUTE_MS })]);
      assert.equal(await to.statements(), before + 1, 'one for all events of a batch');
    });

    test('while the database is out the events count, and nobody knows', async (t) => {
      const to = await start(t, ingest);
      await to.send([to.view('a')]);
      to.setClocks(OVER);
      await to.run();
      await (await to.deployment.worker.miniflare.getD1Database('DB')).exec('ALTER TABLE history RENAME TO elsewhere');
      const { accepted, frozen } = await to.send([to.view('c', { at: NOW })]);
      assert.deepEqual([accepted, frozen, await to.score('c')], [1, null, 1]);
    });
  });
}

test('ingest = "queue": the log says it when they are delivered', async (t) => {
  const to = await start(t, 'queue');
  await to.send([to.view('a')]);
  await until('counted', async () => (await to.score('a')) === 1);
  to.setClocks(OVER);
  await to.run();
  assert.equal('frozen' in (await to.send([to.view('c', { at: NOW })])), false, 'it does not count yet');
  await until('counted', async () => (await to.score('c')) === 1);
  await until('three warnings', () => to.warnings().length === 3);
  assert.deepEqual(
    to.warnings().map(({ board, window, periods }) => ({ board, window, periods })),
    OF_ITEM,
  );
  for (const { level, site, detail } of to.warnings()) {
    assert.deepEqual([level, site], ['warn', 'demo']);
    assert.match(detail, /POST \/v1\/demo\/admin\/boards\/articles\/freeze\?window=(hour|day|last-3-days)&period=… freezes one anew/);
  }
  await to.send([to.view('d')]);
  await to.deployment.beacon({ events: [to.view('e', { ago: 40 * MINUTE_MS })] });
  await until('counted', async () => (await to.score('d')) === 1 && (await to.score('e')) === 1);
  assert.equal(to.warnings().length, 3);
});
