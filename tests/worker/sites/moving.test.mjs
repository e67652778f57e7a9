/**
 * All that a site has, as one file: it is read piece by piece and goes on after a break, and what is put back ranks as before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ADMIN_TOKEN, count, later, MINUTE_MS, make, refusal, sites, start } from './site.mjs';

/** @typedef {import('./site.mjs').Deployment} Deployment */

const DAY_MS = 24 * 60 * MINUTE_MS;
const RICH = {
  actions: { view: { public: true }, like: {}, finish: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: ['hour', 'day', 'week', 'all'], ties: 'first', breakdown: true, fresh: '1s' },
    latest: { weights: { view: 1 }, windows: ['all'], ties: 'last', fresh: '1s' },
    rolled: { weights: { view: 1 }, windows: ['last-3-days'], fresh: '1s' },
    best: { members: 'actors', score: 'max', actions: ['finish'], windows: ['day', 'all'], fresh: '1s' },
    newest: { members: 'actors', score: 'last', actions: ['finish'], windows: ['all'], fresh: '1s' },
    level: { template: true, members: 'actors', weights: { like: 1 }, windows: ['all'], fresh: '1s' },
  },
};
const RANKINGS = [
  ...['hour', 'day', 'week', 'all'].map((window) => `articles/${window}`),
  ...['day?period=2026-11-20', 'day?period=2026-11-21'].map((window) => `articles/${window}`),
  ...['latest/all', 'rolled/last-3-days', 'best/day', 'best/all', 'newest/all', 'level:1/all', 'level:2/all'],
];

/** @param {Deployment} deployment @param {string} site */
const rankings = async (deployment, site) =>
  Promise.all(
    RANKINGS.map(async (ranking) => {
      const [name, period = ''] = ranking.split('?');
      const query = ['details=1', period, name.startsWith('articles') && 'actions=1'].filter(Boolean).join('&');
      const { status, body } = await deployment.freshTop(name, `?${query}`, site);
      // A rolling window that is made anew has none before it.
      const entries = body.entries?.map((/** @type {any} */ { previous_rank: before, ...entry }) => ({
        ...entry,
        before: name.startsWith('rolled') || before,
      }));
      return [ranking, status, body.total, body.complete, entries];
    }),
  );

