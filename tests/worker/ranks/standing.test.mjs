/**
 * Where the members of events stood and stand: told by the call that counts them.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { RESP, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

const ACTIONS = { view: { public: true }, like: { reversible: true }, finish: {} };
const LEAGUE = { name: 'league', kind: 'season', from: '2026-11-06', until: '2027-03-01', every: '1 week' };
const BOARD = { weights: { view: 1, like: 3 }, windows: ['hour', 'day', 'last-7-days', LEAGUE, 'all'] };
const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
const boards = {
  ordinal: BOARD,
  shared: { ...BOARD, ranking: 'competition' },
  likes: { weights: { like: 1 }, windows: ['day', HOT] },
  best: { score: 'max', actions: ['finish'], members: 'actors', windows: ['day', 'last-7-days'], max_members: 1000 },
};
const SITES = {
  demo: { actions: ACTIONS, boards },
  later: { ingest: 'grouped', actions: ACTIONS, boards },
};

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    /** @type {import('../../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, relayed: true, sites: SITES });
      for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
    });
    beforeEach(() => deployment.reset());
    after(() => deployment?.stop());

    /** @param {string} standing @param {unknown} body @param {string} [site] */
    const send = (standing, body, site = 'demo') => {
      const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
      return deployment.fetch(`/v1/${site}/events?standing=${encodeURIComponent(standing)}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
    };
    const view = (/** @type {string} */ item) => ({ action: 'view', item });

    test('ranks and scores before and after, in every kind of window', async () => {
      await deployment.events({ events: ['a', 'a', 'a', 'b', 'b', 'c'].map(view) });
      for (const [window, period] of [
        ['hour', '2026-11-20T12Z'],
        ['day', '2026-11-20'],
        ['last-7-days', '2026-11-20'],
        ['league', '2026-11-20'],
        ['all', 'all'],
      ]) {
        const { status, body } = await send(`ordinal/${window}`, { events: [view('c'), view('d'), view('c'), view('c')] });
        assert.equal(status, 200);
        const { members, ...rest } = body.standing;
        assert.deepEqual(rest, { board: 'ordinal', window, period, complete: true, ranking: 'ordinal' });
        const [c, d] = members;
        const page = (await deployment.freshTop(`ordinal/${window}`)).body.entries;
        for (const { id, after } of members) {
          assert.deepEqual(after, (({ rank, score }) => ({ rank, score }))(page.find((/** @type {any} */ entry) => entry.id === id)));
        }
        assert.equal(c.after.score - c.before.score, 3);
        assert.deepEqual(d.before === null, window === 'hour', 'it was new for the first');
      }
    });

    test('what is refused or known moves nobody; what is undone moves back', async () => {
      const like = { action: 'like', item: 'a', actor: 'u1' };
      const done = await send('shared/day', { id: 'b1', events: [like, { action: 'share', item: 'x' }] });
      assert.deepEqual(done.body.standing.members, [{ id: 'a', before: null, after: { rank: 1, score: 3 } }]);
      assert.equal(done.body.rejected.length, 1);
      const again = await send('shared/day', { id: 'b1', events: [like, { action: 'share', item: 'x' }] });
      assert.deepEqual([again.body.duplicate, again.body.standing.members], [1, []]);
      const undone = await send('shared/day', { ...like, undo: true });
      assert.deepEqual(undone.body.standing.members, [{ id: 'a', before: { rank: 1, score: 3 }, after: null }]);
      const elsewhere = await send('likes/day', view('a'));
      assert.deepEqual([elsewhere.body.accepted, 'standing' in elsewhere.body], [1, false], 'views do not count there');
    });

    test('in one round trip, nine commands more than without', async () => {
      const plain = () => deployment.events({ action: 'like', item: 'a', actor: `u${Math.random()}` });
      const asks = () => send('likes/day', { action: 'like', item: 'a', actor: `u${Math.random()}` });
      for (const work of [plain, asks, plain, asks]) assert.equal((await work()).body.accepted, 1);
      const sum = (/** @type {Record<string, number>} */ counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
      const trips = deployment.link.roundTrips;
      const without = sum(await deployment.commandsDuring(plain));
      const between = deployment.link.roundTrips;
      const asked = sum(await deployment.commandsDuring(asks));
      assert.deepEqual([asked - without, deployment.link.roundTrips - between], [9, between - trips]);
    });

    for (const [what, standing, status, code, site] of /** @type {[string, string, number, string, string?][]} */ ([
      ['no ranking', 'ordinal', 400, 'invalid-parameter'],
      ['no board', 'other/day', 404, 'unknown-board'],
      ['no window', 'ordinal/week', 404, 'unknown-window'],
      ['a window that fades', 'likes/hot', 400, 'invalid-parameter'],
      ['a rolling window of values', 'best/last-7-days', 400, 'invalid-parameter'],
      ['events that are gathered', 'ordinal/day', 400, 'invalid-parameter', 'later'],
    ])) {
      test(`${what} is refused, and counts nothing`, async () => {
        const refused = await send(standing, view('z'), site);
        assert.deepEqual([refused.status, refused.body.code], [status, code]);
        assert.equal((await deployment.freshTop('ordinal/day', '', site)).body.total, 0);
      });
    }
  });
}
