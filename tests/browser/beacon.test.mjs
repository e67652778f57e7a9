/**
 * beacon.js in a real browser, against a server that records: which requests appear, and that no others do.
 *
 * The page's clock is the test's, so nothing is sent before a test says that time has passed.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { until } from '../support/until.mjs';
import { startRecorder } from './support/recorder.mjs';

const ARTICLES = `
  <a href="#1" id="first" data-edgeboard-item="/posts/1"><h2><em>The first</em></h2></a>
  <a href="#2" id="second" data-edgeboard-item="/posts/2">The second</a>
  <button id="share" data-edgeboard-item="/posts/1" data-edgeboard-action="share">Share</button>
  <a href="#3" id="plain">Not counted</a>
  <section-shadow></section-shadow>`;

const refuseBeacons = () => {
  Navigator.prototype.sendBeacon = () => false;
};
const withoutBeacons = () => {
  Reflect.deleteProperty(Navigator.prototype, 'sendBeacon');
};
const keepBeacons = () => {
  const kept = Object.assign(window, { bodies: /** @type {unknown[]} */ ([]) });
  Navigator.prototype.sendBeacon = (_, body) => kept.bodies.push(body) > 0;
};

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('./support/recorder.mjs').Recorder} */
let recorder;
/** @type {import('playwright-core').Page} */
let page;

/**
 * @typedef {{ action: string, item: string, actor?: string, undo?: boolean, ago?: number }} Event
 * @typedef {{ id: string, token?: string, events: Event[] }} Batch
 */

before(async () => {
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  recorder = await startRecorder();
  page = await openPage(browser);
});
afterEach(async () => {
  await page.context().close();
  await recorder.stop();
});

/**
 * Opens a page that embeds the beacon; its clock stands still until the test runs it.
 *
 * @param {{ attributes?: string, init?: (() => void)[] }} [options]
 */
async function open({ attributes = '', init = [] } = {}) {
  /** @type {Error[]} */
  const pageErrors = [];
  page.on('pageerror', (error) => pageErrors.push(error));
  for (const script of init) await page.addInitScript(script);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  const source = `${recorder.ingestUrl}/shelf.js`;
  const script = `<script type="module" src="${source}" data-edgeboard-site="demo" ${attributes}></script>`;
  await page.goto(recorder.show(`<!doctype html><title>A page</title>${script}${ARTICLES}`));
  return pageErrors;
}

/** @param {unknown[][]} events the arguments of each call */
const track = (...events) =>
  page.evaluate(
    async ({ source, calls }) => {
      const beacon = await import(source);
      for (const call of calls) beacon.track(...call);
    },
    { source: `${recorder.ingestUrl}/shelf.js`, calls: events },
  );

/** @param {string} method */
const requestsOf = (method) => recorder.requests.filter((request) => request.method === method);
/** @returns {Batch[]} */
const batches = () => requestsOf('POST').map(({ body }) => JSON.parse(body));
/** @param {number} count */
const received = (count) => until(`${count} batches`, () => batches().length >= count && batches());
/** @param {string} item */
const view = (item, ago = 0) => ({ action: 'view', item, ago });

test('three clicks are one batch of three events with one id', async () => {
  await open();
  await page.click('#first');
  await page.click('#second');
  await page.click('#first');
  assert.deepEqual(recorder.requests, [], 'nothing is sent at once');

  await page.clock.runFor(1000);
  const [batch] = await received(1);
  assert.match(batch.id, /^[0-9a-z]{9,13}$/);
  const events = [view('/posts/1', 1000), view('/posts/2', 1000), view('/posts/1', 1000)];
  assert.deepEqual(batch, { id: batch.id, events });

  await page.clock.runFor(60_000);
  await page.close();
  assert.equal(recorder.requests.length, 1);
});

test('a beacon is plain text to the site of the worker that served the module, without a preflight', async () => {
  await open();
  await page.click('#first');
  await page.clock.runFor(1000);
  await received(1);

  const [{ method, url, headers }] = recorder.requests;
  assert.equal(method, 'POST');
  assert.equal(url.pathname + url.search, '/v1/demo/shelf');
  assert.equal(headers['content-type'], 'text/plain;charset=UTF-8');
  assert.equal(headers['sec-fetch-mode'], 'no-cors');
  assert.equal(headers.origin, new URL(page.url()).origin);
  assert.deepEqual(requestsOf('OPTIONS'), []);
});

test('only marked elements count, whatever child of theirs is clicked', async () => {
  await open();
  await page.click('#plain');
  await page.click('#first em');
  await page.click('#share');
  await page.clock.runFor(1000);
  const [{ events }] = await received(1);
  assert.deepEqual(events, [view('/posts/1', 1000), { action: 'share', item: '/posts/1', ago: 1000 }]);
});

