/**
 * Whose clicks count: not those of declared bots, of browsers that only prepare, of Cloudflare's verdicts, and of addresses that the
 * site leaves out. They get the answer of a click that counts, which says so.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { entriesOf, startDeployment } from '../../support/deployment.mjs';

const SITE = {
  origins: ['*'],
  actions: { view: { public: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['day'] } },
};
const SITES = {
  demo: { ...SITE, ignore_addresses: ['198.51.100.0/24', '203.0.113.7', '2001:db8:1::/48'] },
  lax: { ...SITE, bots: 'count', ignore_addresses: ['198.51.100.1'] },
};
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** @type {[who: string, headers: Record<string, string>, counts: boolean][]} */
const CLIENTS = [
  ['Chrome', { 'user-agent': CHROME }, true],
  [
    'Safari on an iPhone',
    {
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    },
    true,
  ],
  ['a Cubot phone', { 'user-agent': CHROME.replace('X11; Linux x86_64', 'Linux; Android 13; CUBOT P80') }, true],
  ['a server that passes beacons on', { 'user-agent': 'node' }, true],
  ['Googlebot', { 'user-agent': GOOGLEBOT }, false],
  ['Googlebot as a phone', { 'user-agent': `${CHROME} (compatible; Googlebot/2.1; +http://www.google.com/bot.html)` }, false],
  ['Bingbot', { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' }, false],
  [
    'GPTBot',
    { 'user-agent': 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)' },
    false,
  ],
  ['headless Chromium', { 'user-agent': CHROME.replace('Chrome', 'HeadlessChrome') }, false],
  ['curl', { 'user-agent': 'curl/8.5.0' }, false],
  ['Python', { 'user-agent': 'python-requests/2.32.3' }, false],
  ['a prefetch', { 'user-agent': CHROME, 'sec-purpose': 'prefetch' }, false],
  ['a prerendered page', { 'user-agent': CHROME, 'sec-purpose': 'prefetch;prerender' }, false],
  ['an address next to those left out', { 'user-agent': CHROME, 'cf-connecting-ip': '198.51.101.1' }, true],
  ['an address left out', { 'user-agent': CHROME, 'cf-connecting-ip': '203.0.113.7' }, false],
  ['an address of a network left out', { 'user-agent': CHROME, 'cf-connecting-ip': '198.51.100.200' }, false],
  ['the same as IPv6', { 'user-agent': CHROME, 'cf-connecting-ip': '::ffff:198.51.100.200' }, false],
  ['an IPv6 address of a network left out', { 'user-agent': CHROME, 'cf-connecting-ip': '2001:db8:1:2::3' }, false],
  ['an IPv6 address next to it', { 'user-agent': CHROME, 'cf-connecting-ip': '2001:db8:2::3' }, true],
];

/** @type {import('../../support/deployment.mjs').Deployment} */
let deployment;
before(async () => (deployment = await startDeployment({ transport: 'redis://', sites: SITES })));
after(() => deployment?.stop());

/** @param {string} item */
const score = async (item, site = 'demo') =>
  new Map(entriesOf(await deployment.freshTop('articles/day', '?limit=100', site))).get(item) ?? 0;

/**
 * Sends a click as a beacon, and one as a pixel.
 *
 * @param {string} item
 * @param {Record<string, string>} headers
 */
async function click(item, headers, site = 'demo') {
  const beacon = await deployment.beacon({ action: 'view', item }, { site, headers });
  const pixel = await deployment.fetch(`/v1/${site}/beacon.gif?action=view&item=${encodeURIComponent(item)}`, { headers });
  assert.deepEqual([beacon.status, pixel.status, pixel.headers.get('content-type')], [204, 200, 'image/gif']);
  return [beacon, pixel].map((answer) => answer.headers.get('edgeboard-counted'));
}

describe('of two clicks of', () => {
  for (const [who, headers, counts] of CLIENTS) {
    test(`${who}, ${counts ? 'both' : 'none'} count`, async () => {
      assert.deepEqual(await click(who, headers), counts ? [null, null] : ['0', '0']);
      assert.equal(await score(who), counts ? 2 : 0);
    });
  }
});

test('a pixel that a browser of before fetched ahead does not count', async () => {
  const headers = { 'user-agent': CHROME, purpose: 'prefetch' };
  const { headers: answered } = await deployment.fetch('/v1/demo/beacon.gif?action=view&item=ahead', { headers });
  assert.equal(answered.get('edgeboard-counted'), '0');
});

test('a site may count bots, but not whom it leaves out', async () => {
  assert.deepEqual(await click('x', { 'user-agent': GOOGLEBOT }, 'lax'), [null, null]);
  assert.deepEqual(await click('x', { 'user-agent': CHROME, 'cf-connecting-ip': '198.51.100.1' }, 'lax'), ['0', '0']);
  assert.equal(await score('x', 'lax'), 2);
});

test('what a bot sends is not read, and Redis is not asked', async () => {
  const counts = await deployment.commandsDuring(async () => {
    const { status } = await deployment.fetch('/v1/demo/beacon', { method: 'POST', body: '{', headers: { 'user-agent': GOOGLEBOT } });
    assert.equal(status, 204);
  });
  assert.deepEqual(counts, {});
});

test('a page may read that its click does not count', async () => {
  const { headers } = await deployment.beacon(
    { action: 'view', item: 'x' },
    { headers: { origin: 'https://demo.example', 'user-agent': GOOGLEBOT } },
  );
  assert.match(headers.get('access-control-expose-headers') ?? '', /Edgeboard-Counted/);
});

/** @type {[verdict: string, cf: object, counts: boolean][]} */
const VERDICTS = [
  ['none', {}, true],
  ['a category of verified bots', { verifiedBotCategory: 'Search Engine Crawler' }, false],
  ['no category', { verifiedBotCategory: '' }, true],
  ['a verified bot', { botManagement: { verifiedBot: true, score: 99 } }, false],
  ['likely automated', { botManagement: { verifiedBot: false, score: 29 } }, false],
  ['likely human', { botManagement: { verifiedBot: false, score: 30 } }, true],
  ['no score', { botManagement: { verifiedBot: false, score: 0 } }, true],
];

describe("with Cloudflare's verdict", () => {
  for (const [verdict, cf, counts] of VERDICTS) {
    test(`${verdict}, a click ${counts ? 'counts' : 'does not count'}`, async () => {
      const body = JSON.stringify({ action: 'view', item: 'y' });
      const init = { method: 'POST', body, headers: { 'user-agent': CHROME }, cf };
      const response = await deployment.worker.miniflare.dispatchFetch('http://localhost/v1/demo/beacon', /** @type {any} */ (init));
      assert.deepEqual([response.status, response.headers.get('edgeboard-counted')], [204, counts ? null : '0']);
    });
  }
});

test('the log tells every five minutes why clicks did not count', async () => {
  deployment.edgeClock.advance(5 * 60_000);
  await click('x', { 'user-agent': GOOGLEBOT });
  const lines = deployment.worker.log.map(({ message }) => message).filter((message) => message.includes('"not-counted"'));
  assert.ok(lines.length >= 1);
  const { declared, prefetched, ignored, automated } = JSON.parse(lines.at(-1) ?? '');
  assert.ok(declared > 10 && prefetched >= 4 && ignored >= 8 && automated >= 3, lines.at(-1));
  assert.doesNotMatch(lines.join(), /198\.51|Googlebot/);
});
