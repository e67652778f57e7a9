/** Which requests pass which filters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createFilter, parsePattern } from '../../packages/edgeboard/import/filter.mjs';

const NONE = { statuses: [], methods: [], include: [], exclude: [], from: -Infinity, until: Infinity };
const REQUEST = { status: 200, method: 'GET', path: '/blog/a', time: 1000 };

/**
 * Checks one filter against requests that differ from a plain one only in what is named.
 *
 * @typedef {Partial<typeof REQUEST>} Difference
 *
 * @param {{ statuses?: string[], methods?: string[], include?: string[], exclude?: string[], from?: number, until?: number }} filters
 * @param {{ passes: Difference[], fails: Difference[] }} expected
 */
function check(filters, { passes, fails }) {
  const patterns = {
    include: (filters.include ?? []).map(parsePattern),
    exclude: (filters.exclude ?? []).map(parsePattern),
  };
  const filter = createFilter({ ...NONE, ...filters, ...patterns });
  for (const request of passes) assert.ok(filter({ ...REQUEST, ...request }), `passes ${JSON.stringify(request)}`);
  for (const request of fails) assert.ok(!filter({ ...REQUEST, ...request }), `fails ${JSON.stringify(request)}`);
}

const statuses = (/** @type {number[]} */ ...list) => list.map((status) => ({ status }));
const paths = (/** @type {string[]} */ ...list) => list.map((path) => ({ path }));

test('without a filter everything passes', () => {
  check({}, { passes: [...statuses(100, 200, 404, 599), { method: 'PURGE' }, { path: '' }], fails: [] });
});

test('statuses are classes or exact', () => {
  check({ statuses: ['2xx', '304'] }, { passes: statuses(200, 299, 304), fails: statuses(199, 300, 303, 404) });
});

test('methods are exact', () => {
  check({ methods: ['GET', 'HEAD'] }, { passes: [{ method: 'HEAD' }], fails: [{ method: 'POST' }, { method: 'get' }] });
});

test('a span of time has its first instant, and not its last', () => {
  check({ from: 500, until: 1001 }, { passes: [{ time: 500 }, { time: 1000 }], fails: [{ time: 499 }, { time: 1001 }] });
});

test('a pattern covers the whole path and * any run of characters', () => {
  check(
    { include: ['/blog/*', '*.html'] },
    {
      passes: paths('/blog/', '/blog/a/b', '/x.html', '/x/\n.html'),
      fails: paths('/blog', '/a/blog/', '/x.html5', '/xhtml'),
    },
  );
});

test('what a regular expression would read otherwise stands for itself', () => {
  check({ include: ['/a.b+(c)[d]{e}^$|\\?'] }, { passes: paths('/a.b+(c)[d]{e}^$|\\?'), fails: paths('/aXb+(c)[d]{e}^$|\\?') });
});

test('a pattern between slashes is a regular expression that matches anywhere', () => {
  check({ exclude: [String.raw`/\.(png|css)$/`] }, { passes: paths('/a.png/b', '/apng'), fails: paths('/a.png', '/b/c.css') });
});

test('a lone slash is the front page', () => {
  check({ include: ['/'] }, { passes: paths('/'), fails: paths('/a') });
});

test('one include is enough, one exclude too much', () => {
  check(
    { include: ['/blog/*', '/docs/*'], exclude: ['*/draft*', '/docs/old/*'] },
    { passes: paths('/blog/a', '/docs/a'), fails: paths('/', '/blog/draft-1', '/docs/old/a') },
  );
});

test('all filters must agree', () => {
  check(
    { statuses: ['2xx'], methods: ['GET'], include: ['/blog/*'] },
    { passes: [{}], fails: [{ status: 404 }, { method: 'POST' }, { path: '/' }] },
  );
});