test('the middle button counts, the right button does not', async () => {
  await open();
  await page.click('#first', { button: 'right' });
  await page.click('#second', { button: 'middle' });
  await page.clock.runFor(1000);
  const [{ events }] = await received(1);
  assert.deepEqual(events, [view('/posts/2', 1000)]);
});

test('a click counts inside a shadow tree and when the page stops its propagation', async () => {
  await open();
  await page.evaluate(() => {
    const host = /** @type {Element} */ (document.querySelector('section-shadow'));
    host.attachShadow({ mode: 'open' }).innerHTML = '<button data-edgeboard-item="/posts/3"><i>Shadow</i></button>';
    document.addEventListener('click', (event) => event.stopImmediatePropagation(), true);
  });
  await page.click('section-shadow i');
  await page.clock.runFor(1000);
  const [{ events }] = await received(1);
  assert.deepEqual(events, [view('/posts/3', 1000)]);
});

test('ago is the time from the event to its sending', async () => {
  await open();
  await page.click('#first');
  await page.clock.runFor(400);
  await page.click('#second');
  await page.clock.runFor(600);
  const [{ events }] = await received(1);
  assert.deepEqual(events, [view('/posts/1', 1000), view('/posts/2', 600)]);
});

test('each batch has an id of its own', async () => {
  await open();
  for (let sent = 1; sent <= 3; sent++) {
    await page.click('#first');
    await page.clock.runFor(1000);
    await received(sent);
  }
  assert.equal(new Set(batches().map(({ id }) => id)).size, 3);
});

for (const [how, leave] of /** @type {[string, () => Promise<unknown>][]} */ ([
  ['the page is closed', () => page.close()],
  ['another page is opened', () => page.goto('about:blank')],
])) {
  test(`nothing is lost when ${how}`, async () => {
    await open();
    await page.click('#first');
    await page.click('#second');
    await leave();
    const [{ events }] = await received(1);
    assert.deepEqual(events, [view('/posts/1'), view('/posts/2')]);
    assert.equal(recorder.requests.length, 1);
  });
}

test('a hidden page sends at once, what was queued and what comes later', async () => {
  await open();
  await page.click('#first');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  const [first] = await received(1);
  assert.deepEqual(first.events, [view('/posts/1')]);

  await track(['view', '/posts/2']);
  const [, second] = await received(2);
  assert.deepEqual(second.events, [view('/posts/2')]);
});

test('the twentieth event sends its batch, the next one begins another', async () => {
  await open();
  await track(...Array.from({ length: 46 }, (_, index) => ['view', `/posts/${index}`]));
  await received(2);
  await page.clock.runFor(1000);
  const all = await received(3);
  assert.deepEqual(
    all.map(({ events }) => events.length).sort((a, b) => b - a),
    [20, 20, 6],
  );
  const items = new Set(all.flatMap(({ events }) => events.map(({ item }) => item)));
  assert.equal(items.size, 46);
});

test('a batch of the longest ids is less than half of what the worker takes', async () => {
  await open({ init: [keepBeacons] });
  const longest = '"'.repeat(256);
  await track(...Array.from({ length: 20 }, () => ['view', longest, longest]));
  const [body] = await page.evaluate(() => /** @type {Window & { bodies?: string[] }} */ (window).bodies ?? []);
  assert.equal(JSON.parse(body).events.length, 20);
  assert.ok(Buffer.byteLength(body) < 65_536 / 2, `${Buffer.byteLength(body)}`);
});

test('an actor is sent when the script or the call names one', async () => {
  await open({ attributes: 'data-edgeboard-actor="u7"' });
  await page.click('#first');
  await track(['view', '/posts/2', 'u8']);
  await page.clock.runFor(1000);
  const [{ events }] = await received(1);
  assert.deepEqual(
    events.map(({ actor }) => actor),
    ['u7', 'u8'],
  );
});

test('a token goes with its batch, beside the events; a batch has one', async () => {
  await open({ attributes: 'data-edgeboard-token="v1.1.dTc.x"' });
  await page.click('#first');
  await track(['like', '/posts/2'], ['like', '/posts/2', { undo: true }], ['view', '/posts/3', { token: 'v1.1.dTg.y' }]);
  await page.clock.runFor(1000);
  const sent = await received(2);
  assert.deepEqual(sent.map(({ token, events }) => [token, events.map(({ action, undo }) => [action, undo])]).sort(), [
    [
      'v1.1.dTc.x',
      [
        ['view', undefined],
        ['like', undefined],
        ['like', true],
      ],
    ],
    ['v1.1.dTg.y', [['view', undefined]]],
  ]);
});