/** @param {Deployment} deployment @param {string} site @param {string} [cursor] */
const exported = async ({ fetch }, site, cursor = '') =>
  fetch(`/v1/admin/sites/${site}/export${cursor && `?cursor=${cursor}`}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

/** @param {Deployment} deployment @param {string} site @param {string} text */
const imported = ({ fetch }, site, text) =>
  fetch(`/v1/admin/sites/${site}/import`, { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, body: text });

/** @param {string} text @returns {any[]} */
const linesOf = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Scheduled runs, a minute apart. @param {Deployment} deployment @param {number} runs */
async function pass(deployment, runs) {
  for (let i = 0; i < runs; i += 1) {
    later(deployment);
    await deployment.worker.scheduled();
  }
}

/** Makes a site and fills it over three days. @param {Deployment} deployment @param {string} site */
async function fill(deployment, site) {
  const { write, admin } = await make(deployment, site, RICH);
  const put = async (/** @type {string} */ path, /** @type {object} */ body = {}) => {
    const init = { method: 'PUT', headers: { authorization: `Bearer ${admin}` }, body: JSON.stringify(body) };
    const { status, text } = await deployment.fetch(`/v1/${site}/${path}`, init);
    assert.ok(status < 300, text);
  };
  await put('items/%2Fa', { title: 'A \u2028 line', category: 'news' });
  await put('actors/ann', { name: 'Ann' });
  await put('admin/boards/level:1', { title: 'The mill', ends_at: '2030-01-01T00:00:00.000Z' });
  await put('admin/boards/level:2');
  for (let day = 0; day < 3; day += 1) {
    const views = ['/b', '/a', '/c', '/hidden', '/off', `/of-${day}`].map((item) => ({ action: 'view', item }));
    const finish = { action: 'finish', actor: `actor-${day}`, value: 10.5 + day };
    const liked = { action: 'like', item: '/c', actor: 'ann', boards: ['level:1'] };
    const { status, body } = await count(deployment, site, write, ...views, finish, liked);
    assert.deepEqual([status, body.rejected], [200, []]);
    if (day < 2) later(deployment, DAY_MS);
    await pass(deployment, 2);
  }
  await put('admin/boards/articles/hidden/%2Fhidden');
  await put('admin/boards/articles/pinned/%2Fc');
  const off = { method: 'DELETE', headers: { authorization: `Bearer ${admin}` } };
  assert.equal((await deployment.fetch(`/v1/${site}/admin/boards/articles/members/%2Foff?keep_off=1`, off)).status, 200);
  return { write, admin };
}

test('a site that is exported, deleted, made again and put back ranks as before', async (t) => {
  const deployment = await start(t);
  await fill(deployment, 'shop');
  await pass(deployment, 2);
  const before = await rankings(deployment, 'shop');
  assert.deepEqual([...new Set(before.map(([, status]) => status))], [200]);

  const whole = await exported(deployment, 'shop');
  assert.deepEqual([whole.status, whole.headers.get('content-disposition')], [200, 'attachment; filename="shop.ndjson"']);
  const lines = linesOf(whole.text);
  assert.deepEqual([lines[0].kind, lines.at(-1)], ['site', { kind: 'end' }]);
  // From each cursor on, the rest is the same.
  for (const [i, { cursor }] of lines.entries()) {
    if (!cursor) continue;
    const rest = await exported(deployment, 'shop', cursor);
    assert.deepEqual(linesOf(rest.text), lines.slice(i + 1), `${i}`);
  }
  assert.equal((await sites(deployment, 'PUT', '/shop/state', { state: 'suspended' })).status, 200);
  assert.equal((await exported(deployment, 'shop')).text, whole.text, 'suspended');
  assert.equal((await sites(deployment, 'DELETE', '/shop')).status, 202);
  assert.equal((await exported(deployment, 'shop')).text, whole.text, 'before anything is deleted');
  later(deployment, 2 * MINUTE_MS);
  assert.deepEqual(refusal(await exported(deployment, 'shop')), [410, 'site-going']);
  assert.deepEqual(refusal(await imported(deployment, 'shop', whole.text)), [410, 'site-going']);
  await pass(deployment, 8);
  assert.deepEqual(refusal(await exported(deployment, 'shop')), [404, 'unknown-site']);

  // Under another name too, while the first one is suspended.
  for (const site of ['shop', 'copy']) {
    const { status, body } = await sites(deployment, 'PUT', `/${site}`, lines[0].configuration);
    assert.equal(status, 201);
    if (site === 'shop') await sites(deployment, 'PUT', '/shop/state', { state: 'suspended' });
    const put = await imported(deployment, site, whole.text);
    assert.deepEqual([put.status, put.body], [200, { site, lines: lines.length, kept: [] }], put.text);
    await pass(deployment, 3);
    assert.deepEqual(await rankings(deployment, site), before, site);
    const again = await imported(deployment, site, whole.text);
    assert.equal(again.body.kept.length, lines.filter(({ kind, last }) => kind === 'members' && last).length, 'each period stays');
    assert.deepEqual(await rankings(deployment, site), before, `${site}, again`);
    if (site === 'copy') {
      await count(deployment, site, body.issued.write, { action: 'view', item: '/b' });
      const { body: counted } = await deployment.freshTop('latest/all', '', site);
      assert.deepEqual([counted.entries[0].id, counted.entries[0].score], ['/b', 4], 'what comes later counts on');
      await count(deployment, site, body.issued.write, { action: 'finish', actor: 'actor-0', value: 1.5 });
      const { body: newest } = await deployment.freshTop('newest/all', '', site);
      assert.deepEqual(newest.entries.at(-1).score, 1.5);
    }
  }
});

test('a period of many members is put back in several bodies, each of them sent again, and none twice', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop', RICH);
  for (let i = 0; i < 26; i += 1) {
    const events = Array.from({ length: 100 }, (_, j) => ({ action: 'view', item: `/${i}-${j}`, count: 1 + ((i * j) % 7) }));
    await count(deployment, 'shop', write, ...events);
  }
  const page = async (/** @type {string} */ site) => (await deployment.freshTop('latest/all', '?limit=100', site)).body.entries;
  const before = await page('shop');
  const { text } = await exported(deployment, 'shop');
  const lines = text.split('\n').filter(Boolean);
  const members = lines.filter((line) => line.includes('"kind":"members"'));
  assert.ok(
    members.some((line) => JSON.parse(line).first === 2000),
    'a period has three lines',
  );
  await make(deployment, 'copy', RICH);
  const middle = members.find((line) => JSON.parse(line).first === 1000);
  const early = await imported(deployment, 'copy', `${middle}`);
  assert.deepEqual(refusal(early), [400, 'invalid-line']);
  for (const line of lines) {
    for (let i = 0; i < 2; i += 1) {
      const { status, text: answer } = await imported(deployment, 'copy', line);
      assert.equal(status, 200, answer);
    }
  }
  assert.deepEqual(await page('copy'), before);
  assert.equal((await deployment.freshTop('articles/all', '', 'copy')).body.total, 2600);
});

test('a period in which something was counted stays as it is, and what is no line is refused with its number', async (t) => {
  const deployment = await start(t);
  const { write } = await make(deployment, 'shop');
  await count(deployment, 'shop', write, { action: 'view', item: '/a' });
  const { text } = await exported(deployment, 'shop');
  const other = await make(deployment, 'blog');
  await count(deployment, 'blog', other.write, { action: 'view', item: '/b' });
  const { body } = await imported(deployment, 'blog', text);
  assert.deepEqual(
    body.kept.map((/** @type {any} */ { board, unit }) => `${board}/${unit}`),
    ['articles/day', 'articles/all', 'rolled/day'],
  );
  assert.deepEqual(
    (await deployment.freshTop('articles/all', '', 'blog')).body.entries.map((/** @type {any} */ { id }) => id),
    ['/b'],
  );
  for (const [line, detail] of [
    ['{', /^line 2: it is not JSON/],
    ['[]', 'line 2: it is not an object'],
    ['{"kind":"key"}', /^line 2: kind = "key" is not allowed; allowed: site, item/],
    ['{"kind":"site","format":2}', 'line 2: format = 2 is not allowed; allowed: 1'],
    ['{"kind":"hidden","board":"none","ids":["/a"]}', 'line 2: the site blog has no board "none"'],
    ['{"kind":"hidden","board":"articles","ids":"/a"}', 'line 2: ids = "/a" is not allowed; allowed: a list of ids'],
    ['{"kind":"members","board":"articles"}', /^line 2: missing field `unit`/],
    [
      '{"kind":"members","board":"articles","unit":"year","number":1,"total":1,"first":0,"last":true,"ids":[],"scores":[]}',
      /counts no periods of unit "year"/,
    ],
    [
      '{"kind":"members","board":"articles","unit":"day","number":1,"total":1,"first":0,"last":true,"ids":["/a"],"scores":[]}',
      /are not alike/,
    ],
    ['{"kind":"item","id":"/a","title":7}', /^line 2: title/],
  ]) {
    const answer = await imported(deployment, 'blog', `{"kind":"end"}\n${line}\n{"kind":"end"}`);
    assert.deepEqual(refusal(answer), [400, 'invalid-line'], `${line} ${answer.text}`);
    assert.match(answer.body.detail, typeof detail === 'string' ? new RegExp(`^${detail}$`) : /** @type {RegExp} */ (detail));
  }
  assert.deepEqual(refusal(await exported(deployment, 'shop', 'bm8')), [400, 'invalid-parameter']);
  assert.deepEqual(refusal(await exported(deployment, 'demo')), [409, 'site-configured']);
  assert.deepEqual(refusal(await imported(deployment, 'none', '')), [404, 'unknown-site']);
});

test('events that come while a site is put back count once each: before its last line a period is kept, behind it they are added', async (t) => {
  const deployment = await start(t);
  const WINDOWS = /** @type {const} */ (['day', 'all']);
  const LINES = [
    { ids: ['/a', '/b'], scores: [30, 20] },
    { ids: ['/c', '/d'], scores: [10, 5] },
  ];
  const boards = { articles: { weights: { view: 1 }, windows: WINDOWS, fresh: '1s' } };
  const numbers = { day: Date.parse('2026-11-20') / DAY_MS, all: 0 };
  const steps = WINDOWS.flatMap((unit) =>
    LINES.map(({ ids, scores }, i) => {
      const line = { kind: 'members', board: 'articles', unit, number: numbers[unit], total: 4, first: 2 * i, last: i === 1, ids, scores };
      return { unit, isLast: i === 1, line: JSON.stringify(line) };
    }),
  );
  /** A bit for each line, and one for behind the last one: whether an event comes before it. */
  for (const comes of [0b00000, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10110, 0b11111]) {
    const site = `to-${comes}`;
    const { write } = await make(deployment, site, { actions: { view: {} }, boards });
    /** By window. @type {Record<string, Record<string, number>>} */
    const model = { day: {}, all: {} };
    /** @type {string[]} */
    const kept = [];
    /** @type {string[]} */
    const answered = [];
    for (const [i, step] of [...steps, undefined].entries()) {
      if (comes & (1 << i)) {
        const item = ['/a', '/new'][i % 2] ?? '';
        assert.equal((await count(deployment, site, write, { action: 'view', item })).status, 200);
        for (const window of WINDOWS) model[window][item] = (model[window][item] ?? 0) + 1;
      }
      if (!step) continue;
      const { status, body, text } = await imported(deployment, site, step.line);
      assert.equal(status, 200, text);
      answered.push(...body.kept.map((/** @type {any} */ { unit }) => unit));
      if (!step.isLast) continue;
      if (Object.keys(model[step.unit]).length > 0) kept.push(step.unit);
      else model[step.unit] = Object.fromEntries(LINES.flatMap(({ ids, scores }) => ids.map((id, j) => [id, scores[j]])));
    }
    assert.deepEqual([...new Set(answered)], kept, site);
    for (const window of WINDOWS) {
      const { body } = await deployment.freshTop(`articles/${window}`, '', site);
      const scores = Object.fromEntries(body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
      assert.deepEqual(scores, model[window], `${site}: ${window}`);
    }
  }

  const { write } = await make(deployment, 'at-once', { actions: { view: {} }, boards });
  const putAll = async () => {
    const answers = [];
    for (const { line } of steps) answers.push(await imported(deployment, 'at-once', line));
    return answers.flatMap(({ body }) => body.kept.map((/** @type {any} */ { unit }) => unit));
  };
  const views = Array.from({ length: 8 }, () => count(deployment, 'at-once', write, { action: 'view', item: '/a' }));
  const [kept] = await Promise.all([putAll(), ...views]);
  for (const window of WINDOWS) {
    const { body } = await deployment.freshTop(`articles/${window}`, '', 'at-once');
    const [{ id, score }] = body.entries;
    assert.deepEqual([id, score, body.total], kept.includes(window) ? ['/a', 8, 1] : ['/a', 38, 4], window);
  }
});
