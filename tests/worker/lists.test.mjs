/** Lists for pages without scripts, as a picture and as a frame: what they say, in which language, how they are cached and refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const ORIGIN = 'https://blog.example';
const COUNTED = { weights: { view: 1 }, windows: ['day'] };
const SITE = {
  origins: ['https://*.blog.example', ORIGIN],
  actions: { view: {}, share: {}, save: {} },
  boards: {
    posts: { ...COUNTED, fresh: '20s' },
    arabic: { ...COUNTED, weights: { share: 1.25 }, decimals: 2 },
    none: { ...COUNTED, weights: { save: 1 } },
  },
};
const HOSTILE = "\"><script>alert(1)</script>' onload='";
/** Views of today and yesterday. */
const POSTS = [
  { id: '/bread/', title: 'Bread & "butter"', today: 12_345, yesterday: 1 },
  { id: '/flour/', title: 'Ten kinds of flour', url: 'https://flour.example/?a=1&b=2', today: 1234, yesterday: 2 },
  { id: HOSTILE, today: 3, yesterday: 0 },
];
const FORMS = { picture: '.svg', frame: '/frame.html' };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { blog: SITE }, vars: { ADMIN_TOKEN } });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
  const viewed = (/** @type {number} */ ago, /** @type {'today' | 'yesterday'} */ day) =>
    POSTS.filter((post) => post[day] > 0).map((post) => ({ action: 'view', item: post.id, count: post[day], ago }));
  const shared = ['/a/', '/b/', '/c/'].map((item, at) => ({ action: 'share', item, count: 3 - at }));
  const events = [...viewed(86_400_000, 'yesterday'), ...viewed(0, 'today'), ...shared];
  const counted = await deployment.events({ events }, { site: 'blog' });
  assert.equal(counted.body.accepted, events.length, counted.text);
  const arabic = [
    { id: '/a/', title: 'عنوان أول' },
    { id: '/b/', title: 'عنوان ثان' },
  ];
  const described = [...POSTS.filter(({ title }) => title).map(({ id, title, url }) => ({ id, title, ...(url && { url }) })), ...arabic];
  const body = described.map((details) => JSON.stringify(details)).join('\n');
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  assert.equal((await deployment.fetch('/v1/blog/items', { method: 'PUT', headers, body })).body.accepted, described.length);
});
after(() => deployment?.stop());

const get = (/** @type {string} */ path, /** @type {RequestInit | undefined} */ init = undefined) =>
  deployment.fetch(`/v1/blog/boards/${path}`, init);

/** What stands between tags, without the style. @param {string} text */
const textsOf = (text) =>
  [...text.replace(/<style>.*?<\/style>/s, '').matchAll(/>([^<>]+)</g)].map(([, found]) => found.trim()).filter(Boolean);

