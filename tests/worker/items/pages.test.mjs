/**
 * Details from pages: items that nobody described get what their own pages say, from a real site.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';

import { ADMIN_TOKEN, edit as editOn } from './site.mjs';
import { startDeployment } from '../../support/deployment.mjs';
import { until } from '../../support/until.mjs';

/** @typedef {import('../../support/deployment.mjs').Deployment} Deployment */
/** @typedef {{ status?: number, type?: string, location?: string, body?: string }} Page */

const MINUTE_MS = 60_000;
const ARTICLE = `<!doctype html><html><head><title>Goals &amp; games – A paper</title>
<meta property="og:title" content="Goals &amp; games"><meta property="article:section" content="sport">
<script type="application/ld+json">{ "@type": "NewsArticle", "headline": "x", "author": { "name": "ann" }, "datePublished": "2026-11-20T08:00:00Z" }</script>
</head><body><svg><title>not this one</title></svg><p>${'long '.repeat(200_000)}</p></body></html>`;

describe('details from pages', () => {
  /** What the site answers, by path. @type {Record<string, Page>} */
  let pages = {};
  /** @type {string[]} */
  let asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const { status = 200, type = 'text/html; charset=utf-8', location, body = '' } = pages[request.url ?? ''] ?? { status: 404 };
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
  });
  /** @type {Deployment} */
  let deployment;
  /** Of the site, and of another one that is up as well. */
  let origin = '';
  before(async () => {
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    origin = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
    const board = { weights: { view: 1 }, windows: ['day'], details: true };
    const site = { origins: [origin], actions: { view: {} }, boards: { articles: board, people: { ...board, members: 'actors' } } };
    const sites = { demo: { ...site, details_from_pages: true, title_strip: ' – A paper' }, other: site };
    deployment = await startDeployment({ transport: 'redis://', sites, vars: { ADMIN_TOKEN }, hasDatabase: true });
  });
  beforeEach(async () => {
    [pages, asked] = [{}, []];
    await deployment.reset();
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(2 * MINUTE_MS);
    const database = await deployment.worker.miniflare.getD1Database('DB');
    for (const table of ['items', 'page_reads'])
      await database
        .prepare(`DELETE FROM ${table}`)
        .run()
        .catch(() => undefined);
  });
  after(async () => {
    await deployment?.stop();
    server.close();
  });

  /** Shows items, and reads about them. @param {string[]} items @param {string} [site] */
  async function show(items, site = 'demo') {
    await deployment.events({ events: items.map((item) => ({ action: 'view', item, actor: 'ann' })) }, { site });
    for (const ranking of ['articles/day', 'people/day']) await deployment.freshTop(ranking, '', site);
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const wanted = async () =>
      (
        await database
          .prepare('SELECT id FROM page_reads')
          .all()
          .catch(() => ({ results: [] }))
      ).results.length > 0;
    if (site === 'demo') await until('an item is wanted', wanted);
    await deployment.worker.scheduled();
  }

  /** @param {string} [site] @returns {Promise<Record<string, { title: string }>>} */
  async function titles(site = 'demo') {
    const { body } = await deployment.freshTop('articles/day', '', site);
    return Object.fromEntries(body.entries.map((/** @type {{ id: string, details?: object }} */ { id, details }) => [id, details]));
  }

  test('are read of what is shown and not known, once', async () => {
    pages = { '/a': { body: ARTICLE }, '/b': { body: '<title>Second</title>' }, '/old': { status: 301, location: '/b' } };
    await editOn(deployment, 'PUT', 'items/%2Fb', { title: 'By an editor' });
    await show(['/a', '/b', '/old', `${origin}/a`, 'no-address', '/a?log=out', 'https://elsewhere.example/a']);
    const a = { title: 'Goals & games', category: 'sport', author: 'ann', published_at: '2026-11-20T08:00:00Z' };
    assert.deepEqual(await titles(), {
      '/a': { ...a, url: '/a' },
      '/b': { title: 'By an editor' },
      '/old': { title: 'Second', url: '/old' },
      [`${origin}/a`]: { ...a, url: `${origin}/a` },
      'no-address': undefined,
      '/a?log=out': undefined,
      'https://elsewhere.example/a': undefined,
    });
    assert.deepEqual(asked.toSorted(), ['/a', '/a', '/b', '/old'].toSorted());
    await deployment.worker.scheduled();
    assert.equal(asked.length, 4, 'what is known is not asked for again');
    assert.equal((await deployment.fetch('/v1/demo/actors/ann')).status, 404, 'actors have no pages');
  });

  test('are tried again when a page fails, ever more seldom', async () => {
    pages = { '/file': { type: 'application/pdf', body: 'x' }, '/away': { status: 302, location: 'https://elsewhere.example/' } };
    await show(['/missing', '/file', '/away', '/loop']);
    assert.deepEqual(asked.toSorted(), ['/away', '/file', '/loop', '/missing']);
    await deployment.worker.scheduled();
    assert.equal(asked.length, 4, 'not at once');
    pages = { '/missing': { body: '<title>Found</title>' } };
    const database = await deployment.worker.miniflare.getD1Database('DB');
    const { results } = await database.prepare('SELECT tries, due_at - unixepoch() * 1000 AS wait FROM page_reads').all();
    for (const { tries, wait } of results)
      assert.ok(tries === 1 && Number(wait) > 4 * MINUTE_MS && Number(wait) < 6 * MINUTE_MS, `${wait}`);
    await database.prepare('UPDATE page_reads SET due_at = 0').run();
    await deployment.worker.scheduled();
    assert.equal((await titles())['/missing'].title, 'Found');
    await database.prepare('UPDATE page_reads SET due_at = 0, tries = 8').run();
    const before = asked.length;
    await deployment.worker.scheduled();
    assert.equal(asked.length, before, 'given up');
  });

  test('have titles without what all titles of the site end with', async () => {
    pages = {
      '/plain': { body: '<title>Plain – A paper</title>' },
      '/graph': { body: '<title>x</title><meta property="og:title" content="Graph – A paper">' },
      '/named': { body: '<title>Named | The paper</title><meta property="og:site_name" content="The paper">' },
      '/headline': { body: '<title>x</title><script type="application/ld+json">{"headline":"Headline – A paper"}</script>' },
      '/only': { body: '<title> – A paper</title>' },
    };
    await show(Object.keys(pages));
    const titled = Object.entries(await titles()).map(([id, { title }]) => [id, title]);
    assert.deepEqual(Object.fromEntries(titled), {
      '/plain': 'Plain',
      '/graph': 'Graph',
      '/named': 'Named',
      '/headline': 'Headline',
      '/only': '– A paper',
    });
  });

  test('are not read where the site does not ask for it', async () => {
    pages = { '/a': { body: ARTICLE } };
    await show(['/a'], 'other');
    assert.deepEqual([asked, await titles('other')], [[], { '/a': undefined }]);
  });
});
