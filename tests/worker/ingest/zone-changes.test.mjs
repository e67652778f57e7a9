/**
 * The hours after a zone's clock changes, on a board that was reset on an earlier day: every event counts, whichever way it comes.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { INGESTS } from '../../support/ingests.mjs';
import { until } from '../../support/until.mjs';
import { ADMIN_TOKEN, score, start } from './queued.mjs';

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };
const MINUTE_MS = 60_000;
const SENT = 50;
const SOON = { timeoutMs: 20_000 };
/** London's clock is set back by an hour, and forward by one. */
const CHANGES = ['2026-10-25T01:00:00Z', '2027-03-28T01:00:00Z'];

for (const ingest of INGESTS) {
  describe(`ingest = "${ingest}"`, () => {
    for (const change of CHANGES) {
      test(`events of the hours after ${change}`, async (t) => {
        const deployment = await start(t, { site: { ingest, timezone: 'Europe/London', journal: '7d' } });
        const { clock, edgeClock, beacon, events, fetch, worker } = deployment;
        /** @param {number} atMs */
        const moveTo = (atMs) => {
          for (const each of [clock, edgeClock]) each.set(atMs);
        };
        moveTo(Date.parse(change) - 5 * 24 * 60 * MINUTE_MS);
        const like = { action: 'like', item: '/liked', actor: 'before', seq: 1 };
        assert.ok([200, 202].includes((await events({ events: [like, { action: 'view', item: '/posts/1' }] })).status));
        await until('counted', async () => (await score(deployment)) === 1, SOON);
        for (const board of ['articles', 'people']) {
          const { status, text } = await fetch(`/v1/demo/admin/boards/${board}/reset`, { method: 'POST', headers: admin });
          assert.equal(status, 200, text);
        }
        let sent = 0;
        for (const afterMs of [-MINUTE_MS, MINUTE_MS, 59 * MINUTE_MS, 61 * MINUTE_MS, 121 * MINUTE_MS]) {
          moveTo(Date.parse(change) + afterMs);
          const answers = [];
          for (let n = 0; n < SENT / 5; n += 1, sent += 1) {
            const view = { action: 'view', item: '/posts/1', actor: `u${sent}` };
            const likes = { action: 'like', item: '/liked', actor: `u${sent}`, seq: 1 };
            answers.push(
              (await beacon({ id: `b${sent}`, events: [view] })).status,
              (await events({ id: `e${sent}`, events: [likes, { ...view, item: '/posts/2', ago: 90 * MINUTE_MS }] })).status,
            );
          }
          const allowed = ingest === 'queue' ? [202, 204] : [200, 204];
          assert.deepEqual(
            answers.filter((status) => !allowed.includes(status)),
            [],
            `${afterMs / MINUTE_MS} minutes after the change`,
          );
        }
        assert.equal(sent, SENT);
        const counted = () => Promise.all(['/posts/1', '/posts/2', '/liked'].map((item) => score(deployment, item)));
        await until('all counted', async () => (await counted()).join() === `${SENT},${SENT},${2 * SENT}`, SOON).catch(async (error) => {
          const { body } = await fetch('/v1/demo/admin/dead', { headers: admin });
          assert.fail(`${error}: ${await counted()}; ${body.letters.length} dead letters: ${JSON.stringify(body.letters[0])}`);
        });
        assert.equal(await score(deployment, `u${SENT - 1}`, 'people'), 4, 'a view now, one of 90 minutes ago, and a like');
        const { body } = await fetch('/v1/demo/admin/dead', { headers: admin });
        assert.deepEqual(body.letters, []);
        assert.deepEqual(
          worker.log.filter(({ level }) => level === 'error'),
          [],
        );
      });
    }
  });
}
