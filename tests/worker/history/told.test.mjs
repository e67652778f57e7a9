/**
 * Periods that are over are handed on with their winners.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertSigned, startWebhook } from '../../support/webhook.mjs';
import { DAY_MS } from '../../support/windows.mjs';
import { MINUTE_MS, NOW, on, start } from './site.mjs';

const FORWARD_SECRET = 'sixteen-letters-and-more';
const OVER = NOW + 36 * MINUTE_MS;

/** @param {import('node:test').TestContext} t */
async function startAll(t) {
  const webhook = await startWebhook();
  const boards = { people: { members: 'actors', weights: { view: 1 }, windows: ['day'], history: 2 } };
  const site = { boards, forward: { webhook: webhook.url, actions: [], periods: true } };
  const deployment = await start({ site, vars: { FORWARD_SECRET } });
  t.after(async () => {
    await deployment.stop();
    webhook.stop();
  });
  const to = on(deployment);
  to.setClocks(NOW);
  await to.view({ ann: 4, ben: 3, cas: 2 });
  return { heard: webhook.heard, answers: webhook.answers, to };
}

test('each once, signed, with its winners', async (t) => {
  const { heard, to } = await startAll(t);
  to.setClocks(OVER);
  await to.freeze();
  await to.freeze();
  assert.equal(heard.length, 1);
  assert.deepEqual(heard[0]?.message, {
    site: 'demo',
    period: {
      board: 'people',
      window: 'day',
      id: '2026-11-20',
      starts_at: '2026-11-20T00:00:00Z',
      ends_at: '2026-11-21T00:00:00Z',
      revision: 1,
      total: 3,
      entries: [
        { rank: 1, id: 'ann', score: 4 },
        { rank: 2, id: 'ben', score: 3 },
      ],
    },
  });
  assertSigned(heard[0], FORWARD_SECRET);
});

test('again while the receiver refuses, and for a day at most', async (t) => {
  const { heard, answers, to } = await startAll(t);
  answers.status = 410;
  to.setClocks(OVER);
  assert.equal(await to.freeze(), 0, 'nobody has it');
  answers.status = 204;
  assert.equal(await to.freeze(), 1);
  assert.equal(heard.length, 2);
  assert.equal(heard[1]?.text, heard[0]?.text);

  answers.status = 410;
  to.setClocks(OVER + DAY_MS);
  assert.equal(await to.freeze(), 0);
  to.setClocks(OVER + 2 * DAY_MS);
  // The one that nobody took for a day is frozen all the same; the next one waits.
  assert.equal(await to.freeze(), 1);
  assert.equal((await to.periods('people/day')).body.periods[0].id, '2026-11-21');
});
