/** Rankings as HTML, RSS, CSV and badges: what the worker answers is what a browser's own parsers read. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const ORIGIN = 'https://news.example';
const SITE = {
  origins: [ORIGIN],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day'] } },
};
/** Ids of strangers, the one with the most views first. */
const IDS = [
  '/posts/1?a=1&b="2"',
  '<script>document.title="run"</script>',
  '=HYPERLINK("https://evil.example")',
  "' onmouseover='document.title=1",
  'javascript:document.title=2',
  '//evil.example/',
  '/\\evil.example/',
  ']]><x/>',
  'é 漢字 \u{1f600} \uffff',
];
const RANKING = '/v1/demo/boards/articles/day';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, vars: { ADMIN_TOKEN } });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-19T12:00:00Z');
  await deployment.events({ events: [{ action: 'view', item: IDS[2] }] });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set('2026-11-20T12:00:00Z');
  const events = IDS.flatMap((item, at) => IDS.slice(at).map(() => ({ action: 'view', item })));
  assert.equal((await deployment.events({ events })).body.accepted, events.length);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
});

/** What a page's parser makes of a text. @param {string} text @param {DOMParserSupportedType} type */
async function parsed(text, type) {
  const page = await openPage(browser);
  const found = await page.evaluate(
    ([text, type]) => {
      const document = new DOMParser().parseFromString(text, /** @type {DOMParserSupportedType} */ (type));
      return Array.from(document.querySelectorAll('*'), (element) => ({
        tag: element.tagName,
        attributes: Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value])),
        text: element.textContent ?? '',
      }));
    },
    [text, type],
  );
  await page.context().close();
  return found;
}

/** XML has no U+FFFF. @param {string} id */
const shown = (id) => id.replace('\uffff', '\ufffd');

