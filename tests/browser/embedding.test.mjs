/**
 * The ways to embed the module, and who is not counted: each by the requests that must appear, and those that must not.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { until } from '../support/until.mjs';
import { startRecorder } from './support/recorder.mjs';

const LINK = '<a href="#1" data-edgeboard-item="/posts/1">A post</a>';

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('./support/recorder.mjs').Recorder} */
let recorder;
/** @type {import('playwright-core').Page} */
let page;
/** @type {string[]} */
let warnings;

before(async () => {
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  recorder = await startRecorder();
  page = await openPage(browser);
  warnings = [];
  page.on('console', (message) => warnings.push(message.text()));
});
afterEach(async () => {
  await page.context().close();
  await recorder.stop();
});

/**
 * Opens a page; its clock stands still until the test runs it.
 *
 * @param {{ attributes?: string, module?: string, tag?: boolean, init?: () => void }} [options]
 */
async function open({ attributes = 'data-edgeboard-site="demo"', module = '/shelf.js', tag = true, init } = {}) {
  if (init) await page.addInitScript(init);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  const script = tag ? `<script type="module" src="${recorder.ingestUrl}${module}" ${attributes}></script>` : '';
  await page.goto(recorder.show(`<!doctype html><title>A page</title>${script}${LINK}`));
}

/** `[path, item]` of each event that was sent. */
const sent = () =>
  recorder.requests
    .filter(({ method }) => method === 'POST')
    .flatMap(({ url, body }) => JSON.parse(body).events.map((/** @type {any} */ { item }) => [url.pathname, item]));

/** @param {[path: string, item: string][]} expected */
async function expectSent(expected) {
  await page.clock.runFor(1000);
  await until('the events', () => sent().length >= expected.length);
  assert.deepEqual(sent(), expected);
}

for (const [module, attributes, path] of [
  ['/shelf.js', '', '/v1/demo/shelf'],
  ['/beacon.js', '', '/v1/demo/shelf'],
  ['/v/0123456789abcdef.js', '', '/v1/demo/shelf'],
  ['/folder/shelf.js', '', '/folder/v1/demo/shelf'],
  ['/folder/v/0123456789abcdef.js', '', '/folder/v1/demo/shelf'],
  ['/corner.js', 'data-edgeboard-path="corner"', '/v1/demo/corner'],
]) {
  test(`the module ${module} ${attributes} sends to ${path}`, async () => {
    await open({ module, attributes: `data-edgeboard-site="demo" ${attributes}` });
    await page.click('a');
    await expectSent([[path, '/posts/1']]);
  });
}

test('a page without the element begins with init, and is told so', async () => {
  await open({ tag: false });
  const module = `${recorder.ingestUrl}/shelf.js`;
  await page.evaluate(async (source) => (await import(source)).track('view', 'too-early'), module);
  assert.deepEqual(warnings, ['edgeboard: no site: the script needs data-edgeboard-site, or the page init({ site })']);
  await page.evaluate(async (source) => {
    const { init, track } = await import(source);
    init({ site: 'shop', view: 'the-page', actor: 'u7' });
    track('view', 'x');
  }, module);
  await expectSent([
    ['/v1/shop/shelf', 'the-page'],
    ['/v1/shop/shelf', 'x'],
  ]);
  assert.equal(JSON.parse(recorder.requests[0].body).events[1].actor, 'u7');
});

test('clicks have the action of their element, else that of the script', async () => {
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-action="click" data-edgeboard-view' });
  await page.click('a');
  await page.clock.runFor(1000);
  const { body } = await until('a beacon', () => recorder.requests[0]);
  const actions = JSON.parse(body).events.map((/** @type {any} */ { action, item }) => [action, item]);
  assert.deepEqual(actions, [
    ['view', '/'],
    ['click', '/posts/1'],
  ]);
});

const ROUTES = () => {
  history.pushState({}, '', '/a');
  history.pushState({}, '', '/a?page=2'); // the same page
  history.pushState({}, '', '/b');
  history.replaceState({}, '', '/b#more');
};

