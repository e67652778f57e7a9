/**
 * A worker that lost a binding goes on counting. What needs the binding is 500 with the line that `npm start` and `npm run deploy` refuse the
 * configuration with; the worker is not ready, and says so in its log once an hour.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { RESP, startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const HOUR_MS = 3_600_000;
const DATABASE = 'needs the D1 database binding DB, which is not in the configuration file';
const BUCKET = 'needs the R2 bucket binding ARCHIVE, which is not in the configuration file, or ARCHIVE_REDIS_URL';
const COUNTED = { weights: { view: 1 }, windows: ['day'] };
const BASE = { origins: ['*'], actors: 'any', actions: { view: { public: true } } };
const SITES = {
  demo: {
    ...BASE,
    boards: {
      plain: COUNTED,
      archived: { ...COUNTED, archive: true },
      frozen: { ...COUNTED, history: 10 },
      shown: { ...COUNTED, details: true },
      totalled: { ...COUNTED, totals: [{ window: 'day' }] },
      kept: { ...COUNTED, snapshot: 'top' },
    },
  },
  news: { ...BASE, boards: { stories: { ...COUNTED, sections: 'category' } } },
  books: { ...BASE, boards: { writers: { ...COUNTED, members: 'authors' } } },
  shop: { ...BASE, known_items: true, boards: { wares: { ...COUNTED, details: true } } },
  pages: { ...BASE, origins: ['https://example.com'], details_from_pages: true, boards: { all: COUNTED } },
  bare: { ...BASE, known_items: true, boards: { all: COUNTED } },
};
const LINES = [
  `SITES.books.boards.writers.members = "authors" ${DATABASE}`,
  `SITES.demo.boards.archived.archive = true ${BUCKET}`,
  `SITES.demo.boards.frozen.history = 10 ${DATABASE}`,
  `SITES.demo.boards.kept.snapshot = "top" ${DATABASE}`,
  `SITES.demo.boards.shown.details = true ${DATABASE}`,
  `SITES.demo.boards.totalled.totals[0].to = "d1" ${DATABASE}`,
  `SITES.news.boards.stories.sections = "category" ${DATABASE}`,
  `SITES.pages.details_from_pages = true ${DATABASE}`,
  `SITES.shop.boards.wares.details = true ${DATABASE}`,
];

describe('a worker without its database and its bucket', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    deployment = await startDeployment({ transport: RESP[0], sites: SITES, vars: { ADMIN_TOKEN }, hasDatabase: false });
  });
  after(() => deployment?.stop());

  const admin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } };
  const logged = () => deployment.worker.log.filter(({ message }) => message.includes('"code":"binding-missing"'));

  test('goes on counting', async () => {
    assert.equal((await deployment.beacon({ action: 'view', item: 'a', actor: 'ann' })).status, 204);
    assert.equal((await deployment.events({ action: 'view', item: 'a' })).status, 200);
    for (const board of ['plain', 'archived', 'frozen', 'totalled', 'kept']) {
      assert.equal((await deployment.freshTop(`${board}/day`)).body.entries[0].score, 2, board);
    }
    assert.equal((await deployment.beacon({ action: 'view', item: 'a' }, { site: 'pages' })).status, 204);
    assert.equal((await deployment.beacon({ action: 'view', item: 'a' }, { site: 'bare' })).status, 204);
  });

  for (const [what, path, line, init] of /** @type {[string, string, number, RequestInit?][]} */ ([
    ['a past period that may be archived', 'boards/archived/day?period=2026-01-01', 1],
    ['a past period that may be frozen', 'boards/frozen/day?period=2026-01-01', 2],
    ['the list of frozen periods', 'boards/frozen/day/periods', 2],
    ['a ranking with details', 'boards/shown/day', 2],
    ['a filter', 'boards/plain/day?category=news', 2],
    ['an item', 'items/a', 0],
    ['an export of an archived period', 'admin/boards/archived/export/day.csv?period=2026-01-01', 1, admin],
    ['an erasure', 'actors/ann', 1, { method: 'DELETE', headers: { authorization: 'Bearer a-token-for-writing' } }],
    ['a restoration', 'admin/restore', 1, { ...admin, method: 'POST' }],
    ['a removal', 'admin/boards/plain/members/a', 1, { ...admin, method: 'DELETE' }],
  ])) {
    test(`answers 500 to ${what}`, async () => {
      const { status, body } = await deployment.fetch(`/v1/demo/${path}`, init);
      assert.deepEqual([status, body?.code], [500, 'binding-missing'], JSON.stringify(body));
      const lines = line === 1 ? [LINES[1]] : LINES.filter((text) => text.endsWith(DATABASE));
      assert.ok(lines.includes(body.detail), body.detail);
    });
  }

  for (const site of ['news', 'books', 'shop']) {
    test(`takes no events of ${site}, which it could not count rightly`, async () => {
      for (const send of [deployment.beacon, deployment.events]) {
        const { status, body, headers } = await send({ action: 'view', item: 'a', actor: 'ann' }, { site });
        assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'binding-missing', '60']);
        assert.ok(body.detail.startsWith(`SITES.${site}.`), body.detail);
      }
      const pixel = await deployment.fetch(`/v1/${site}/beacon.gif?action=view&item=a`, { headers: { 'user-agent': 'Mozilla/5.0' } });
      assert.equal(pixel.status, 503);
    });
  }

  test('is not ready, with each line, and alive', async () => {
    const { status, body } = await deployment.fetch('/readyz');
    assert.deepEqual([status, body.code, body.detail.split('; ')], [503, 'binding-missing', LINES]);
    assert.equal((await deployment.fetch('/healthz')).status, 200);
  });

  test('says so in its log once an hour, whatever upkeep meets', async () => {
    deployment.edgeClock.advance(HOUR_MS);
    deployment.worker.log.splice(0);
    for (let run = 0; run < 3; run += 1) await deployment.worker.scheduled();
    const [first, ...others] = logged();
    assert.deepEqual(others, []);
    assert.deepEqual(JSON.parse(first.message), { level: 'error', code: 'binding-missing', detail: LINES.join('; ') });
    assert.deepEqual(
      deployment.worker.log.filter(({ message }) => message.includes('"level":"error"')),
      [first],
    );
    deployment.edgeClock.advance(HOUR_MS);
    await deployment.worker.scheduled();
    assert.equal(logged().length, 2);
  });
});
