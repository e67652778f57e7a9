/**
 * What boards of templates cost: a look-up a minute, and nothing where no event or address names one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { admin, count, MINUTE_MS, pass, SITE, start } from './site.mjs';

const VIEW = { action: 'view', item: '/a' };
const FINISH = { action: 'finish', actor: 'ann', boards: ['level:1'] };

/** Of functions. @param {Record<string, number>} counts */
const calls = ({ calls = 0 }) => calls;

test('the boards that a batch names are looked up once a minute, all in one call', async (t) => {
  const deployment = await start(t);
  for (const board of ['level:1', 'level:2']) await admin(deployment, 'PUT', `boards/${board}`);
  const both = [FINISH, { ...FINISH, boards: ['level:1', 'level:2'] }];
  const counted = async () => calls(await deployment.commandsDuring(() => count(deployment, ...both)));
  await counted();
  const remembered = await counted();
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(MINUTE_MS);
  assert.equal(await counted(), remembered + 1);
  assert.equal(await counted(), remembered);
});

test('what names none costs the same as without templates', async (t) => {
  const { articles } = SITE.boards;
  const costs = [];
  for (const boards of [{ articles }, SITE.boards]) {
    const deployment = await start(t, { site: { boards } });
    await count(deployment, VIEW);
    await deployment.freshTop('articles/day');
    const counting = await deployment.commandsDuring(async () => void (await count(deployment, VIEW)));
    const reading = await deployment.commandsDuring(async () => void (await deployment.freshTop('articles/day')));
    costs.push({ counting, reading });
  }
  assert.deepEqual(costs[1], costs[0]);
});

test('a thousand boards that nobody counts on or reads cost nothing', async (t) => {
  const made = { ...SITE.boards.made, max_boards: 1000 };
  const deployment = await start(t, { site: { boards: { ...SITE.boards, made } } });
  // An hour of a site with templates, with and without boards.
  await pass(deployment, 6);
  const without = await deployment.commandsDuring(() => pass(deployment, 60));
  const names = Array.from({ length: 1000 }, (_, i) => `made:${i}`);
  for (let first = 0; first < names.length; first += 100) {
    const events = Array.from({ length: 10 }, (_, i) => ({ ...VIEW, boards: names.slice(first + 10 * i, first + 10 * (i + 1)) }));
    assert.deepEqual(await count(deployment, ...events), []);
  }
  assert.equal((await admin(deployment, 'GET', 'templates/made')).body.total, 1000);
  await pass(deployment, 6);
  const idle = await deployment.commandsDuring(() => pass(deployment, 60));
  // A look of each site may fall into either hour.
  assert.ok(calls(idle) <= calls(without) + 2, `${calls(idle)} instead of ${calls(without)}`);
  assert.ok(calls(idle) > 0 && calls(idle) <= 2 * 12 + 60, JSON.stringify(idle));
});
