/**
 * What becomes of seasons afterwards: winners are frozen, and erasures and removals reach every season that is kept.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { entriesOf, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { DAY_MS } from '../../support/windows.mjs';
import { seasonsOf } from './model.mjs';

const ADMIN_TOKEN = 'a-token-for-owners';
const MONTHS = ['2026-10-31', '2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28'];
const SEASONS = seasonsOf('Europe/Berlin', MONTHS, '2027-03-15');
const months = { name: 'months', kind: 'season', from: '2026-10-31', until: '2027-03-15', every: '1 month' };
const BOARD = { members: 'actors', weights: { win: 1 }, windows: [months], history: 2 };
const SITES = {
  demo: {
    timezone: 'Europe/Berlin',
    actions: { win: {} },
    boards: { players: BOARD, ranked: { ...BOARD, windows: ['all', months], ranking: 'dense', ties: 'last', breakdown: true } },
  },
};

describe('seasons that are over', () => {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars: { ADMIN_TOKEN }, hasDatabase: true });
  });
  beforeEach(() => deployment.reset());
  after(() => deployment?.stop());

  /** @param {number} ms */
  function setClocks(ms) {
    deployment.clock.set(ms);
    deployment.edgeClock.set(ms);
  }
  const wins = (/** @type {string} */ actor, /** @type {number} */ times) =>
    Array.from({ length: times }, () => ({ action: 'win', item: 'game', actor }));
  /** @param {object[]} events */
  async function send(events) {
    assert.equal((await deployment.events({ events })).body.accepted, events.length);
  }
  const admin = (/** @type {string} */ method, /** @type {string} */ path) =>
    deployment.fetch(`/v1/demo/admin/${path}`, { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const season = async (/** @type {string} */ board, /** @type {string} */ id) =>
    entriesOf(await deployment.freshTop(`${board}/months`, `?period=${id}`));

  test('erasures and removals reach each of them', async () => {
    for (const [i, { starts }] of SEASONS.entries()) {
      setClocks(starts + 3_600_000);
      await send([...wins('ann', 3), ...wins('bob', 2), ...wins('eve', 1 + i)]);
    }
    assert.equal(
      (await deployment.fetch('/v1/demo/actors/ann', { method: 'DELETE', headers: { authorization: `Bearer ${WRITE_TOKEN}` } })).status,
      204,
    );
    for (const board of ['players', 'ranked']) {
      const { status, body } = await admin('DELETE', `boards/${board}/members/eve`);
      assert.deepEqual([status, body.done], [200, true]);
      for (const { id } of SEASONS) assert.deepEqual(await season(board, id), [['bob', 2]], `${board} ${id}`);
    }
  });

  test('their winners are frozen, the last one five minutes after its end, and are shown when Redis has forgotten them', async () => {
    const freeze = async () => {
      const { status, body, text } = await admin('POST', 'upkeep');
      assert.equal(status, 200, text);
      return body.frozen;
    };
    const listed = async () => {
      const { body } = await deployment.fetch('/v1/demo/boards/players/months/periods');
      return body.periods.map((/** @type {any} */ { id, winner }) => [id, winner?.id]);
    };
    setClocks(SEASONS[0].starts - DAY_MS);
    assert.equal(await freeze(), 0, 'none has begun');
    for (const [i, { starts, ends }] of SEASONS.entries()) {
      setClocks(starts + 60_000);
      await send([...wins(`p${i}`, 2), ...wins('bob', 1)]);
      assert.equal(await freeze(), 0, 'the last one ended too lately, or is frozen');
      setClocks(starts + 6 * 60_000);
      assert.equal(await freeze(), i === 0 ? 0 : 2, 'of both boards');
      setClocks(ends - 60_000);
      assert.equal(await freeze(), 0, 'it goes on');
    }
    const end = SEASONS[SEASONS.length - 1].ends;
    setClocks(end + 6 * 60_000);
    assert.equal(await freeze(), 2, 'no other one follows');
    assert.deepEqual(await listed(), SEASONS.map(({ id }, i) => [id, `p${i}`]).reverse());
    setClocks(end + 4 * 366 * DAY_MS);
    assert.equal(await freeze(), 0);
    assert.deepEqual(await deployment.redis.command('KEYS', '*:season:*'), []);
    assert.deepEqual(await season('players', MONTHS[1]), [
      ['p1', 2],
      ['bob', 1],
    ]);
    const { body } = await deployment.fetch(`/v1/demo/boards/players/months/members/bob?period=${MONTHS[3]}`);
    assert.deepEqual([body.rank, body.score], [2, 1]);
  });
});