test('no image takes the place of an undo, or shows a token', async () => {
  await open({ attributes: 'data-edgeboard-token="v1.1.dTc.x"', init: [refuseBeacons] });
  recorder.dropPosts = true;
  await track(['like', '/posts/1'], ['like', '/posts/2', { undo: true }]);
  await page.clock.runFor(1000);
  await until('the first try', () => requestsOf('POST').length === 1);
  await page.clock.runFor(5000);
  await until('the second try', () => requestsOf('POST').length === 2);
  await page.clock.runFor(5000);
  await until('an image', () => requestsOf('GET').some(({ url }) => url.pathname.endsWith('.gif')));
  await page.clock.runFor(60_000);
  const images = requestsOf('GET').filter(({ url }) => url.pathname.endsWith('.gif'));
  assert.deepEqual(
    images.map(({ url }) => [url.searchParams.get('item'), url.search.includes('v1.')]),
    [['/posts/1', false]],
  );
});

test('an invalid event is left out and spares its batch', async () => {
  const pageErrors = await open();
  await track(
    ['view', ''],
    ['view', '.'],
    ['view', '..'],
    ['view'],
    ['view', 'x'.repeat(257)],
    ['view', 'é'.repeat(129)],
    ['view', 'a\u0007b'],
    ['view', 'half \ud83d'],
    ['view', '/posts/1', 'x'.repeat(257)],
    ['view', '/posts/1', '..'],
    ['Not An Action', '/posts/1'],
    ['view', 'é'.repeat(128)],
  );
  await page.clock.runFor(1000);
  const [{ events }] = await received(1);
  assert.deepEqual(events, [view('é'.repeat(128), 1000)]);
  assert.deepEqual(pageErrors, []);
});

for (const [attribute, item] of [
  ['data-edgeboard-view', '/'],
  ['data-edgeboard-view="/posts/9"', '/posts/9'],
]) {
  test(`${attribute} counts a view of ${item}`, async () => {
    await open({ attributes: attribute });
    await page.clock.runFor(1000);
    const [{ events }] = await received(1);
    assert.deepEqual(events, [view(item, 1000)]);
  });
}

for (const [canonical, item] of [
  ['https://example.com/posts/1?utm_source=x#top', '/posts/1'],
  ['/posts/%C3%A9', '/posts/%C3%A9'],
  ['', '/'],
  ['http://[', '/'],
]) {
  test(`the canonical address ${canonical || 'without a value'} is the item ${item}`, async () => {
    const link = (/** @type {string} */ href) => {
      const element = Object.assign(document.createElement('link'), { rel: 'canonical' });
      element.setAttribute('href', href);
      new MutationObserver((_, observer) => {
        if (!document.head) return;
        observer.disconnect();
        document.head.append(element);
      }).observe(document, { childList: true, subtree: true });
    };
    await page.addInitScript(link, canonical);
    const pageErrors = await open({ attributes: 'data-edgeboard-view' });
    await page.clock.runFor(1000);
    const [{ events }] = await received(1);
    assert.deepEqual(events, [view(item, 1000)]);
    assert.deepEqual(pageErrors, []);
  });
}

test('a prerendered page is viewed when it is shown, not before', async () => {
  const prerender = () => Object.defineProperty(document, 'prerendering', { value: true, configurable: true });
  await open({ attributes: 'data-edgeboard-view', init: [prerender] });
  await page.clock.runFor(60_000);
  assert.deepEqual(recorder.requests, [], 'not before');

  await page.evaluate(() => {
    Object.defineProperty(document, 'prerendering', { value: false });
    document.dispatchEvent(new Event('prerenderingchange'));
  });
  const [shown] = await received(1);
  assert.deepEqual(shown.events, [view('/', 0)]);
});

for (const [how, script] of /** @type {[string, () => void][]} */ ([
  ['refuses', refuseBeacons],
  ['is missing', withoutBeacons],
])) {
  test(`fetch sends the batch when sendBeacon ${how}`, async () => {
    await open({ init: [script] });
    await page.context().addCookies([{ name: 'session', value: 'secret', url: recorder.ingestUrl }]);
    await page.click('#first');
    await page.clock.runFor(1000);
    const [{ events }] = await received(1);
    assert.deepEqual(events, [view('/posts/1', 1000)]);

    const [{ headers }] = recorder.requests;
    assert.equal(headers['content-type'], 'text/plain;charset=UTF-8');
    assert.equal(headers.cookie, undefined);
    assert.equal(headers['sec-fetch-mode'], 'no-cors', 'an answer that may not be read is no failure');
    assert.equal(recorder.requests.length, 1, 'and only once');
  });
}