for (const [attributes, expected] of /** @type {[string, string[]][]} */ ([
  ['data-edgeboard-pushstate', ['/a', '/b']],
  ['data-edgeboard-pushstate data-edgeboard-view="home"', ['home', '/a', '/b']],
  ['data-edgeboard-view="home"', ['home']],
])) {
  test(`${attributes} counts ${expected}`, async () => {
    await open({ attributes: `data-edgeboard-site="demo" ${attributes}` });
    await page.evaluate(ROUTES);
    await expectSent(expected.map((item) => ['/v1/demo/shelf', item]));
  });
}

test('going back counts as well where pushState does', async () => {
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-pushstate' });
  await page.evaluate(() => history.pushState({}, '', '/a'));
  await page.goBack();
  await expectSent([
    ['/v1/demo/shelf', '/a'],
    ['/v1/demo/shelf', '/'],
  ]);
});

test('a page that is never visible sends nothing, one that is shown late counts then', async () => {
  const hide = () => Object.defineProperty(document, 'hidden', { get: () => !('isShown' in window) });
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-view', init: hide });
  await page.clock.runFor(60_000);
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  assert.deepEqual(recorder.requests, []);

  await page.evaluate(() => {
    Object.assign(window, { isShown: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await expectSent([['/v1/demo/shelf', '/']]);
  const [{ body }] = /** @type {import('./support/recorder.mjs').Recorded[]} */ (recorder.requests);
  assert.equal(JSON.parse(body).events[0].ago, 0);
});

test('what a hidden page counts is bounded', async () => {
  const hide = () => Object.defineProperty(document, 'hidden', { get: () => !('isShown' in window) });
  await open({ init: hide });
  await page.evaluate(() => {
    const { edgeboard } = /** @type {any} */ (window);
    for (let i = 0; i < 100; i += 1) edgeboard.track('view', `${i}`);
    Object.assign(window, { isShown: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  await expectSent(Array.from({ length: 20 }, (_, i) => ['/v1/demo/shelf', `${i}`]));
});

test('a browser that a program drives sends nothing', async () => {
  const drive = () => Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => !('isLet' in window) });
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-view data-edgeboard-debug', init: drive });
  await page.click('a');
  await page.clock.runFor(60_000);
  assert.deepEqual(recorder.requests, []);
  assert.deepEqual(warnings, ['edgeboard: this browser is not counted']);

  await page.evaluate(() => Object.assign(window, { isLet: true }));
  await page.click('a');
  await expectSent([['/v1/demo/shelf', '/posts/1']]);
});

test('exclude leaves a browser out on every page of the origin, include takes that back', async () => {
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-view' });
  await page.evaluate(() => /** @type {any} */ (window).edgeboard.exclude());
  await page.clock.runFor(60_000);
  await page.reload();
  await page.click('a');
  await page.clock.runFor(60_000);
  assert.deepEqual(recorder.requests, []);

  await page.evaluate(async (source) => (await import(source)).include(), `${recorder.ingestUrl}/shelf.js`);
  await page.click('a');
  await expectSent([['/v1/demo/shelf', '/posts/1']]);
});

test('a page that may not store anything is counted', async () => {
  const forbid = () =>
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('forbidden', 'SecurityError');
      },
    });
  await open({ init: forbid });
  await page.evaluate(() => /** @type {any} */ (window).edgeboard.exclude());
  await page.click('a');
  await expectSent([['/v1/demo/shelf', '/posts/1']]);
});

test('the images that carry lost events name their actors', async () => {
  const refuse = () => {
    Navigator.prototype.sendBeacon = () => false;
  };
  await open({ attributes: 'data-edgeboard-site="demo" data-edgeboard-actor="u7"', init: refuse });
  recorder.dropPosts = true;
  await page.click('a');
  for (const pause of [1000, 5000]) {
    const lost = page.waitForEvent('requestfailed');
    await page.clock.runFor(pause);
    await lost;
  }
  await page.clock.runFor(5000);
  await until('an image', () => recorder.requests.some(({ method }) => method === 'GET'));
  const [image] = recorder.requests.filter(({ method }) => method === 'GET');
  const { id } = JSON.parse(recorder.requests[0].body);
  assert.equal(image.url.pathname, '/v1/demo/shelf.gif');
  assert.deepEqual(Object.fromEntries(image.url.searchParams), { action: 'view', item: '/posts/1', actor: 'u7', id: `${id}/0` });
});