test('a picture has ranks, titles, movements and scores, on bars', async () => {
  const { status, headers, text } = await get('posts/day.svg?title=Most+read');
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml']);
  const [, ...texts] = textsOf(text);
  assert.deepEqual(texts, [
    ...['Most read', '1', '▲ 1', '12,345', '2', '▼ 1', '1,234', '3', '●', '3'],
    ...['Bread &amp; &quot;butter&quot;', 'Ten kinds of flour', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;', 'onload=&#39;'],
  ]);
  const bars = [...text.matchAll(/class="bar" x="10" y="\d+" width="(\d+)"/g)].map(([, width]) => Number(width));
  assert.deepEqual(bars, [380, 38], 'the third is less than half a pixel');
  assert.match(text, / aria-label="Most read: 1\. Bread &amp; &quot;butter&quot; 12,345, up 1, 2\. /);
});

test('a frame has the same, and links to the site or where owners say', async () => {
  const { status, headers, text } = await get('posts/day/frame.html');
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.equal(headers.get('x-robots-tag'), 'noindex');
  const [name, ...texts] = textsOf(text);
  assert.equal(name, 'posts · day');
  assert.deepEqual(texts, [
    ...['1', 'Bread &amp; &quot;butter&quot;', '▲ 1', '12,345', '2', 'Ten kinds of flour', '▼ 1', '1,234'],
    ...['3', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39; onload=&#39;', '●', '3'],
  ]);
  assert.deepEqual(
    [...text.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href),
    [`${ORIGIN}/bread/`, 'https://flour.example/?a=1&amp;b=2'],
  );
});

test('neither may run or load anything: the style is named by its digest', async () => {
  for (const [form, sandbox] of [
    ['.svg', 'sandbox'],
    ['/frame.html', 'sandbox allow-top-navigation-by-user-activation'],
  ]) {
    const { headers, text } = await get(`posts/day${form}`);
    const [, style] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style ?? ''))).toString('base64');
    assert.equal(headers.get('content-security-policy'), `default-src 'none'; style-src 'sha256-${digest}'; ${sandbox}`);
    assert.ok(!/<script|\son\w+=|javascript:/.test(text.replaceAll(/>[^<]*</g, '><').replaceAll(/ aria-label="[^"]*"/g, '')), form);
  }
});

for (const language of ['en', 'de', 'fr', 'es', 'ja', 'ar', 'de-AT', 'pt-BR']) {
  test(`texts and numbers are those of ${language}`, async () => {
    const known = { 'de-AT': 'de', 'pt-BR': 'en' }[language] ?? language;
    const numbers = [12_345, 1234].map((number) => number.toLocaleString(known));
    const [up, isNew, empty] = /** @type {Record<string, string[]>} */ ({
      en: ['up 1', 'new', 'Nothing yet'],
      de: ['1 nach oben', 'neu', 'Noch nichts'],
      fr: ['en hausse de 1', 'nouveau', 'Rien pour le moment'],
      es: ['sube 1', 'nuevo', 'Todavía nada'],
      ja: ['1 ランク上昇', '新着', 'まだありません'],
      ar: ['صعود 1', 'جديد', 'لا شيء بعد'],
    })[known];
    for (const form of Object.values(FORMS)) {
      const { text } = await get(`posts/day${form}?lang=${language}`);
      for (const shown of [up, isNew, ...numbers, `lang="${language}"`]) assert.ok(text.includes(shown), `${form}: ${shown} in ${text}`);
      assert.ok((await get(`none/day${form}?lang=${language}`)).text.includes(empty), empty);
    }
  });
}

test('rows begin where the language does, else where most names do', async () => {
  for (const [path, query, direction] of [
    ['posts/day', '', 'ltr'],
    ['posts/day', '?lang=he', 'rtl'],
    ['posts/day', '?lang=AR-eg', 'rtl'],
    ['posts/day', '?lang=ar-Latn', 'ltr'],
    ['arabic/day', '', 'rtl'],
    ['arabic/day', '?lang=en', 'ltr'],
    ['arabic/day', '?details=0', 'ltr'],
  ]) {
    assert.match((await get(`${path}.svg${query}`)).text, new RegExp(`^<svg [^>]* direction="${direction}"`), path + query);
    assert.match((await get(`${path}/frame.html${query}`)).text, new RegExp(`<html [^>]*dir="${direction}"`), path + query);
  }
});

test('scores have the decimals of their board', async () => {
  for (const form of Object.values(FORMS)) {
    const texts = textsOf((await get(`arabic/day${form}?lang=de`)).text);
    assert.deepEqual(
      texts.filter((text) => /,\d\d$/.test(text)),
      ['3,75', '2,50', '1,25'],
    );
  }
});

test('a picture is as wide as its address says, and as high as its rows are', async () => {
  const sizeOf = async (/** @type {string} */ query) => {
    const [, width, height] = /^<svg [^>]*? width="(\d+)" height="(\d+)"/.exec((await get(`posts/day.svg${query}`)).text) ?? [];
    return [Number(width), Number(height)];
  };
  assert.deepEqual(await sizeOf('?limit=2'), [400, 84]);
  assert.deepEqual(await sizeOf('?limit=1&width=1000'), [1000, 50]);
  assert.deepEqual(await sizeOf('?limit=1&width=240&title=x'), [240, 98], 'a title of two lines, and a heading');
});

test('both come from the caches of the ranking, for as long, and once to who has them', async () => {
  await deployment.freshTop('posts/day', '', 'blog');
  const ranking = await get('posts/day');
  const counts = await deployment.commandsDuring(async () => {
    for (const form of Object.values(FORMS)) {
      const { headers } = await get(`posts/day${form}`);
      assert.match(headers.get('cache-status') ?? '', /^edgeboard; hit/, form);
      assert.equal(headers.get('etag'), ranking.headers.get('etag'));
      const [age, expected] = [headers, ranking.headers].map((of) =>
        /^public, max-age=(\d+), .*stale-if-error=86400$/.exec(of.get('cache-control') ?? ''),
      );
      // A second may pass between two answers.
      assert.ok(Number(expected?.[1]) - Number(age?.[1]) <= 1, `${form}: ${age}, ${expected}`);
      const known = await get(`posts/day${form}`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      assert.deepEqual([known.status, known.text], [304, ''], form);
    }
  });
  assert.equal(counts.calls, undefined, JSON.stringify(counts));
});

test('what is wrong is refused as a badge refuses it', async () => {
  for (const [path, query, status, code] of /** @type {[string, string, number, string][]} */ ([
    ['posts/day', '?lang=', 400, 'invalid-parameter'],
    ['posts/day', '?lang=en"', 400, 'invalid-parameter'],
    ['posts/day', '?lang=abcdefghi', 400, 'invalid-parameter'],
    ['posts/day', '?theme=red', 400, 'invalid-parameter'],
    ['posts/day', '?title=', 400, 'invalid-parameter'],
    ['posts/day', '?limit=101', 400, 'invalid-parameter'],
    ['posts/day', '?color=red', 400, 'unknown-parameter'],
    ['posts/day', '?period=yesterday', 400, 'invalid-period'],
    ['posts/day', '?period=1999-01-01', 404, 'unknown-period'],
    ['posts/year', '', 404, 'unknown-window'],
    ['articles/day', '', 404, 'unknown-board'],
  ])) {
    for (const form of Object.values(FORMS)) {
      const { status: answered, body, headers } = await get(`${path}${form}${query}`);
      assert.deepEqual([answered, body?.code], [status, code], path + form + query);
      assert.equal(headers.get('content-type'), 'application/problem+json');
    }
    if (/period|^$/.test(query)) {
      const badge = await get(`${path}/members/x/badge.svg${query}`);
      assert.deepEqual([badge.status, badge.body?.code], [status, code], `a badge of ${path}${query}`);
    }
  }
  for (const width of [239, 1001, 'x']) assert.equal((await get(`posts/day.svg?width=${width}`)).status, 400, String(width));
  assert.equal((await get('posts/day/frame.html?width=300')).body.code, 'unknown-parameter');
});

test('while Redis is out the last list is shown, and a problem where there is none', async () => {
  await deployment.redis.kill();
  for (const form of Object.values(FORMS)) {
    assert.equal((await get(`posts/day${form}`)).status, 200, form);
    const { status, body } = await get(`posts/day${form}?period=2026-11-19`);
    assert.deepEqual([status, body?.code], [503, 'redis-unavailable'], form);
  }
});
