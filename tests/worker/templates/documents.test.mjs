/** What lies beside Redis of boards of templates goes with them, in a few trips however many they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, admin, pass, SITE, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const LEVEL = { ...SITE.boards.level, max_boards: 100 };
const BOARDS = Array.from({ length: 60 }, (_, i) => `level:${i}`);

/** The names of what is known of lists of hidden members, where they lie. @type {Record<string, (deployment: Deployment) => Promise<string[]>>} */
const DOCUMENTS = {
  async hasDatabase({ worker }) {
    const database = await worker.miniflare.getD1Database('DB');
    const { results } = await database.prepare("SELECT name FROM state_documents WHERE name LIKE '%/curation' ORDER BY name").all();
    return results.map((/** @type {any} */ { name }) => name);
  },
  async hasBucket({ worker }) {
    const bucket = /** @type {any} */ (await worker.miniflare.getR2Bucket('ARCHIVE'));
    const { objects } = await bucket.list({ prefix: 'eb/demo/' });
    const names = objects.map((/** @type {{ key: string }} */ { key }) => key.replace(/^eb\/demo\/|\.json$/g, ''));
    return names.filter((/** @type {string} */ name) => name.endsWith('/curation'));
  },
};

for (const [place, documents] of Object.entries(DOCUMENTS)) {
  test(`lists of hidden members go with their boards: ${place}`, async (t) => {
    const deployment = await start(t, { site: { boards: { ...SITE.boards, level: LEVEL } }, hasDatabase: false, [place]: true });
    const trips = async () => {
      const { text } = await deployment.fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      return Number(/_isolate_database_total\{site="",what="trips"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    for (const board of BOARDS) assert.equal((await admin(deployment, 'PUT', `boards/${board}`)).status, 201);
    for (const board of ['level:1', 'level:2', 'level:59']) {
      assert.equal((await admin(deployment, 'PUT', `boards/${board}/hidden/ann`)).status, 204);
    }
    await pass(deployment, 6);
    const ofLevels = async () => (await documents(deployment)).filter((name) => name.startsWith('level:'));
    assert.deepEqual(await ofLevels(), ['level:1/curation', 'level:2/curation', 'level:59/curation']);

    for (const board of BOARDS.slice(0, 59)) assert.equal((await admin(deployment, 'DELETE', `boards/${board}`)).status, 202);
    const before = await trips();
    await pass(deployment, 4);
    assert.ok((await trips()) - before < 30, `${(await trips()) - before} trips for 59 boards`);
    assert.deepEqual(await ofLevels(), ['level:59/curation']);
    assert.equal((await admin(deployment, 'GET', 'templates/level')).body.total, 1);
    assert.equal((await admin(deployment, 'PUT', 'boards/level:1')).status, 201);
    const { body } = await admin(deployment, 'GET', 'boards/level:1/hidden');
    assert.deepEqual(body.ids, [], 'a board of the same name has nothing of it');
  });
}
