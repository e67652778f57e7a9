/** Boards of templates, by the client: counted on, read as any other, and administered by `request`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createClient } from '../../packages/client/src/index.js';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const SITE = {
  actions: { finish: {} },
  boards: { level: { template: true, members: 'actors', weights: { finish: 1 }, windows: ['all'] } },
};
const BOARD = '/v1/{site}/admin/boards/{board}';

test('a board is made, counted on, read, listed and deleted', async (t) => {
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  t.after(deployment.stop);
  const client = (/** @type {string} */ token) => createClient({ url: deployment.worker.url, site: 'demo', token });
  const [admin, writer] = [client(ADMIN_TOKEN), client(WRITE_TOKEN)];
  const path = { board: 'level:42' };
  const { state, title } = await admin.request(`PUT ${BOARD}`, { path, body: { title: 'The mill' } });
  assert.deepEqual([state, title], ['open', 'The mill']);

  const { accepted, rejected } = await writer.send([
    { action: 'finish', actor: 'ann', boards: ['level:42'] },
    { action: 'finish', actor: 'ann', boards: ['level:43'] },
  ]);
  assert.deepEqual([accepted, rejected.map(({ index, code }) => [index, code])], [1, [[1, 'unknown-board']]]);
  const { entries } = await writer.ranking('level:42', 'all');
  assert.deepEqual(
    entries.map(({ id, score }) => [id, score]),
    [['ann', 1]],
  );
  const list = await admin.request('GET /v1/{site}/admin/templates/{board}', { path: { board: 'level' }, query: { limit: 1 } });
  assert.deepEqual([list.total, list.boards.map(({ board }) => board), list.next], [1, ['level:42'], 'level:42']);

  assert.equal((await admin.request(`DELETE ${BOARD}`, { path })).state, 'going');
  await assert.rejects(writer.ranking('level:42', 'all'), { status: 410, code: 'board-going' });
});