test('the fragment is a list of the ids as text, with links to paths alone', async () => {
  const { status, headers, text } = await deployment.fetch(`${RANKING}.html?limit=20`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  const elements = await parsed(text, 'text/html');
  const of = (/** @type {string} */ tag) => elements.filter((element) => element.tag === tag);
  assert.deepEqual(
    elements.map(({ tag }) => tag).filter((tag) => !['HTML', 'HEAD', 'BODY', 'OL', 'LI', 'A', 'SPAN', 'DATA'].includes(tag)),
    [],
  );
  assert.deepEqual(
    of('LI').map(({ text, attributes }) => [attributes.value, text, attributes.class]),
    IDS.map((id, at) => [String(at + 1), `${shown(id)} ${IDS.length - at}`, at === 2 ? 'down' : 'new']),
  );
  assert.deepEqual(
    of('A').map(({ attributes }) => attributes),
    [{ href: IDS[0] }],
  );
  const { attributes } = of('OL')[0];
  assert.deepEqual([attributes['data-board'], attributes['data-window'], attributes['data-period']], ['articles', 'day', '2026-11-20']);
});

test('the feed is XML, whose links lead to the site alone', async () => {
  const { status, headers, text } = await deployment.fetch(`${RANKING}.rss?limit=20`);
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/rss+xml; charset=utf-8']);
  const elements = await parsed(text, 'application/xml');
  assert.ok(!elements.some(({ tag }) => tag === 'parsererror'), text);
  const texts = (/** @type {string} */ tag) => elements.filter((element) => element.tag === tag).map((element) => element.text);
  assert.deepEqual(texts('title'), ['articles · day', ...IDS.map((id, at) => `${at + 1}. ${shown(id)}`)]);
  assert.deepEqual(texts('link'), [ORIGIN, `${ORIGIN}${IDS[0]}`]);
  assert.equal(new Set(texts('guid')).size, IDS.length);
  assert.equal(texts('description')[3], 'Score 7, down 2');
  assert.match(texts('lastBuildDate')[0], /^Fri, 20 Nov 2026 12:0\d:\d\d \+0000$/);
});

test('the table has each id whole, and no formula', async () => {
  const { status, headers, text } = await deployment.fetch(`${RANKING}.csv?limit=3&offset=1`);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
  assert.equal(
    text,
    [
      'rank,id,score,previous_rank',
      '2,"<script>document.title=""run""</script>",8,',
      `3,"'=HYPERLINK(""https://evil.example"")",7,1`,
      `4,"' onmouseover='document.title=1",6,`,
      '',
    ].join('\r\n'),
  );
});

test('each form has titles and links where they are known', async () => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  for (const [id, details] of /** @type {[string, object][]} */ ([
    [IDS[0], { title: '=1+"1"', url: 'https://news.example/1?a&b' }],
    [IDS[1], { title: '<b>Second</b>', url: '/second' }],
    [IDS[2], { title: 'Third', url: '//evil.example' }],
  ])) {
    const answer = await deployment.fetch(`/v1/demo/items/${encodeURIComponent(id)}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(details),
    });
    assert.ok(answer.status < 300, answer.text);
  }
  const get = async (/** @type {string} */ form) => (await deployment.fetch(`${RANKING}.${form}?limit=3&details=1`)).text;
  const fragment = await parsed(await get('html'), 'text/html');
  assert.deepEqual(
    fragment.filter(({ tag }) => ['A', 'SPAN'].includes(tag)).map(({ text, attributes }) => [text, attributes.href]),
    [
      ['=1+"1"', 'https://news.example/1?a&b'],
      ['<b>Second</b>', '/second'],
      ['Third', undefined],
    ],
  );
  const feed = await parsed(await get('rss'), 'application/xml');
  const texts = (/** @type {string} */ tag) => feed.filter((element) => element.tag === tag).map(({ text }) => text);
  assert.deepEqual(texts('title').slice(1), ['1. =1+"1"', '2. <b>Second</b>', '3. Third']);
  assert.deepEqual(texts('link').slice(1), ['https://news.example/1?a&b', `${ORIGIN}/second`]);
  assert.deepEqual((await get('csv')).split('\r\n').slice(0, 3), [
    'rank,id,score,previous_rank,title,url',
    `1,"/posts/1?a=1&b=""2""",9,,"'=1+""1""","https://news.example/1?a&b"`,
    '2,"<script>document.title=""run""</script>",8,,"<b>Second</b>","/second"',
  ]);
});

test('a badge is a picture of the rank, also of who has none', async () => {
  for (const [id, place] of [
    [IDS[1], '#2 of 9'],
    ['nobody', 'not ranked'],
  ]) {
    const { status, headers, text } = await deployment.fetch(`${RANKING}/members/${encodeURIComponent(id)}/badge.svg`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml'], id);
    assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d/);
    const [svg, title, ...rest] = await parsed(text, 'image/svg+xml');
    assert.deepEqual([svg.tag, svg.attributes['aria-label'], title.text], ['svg', `articles · day: ${place}`, `articles · day: ${place}`]);
    assert.deepEqual(
      rest.filter(({ tag }) => tag === 'text').map((element) => element.text),
      ['articles · day', place],
    );
  }
  const page = await openPage(browser);
  await page.setContent(`<img src="${deployment.worker.url}${RANKING}/members/nobody/badge.svg">`);
  await page.waitForFunction(() => (document.querySelector('img')?.naturalWidth ?? 0) > 100);
});

test('each form has the title that its address gives it, as text', async () => {
  const title = '<b>Most & "read"</b>';
  const query = `?title=${encodeURIComponent(title)}`;
  const [, , , list] = await parsed((await deployment.fetch(`${RANKING}.html${query}`)).text, 'text/html');
  assert.deepEqual([list.tag, list.attributes['aria-label']], ['OL', title]);
  const feed = await parsed((await deployment.fetch(`${RANKING}.rss${query}`)).text, 'application/xml');
  assert.equal(feed.find(({ tag }) => tag === 'title')?.text, title);
  const table = await deployment.fetch(`${RANKING}.csv${query}`);
  const name = "inline; filename*=UTF-8''%3Cb%3EMost%20%26%20%22read%22%3C%2Fb%3E.csv";
  assert.equal(table.headers.get('content-disposition'), name);
  for (const [id, place] of [
    [IDS[1], '#2 of 9'],
    ['nobody', 'not ranked'],
  ]) {
    const badge = await deployment.fetch(`${RANKING}/members/${encodeURIComponent(id)}/badge.svg${query}`);
    assert.equal((await parsed(badge.text, 'image/svg+xml'))[0].attributes['aria-label'], `${title}: ${place}`);
  }
  for (const wrong of ['', 'x'.repeat(101), 'a%00b']) {
    const { status, body } = await deployment.fetch(`${RANKING}.rss?title=${wrong}`);
    assert.deepEqual([status, body.code], [400, 'invalid-parameter'], wrong);
  }
});

test('search engines leave out lists and JSON', async () => {
  const listed = async (/** @type {string} */ path) => (await deployment.fetch(path)).headers.get('x-robots-tag');
  for (const path of [RANKING, `${RANKING}.html`, '/v1/demo/boards', '/nowhere', '/openapi.json', '/admin']) {
    assert.equal(await listed(path), 'noindex', path);
  }
  for (const path of [`${RANKING}.rss`, '/', '/board.js']) assert.equal(await listed(path), null, path);
});

test('forms are answered from the caches of the page, and only once for who has them', async () => {
  await deployment.freshTop('articles/day');
  const counts = await deployment.commandsDuring(async () => {
    for (const form of ['.html', '.rss', '.csv']) {
      const { headers } = await deployment.fetch(RANKING + form);
      assert.match(headers.get('cache-status') ?? '', /^edgeboard; hit/, form);
    }
  });
  assert.equal(counts.calls, undefined, JSON.stringify(counts));
  for (const form of ['.html', '.rss', '.csv']) {
    const tag = (await deployment.fetch(RANKING + form)).headers.get('etag') ?? '';
    const known = await deployment.fetch(RANKING + form, { headers: { 'if-none-match': tag } });
    assert.deepEqual([known.status, known.text], [304, ''], form);
  }
});

test('what is no form is no window, and problems stay problems', async () => {
  for (const [path, status, code] of /** @type {[string, number, string][]} */ ([
    ['.xml', 404, 'unknown-window'],
    ['.html.html', 404, 'unknown-window'],
    ['.csv?limit=0', 400, 'invalid-parameter'],
    ['.rss?x=1', 400, 'unknown-parameter'],
    ['.html?period=1999-01-01', 404, 'unknown-period'],
  ])) {
    const { status: answered, body } = await deployment.fetch(RANKING + path);
    assert.deepEqual([answered, body?.code], [status, code], path);
  }
  assert.equal((await deployment.fetch(`${RANKING}.csv`, { method: 'POST' })).headers.get('allow'), 'GET');
});