test('a lost batch is sent again with its id, and the clicks behind it are not held up', async () => {
  const pageErrors = await open({ init: [refuseBeacons] });
  recorder.dropPosts = true;
  const lost = page.waitForEvent('requestfailed');
  await page.click('#first');
  await page.clock.runFor(1000);
  const [first] = await received(1);
  await lost;

  recorder.dropPosts = false;
  await page.click('#second');
  await page.clock.runFor(5000);
  const all = await received(3);
  assert.equal(all.length, 3);
  const again = all.slice(1).find(({ id }) => id === first.id);
  const [, ...others] = all.filter((batch) => batch !== again);
  assert.deepEqual(again?.events, [view('/posts/1', 2000)]);
  assert.deepEqual(
    others.map(({ events }) => events),
    [[view('/posts/2', 1000)]],
  );
  assert.deepEqual(requestsOf('GET'), []);
  assert.deepEqual(pageErrors, []);
});

test('images carry the events when the second try is lost too', async () => {
  const pageErrors = await open({ init: [refuseBeacons] });
  recorder.dropPosts = true;
  await page.click('#first');
  await page.click('#share');
  for (const pause of [1000, 5000]) {
    const lost = page.waitForEvent('requestfailed');
    await page.clock.runFor(pause);
    await lost;
  }

  await page.clock.runFor(5000);

  await until('two images', () => requestsOf('GET').length === 2);
  const ids = batches().map(({ id }) => id);
  assert.deepEqual(ids, [ids[0], ids[0]], 'two tries, one id');
  assert.deepEqual(
    requestsOf('GET')
      .map(({ url }) => url.pathname + url.search)
      .sort(),
    [
      `/v1/demo/shelf.gif?action=share&item=%2Fposts%2F1&id=${ids[0]}%2F1`,
      `/v1/demo/shelf.gif?action=view&item=%2Fposts%2F1&id=${ids[0]}%2F0`,
    ],
    'each names its event’s place in the batch',
  );

  await page.clock.runFor(60_000);
  assert.equal(recorder.requests.length, 4);
  assert.deepEqual(pageErrors, []);
});

const READABLE = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After, Edgeboard-Refused' };
const DEBUG = 'data-edgeboard-debug';

for (const status of [400, 401, 403, 404, 409, 413, 500, 503]) {
  test(`a batch that was answered with ${status} is not sent again`, async () => {
    await open({ attributes: DEBUG });
    recorder.answer = { status, headers: READABLE, body: '{}' };
    const warned = page.waitForEvent('console', { predicate: (message) => message.text().startsWith('edgeboard:') });
    await page.click('#first');
    await page.clock.runFor(1000);
    await received(1);
    await warned;
    await page.clock.runFor(60_000);
    assert.equal(recorder.requests.length, 1);
  });
}

test('one that came too often is sent once more with its id, when the worker says', async () => {
  await open({ attributes: DEBUG });
  recorder.answer = { status: 429, headers: { ...READABLE, 'retry-after': '20' }, body: '{}' };
  await page.click('#first');
  const warned = page.waitForEvent('console', { predicate: (message) => message.text().startsWith('edgeboard:') });
  await page.clock.runFor(1000);
  const [first] = await received(1);
  await warned;
  await page.clock.runFor(19_000);
  assert.equal(recorder.requests.length, 1);
  await page.clock.runFor(1000);
  const [, again] = await received(2);
  assert.equal(again.id, first.id);
  await page.clock.runFor(60_000);
  assert.equal(recorder.requests.length, 2, 'no third time, and no images');
});

test('an answer that a page may not read may be a refusal, and nothing is sent again', async () => {
  await open({ attributes: DEBUG });
  recorder.answer = { status: 403, body: '{}' };
  const warned = page.waitForEvent('console', { predicate: (message) => message.text().startsWith('edgeboard:') });
  await page.click('#first');
  await page.clock.runFor(1000);
  await received(1);
  await warned;
  await page.clock.runFor(60_000);
  assert.equal(recorder.requests.length, 1);
});

for (const [asleep, tries] of [
  [40_000, 2],
  [60_000, 1],
]) {
  test(`a lost batch is sent ${tries} times when the computer sleeps for ${asleep} ms`, async () => {
    const pageErrors = await open({ init: [refuseBeacons] });
    recorder.dropPosts = true;
    await page.click('#first');
    const lost = page.waitForEvent('requestfailed');
    await page.clock.runFor(1000);
    await lost;

    recorder.dropPosts = false;
    await page.clock.fastForward(asleep);
    await page.click('#second');
    await page.clock.runFor(60_000);
    const all = await received(tries + 1);
    assert.equal(new Set(all.map(({ id }) => id)).size, 2);
    assert.equal(recorder.requests.length, tries + 1, 'nor as an image');
    assert.deepEqual(pageErrors, []);
  });
}
