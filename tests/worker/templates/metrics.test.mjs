/** What metrics say of templates, however many boards these have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, admin, count, SITE, start } from './site.mjs';

/** The lines about templates. @param {import('./site.mjs').Deployment} deployment */
async function metricsOf({ fetch }) {
  const { status, text } = await fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  assert.equal(status, 200, text);
  assert.doesNotMatch(text, /level:|made:/, 'a board of a template is no label');
  return text.split('\n').filter((line) => line.startsWith('edgeboard_template'));
}

test('metrics count the boards of each template, in a trip more', async (t) => {
  const deployment = await start(t, { relayed: true });
  for (const board of ['level:1', 'level:2', 'made:1']) await admin(deployment, 'PUT', `boards/${board}`);
  await admin(deployment, 'DELETE', 'boards/level:2');
  await count(deployment, { action: 'finish', actor: 'ann', boards: ['level:1'] });
  assert.deepEqual(await metricsOf(deployment), [
    'edgeboard_template_boards{site="demo",template="best"} 0',
    'edgeboard_template_boards{site="demo",template="level"} 2',
    'edgeboard_template_boards{site="demo",template="made"} 1',
    'edgeboard_template_boards_max{site="demo",template="best"} 1000',
    'edgeboard_template_boards_max{site="demo",template="level"} 3',
    'edgeboard_template_boards_max{site="demo",template="made"} 2',
  ]);
  const { articles } = SITE.boards;
  const plain = await start(t, { relayed: true, site: { boards: { articles } } });
  assert.deepEqual(await metricsOf(plain), []);
  const trips = [];
  for (const each of [plain, deployment]) {
    each.edgeClock.advance(60_000);
    const before = each.link.roundTrips;
    await metricsOf(each);
    trips.push(each.link.roundTrips - before);
  }
  assert.equal(trips[1], trips[0] + 1);
});
