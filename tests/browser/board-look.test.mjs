/** How `<edge-board>` looks and what it says: titles, languages, directions, colours, pictures; in a real browser, of the real worker. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';
import { startWorker } from '../support/worker.mjs';
import { listen } from './support/listen.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_TOKEN = 'a-token-for-admins';
const WRITE_TOKEN = 'a-token-for-writing';
const COUNTED = { weights: { view: 1 }, windows: ['day'] };
const SITES = {
  demo: { origins: ['*'], actions: { view: {}, share: {} }, boards: { articles: COUNTED, none: { ...COUNTED, weights: { share: 1 } } } },
};
const BOARD = '<edge-board site="demo" board="articles" window="day"></edge-board>';
const LONG = 'A title that is so long that a phone has no room for it, '.repeat(5);
const PICTURES = 'https://pictures.example';
/** The best of today, and how often they were seen yesterday. */
const ITEMS = [
  { id: '/up', title: LONG, today: 9, yesterday: 1, image: `${PICTURES}/up.png` },
  { id: '/down', title: 'The second', today: 6, yesterday: 2, image: 'http://pictures.example/down.png' },
  { id: '/new', title: 'عنوان', today: 3, yesterday: 0 },
  ...Array.from({ length: 7 }, (_, i) => ({ id: `/${i}`, title: `Other ${i}`, today: 1, yesterday: 0, image: 'javascript:alert(1)' })),
];

/** @type {import('../support/redis.mjs').Redis} */
let redis;
/** @type {import('../support/worker.mjs').Worker} */
let worker;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof listen>>} */
let site;
let html = '';

before(async () => {
  redis = await startRedis();
  worker = await startWorker({ vars: { REDIS_URL: redis.url, ADMIN_TOKEN, WRITE_TOKEN, SITES } });
  browser = await launchChromium();
  site = await listen((_, response) => response.setHeader('content-type', 'text/html').end(html));
  const send = async (
    /** @type {string} */ path,
    /** @type {string} */ method,
    /** @type {string} */ token,
    /** @type {string} */ body,
  ) => {
    const answer = await worker.fetch(path, { method, headers: { authorization: `Bearer ${token}` }, body });
    assert.ok(answer.ok, await answer.text());
  };
  const views = (/** @type {number} */ ago, /** @type {'today' | 'yesterday'} */ day) =>
    ITEMS.filter((item) => item[day] > 0).map((item) => ({ action: 'view', item: item.id, count: item[day], ago }));
  await send('/v1/demo/events', 'POST', WRITE_TOKEN, JSON.stringify({ events: [...views(86_400_000, 'yesterday'), ...views(0, 'today')] }));
  const described = ITEMS.map(({ id, title, image }) => ({ id, title, ...(image?.startsWith('http') && { image }) }));
  await send('/v1/demo/items', 'PUT', ADMIN_TOKEN, described.map((item) => JSON.stringify(item)).join('\n'));
});
after(async () => {
  await browser?.close();
  await site?.close();
  await worker?.stop();
  await redis?.stop();
});
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

/**
 * A page of another origin.
 *
 * @param {string} body
 * @param {object} [options]
 * @param {string} [options.attributes] of `html`
 * @param {string} [options.style]
 * @param {number} [options.width]
 * @param {boolean} [options.javaScriptEnabled]
 * @param {(page: import('playwright-core').Page) => Promise<unknown>} [options.first]
 */
async function open(body, { attributes = 'lang="en"', style = '', width = 800, javaScriptEnabled = true, first } = {}) {
  const scheme = '<meta name="color-scheme" content="light dark">';
  html = `<!doctype html><html ${attributes}>${scheme}<title>News</title><style>${style}</style>
    <script type="module" src="${worker.url}/board.js"></script><body>${body}`;
  const page = await openPage(browser, { viewport: { width, height: 900 }, javaScriptEnabled });
  /** @type {string[]} */
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await first?.(page);
  await page.goto(site.url);
  return { page, asked };
}

const rows = (/** @type {import('playwright-core').Page} */ page) => page.locator('edge-board li');

test('it shows titles where nothing says that it should not', async () => {
  const { page, asked } = await open(BOARD);
  await rows(page).nth(9).waitFor();
  assert.match((await rows(page).nth(1).textContent()) ?? '', /The second/);
  assert.ok(
    asked.some((url) => url.endsWith('/boards/articles/day')),
    String(asked),
  );
});

test('until there is a list it is busy, and as high as the list will be', async () => {
  /** @type {() => void} */
  let answer = () => {};
  const isSlow = new Promise((resolve) => {
    answer = () => resolve(undefined);
  });
  const { page } = await open(BOARD.replace('><', '>Loading<'), {
    first: (page) =>
      page.route('**/boards/**', async (route) => {
        await isSlow;
        await route.continue();
      }),
  });
  const board = page.locator('edge-board[aria-busy=true]');
  await board.waitFor();
  const height = () => page.locator('edge-board').evaluate((element) => element.getBoundingClientRect().height);
  const before = await height();
  assert.equal(await page.getByText('Loading').isVisible(), true);
  answer();
  await page.locator('edge-board[aria-busy=false] li').nth(9).waitFor();
  const now = await height();
  // One of the ten titles takes two lines.
  assert.ok(Math.abs(now - before) < 30, `${before} px, then ${now} px`);
});

test('what will never have a list is not busy', async () => {
  const { page } = await open(BOARD.replace('articles', 'artikel'));
  await page.locator('edge-board[stale][aria-busy=false]').waitFor();
});

test('without scripts what stands in it is shown', async () => {
  const { page } = await open(BOARD.replace('><', '><a href="/all">All articles</a><'), { javaScriptEnabled: false });
  assert.equal(await page.getByRole('link', { name: 'All articles' }).isVisible(), true);
});

for (const [language, texts] of Object.entries({
  en: ['up 1', 'down 1', 'new', '1 reading now', 'Nothing yet'],
  'de-AT': ['1 nach oben', '1 nach unten', 'neu', '1 lesen gerade', 'Noch nichts'],
  fr: ['en hausse de 1', 'en baisse de 1', 'nouveau', '1 en train de lire', 'Rien pour le moment'],
  es: ['sube 1', 'baja 1', 'nuevo', '1 leyendo ahora', 'Todavía nada'],
  ja: ['1 ランク上昇', '1 ランク下降', '新着', '1 人が閲覧中', 'まだありません'],
  ar: ['صعود', 'هبوط', 'جديد', 'يقرأ الآن', 'لا شيء بعد'],
})) {
  test(`it says everything in the language ${language}, and axe finds nothing`, async () => {
    const none = BOARD.replace('articles', 'none');
    const own = BOARD.replace('>', ' readers pictures label="Most read">');
    const direction = language === 'ar' ? 'rtl' : 'ltr';
    const body = `<main><h1>News</h1>${own}${none}</main>`;
    const { page, asked } = await open(body, { attributes: `lang="${language}" dir="${direction}"`, first: showPictures });
    const [up, down, isNew, readers, empty] = texts;
    await page.getByText(readers).waitFor({ timeout: 8000 });
    await page.getByText(empty).waitFor();
    for (const [at, text] of [up, down, isNew].entries()) {
      assert.match((await rows(page).nth(at).getByRole('img').last().getAttribute('aria-label')) ?? '', new RegExp(text));
    }
    assert.equal(asked.filter((url) => url.endsWith('/board-texts.js')).length, language === 'en' ? 0 : 1);
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(AXE);
      const found = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run();
        return violations.map(
          (/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`,
        );
      });
      assert.deepEqual(found, [], colorScheme);
    }
  });
}

test('texts that cannot be loaded are English, and attributes say others', async () => {
  const own =
    BOARD.replace('>', ' text-up="rose by {n}" text-new="fresh">') + BOARD.replace('articles"', 'none" text-empty="Write something"');
  const { page } = await open(own, { attributes: 'lang="de"', first: (page) => page.route('**/board-texts.js', (route) => route.abort()) });
  await page.getByText('Write something').waitFor();
  const label = (/** @type {number} */ at) => rows(page).nth(at).locator('[part~=movement]').getAttribute('aria-label');
  await rows(page).nth(9).waitFor();
  assert.deepEqual([await label(0), await label(1), await label(2)], ['rose by 1', 'down 1', 'fresh']);
  await page
    .locator('edge-board')
    .first()
    .evaluate((element) => element.setAttribute('text-up', 'up we go'));
  await until('the other text', async () => (await label(0)) === 'up we go');
});

test('a long title takes two lines, and no list is wider than a phone', async () => {
  const { page } = await open(BOARD, { width: 360, style: 'body { font: 16px/20px sans-serif }' });
  await rows(page).nth(9).waitFor();
  const { height, width } = await rows(page)
    .first()
    .locator('[part=name]')
    .evaluate((name) => ({ height: name.getBoundingClientRect().height, width: document.documentElement.scrollWidth }));
  assert.deepEqual([height, width], [40, 360]);
});

for (const direction of ['ltr', 'rtl']) {
  test(`bars, ranks and titles begin on the side where ${direction} begins`, async () => {
    const { page } = await open(BOARD, { attributes: `lang="en" dir="${direction}"` });
    await rows(page).nth(9).waitFor();
    const [start, isRtl] = [direction === 'rtl' ? 'right' : 'left', direction === 'rtl'];
    for (const at of [1, 2]) {
      const seen = await rows(page)
        .nth(at)
        .evaluate((row) => {
          const box = (/** @type {string} */ part) => /** @type {Element} */ (row.querySelector(`[part=${part}]`)).getBoundingClientRect();
          const origin = Number.parseFloat(getComputedStyle(row, '::before').transformOrigin);
          const [rank, name, score, own] = [box('rank'), box('name'), box('score'), row.getBoundingClientRect()];
          return { bar: origin === 0 ? 'left' : origin === own.width ? 'right' : origin, rank: rank.x, name, score: score.x };
        });
      assert.equal(seen.bar, start);
      assert.equal(seen.rank > seen.score, isRtl);
      // Whatever way a title is written, it stands beside its rank.
      assert.ok(isRtl ? seen.rank - seen.name.right < 30 : seen.name.left - seen.rank < 60, JSON.stringify(seen));
    }
  });
}

test('ranks, movements and scores can be read on their bars, whatever colours the page has', async () => {
  for (const [color, background] of [
    ['#000', '#fff'],
    ['#222', '#fafafa'],
    ['#555', '#fff'],
    ['#fff', '#000'],
    ['#ddd', '#1c1b19'],
    ['#bbb', '#222'],
  ]) {
    const { page } = await open(BOARD, { style: `body { color: ${color}; background: ${background} }` });
    await rows(page).nth(9).waitFor();
    const found = await page.evaluate((background) => {
      const board = /** @type {any} */ (document.querySelector('edge-board')).shadowRoot;
      const context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
      /** Light of colours that lie on one another. @param {string[]} colors */
      const light = (...colors) => {
        for (const fill of colors) {
          context.fillStyle = fill;
          context.fillRect(0, 0, 1, 1);
        }
        const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
          const part = byte / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const bar = getComputedStyle(board.querySelector('li'), '::before').backgroundColor;
      return ['rank', 'up', 'down', 'new', 'score'].flatMap((part) => {
        const text = getComputedStyle(board.querySelector(`[part~=${part}]`)).color;
        return [[background], [background, bar]].map((under) => {
          const [dark, bright] = [light(...under), light(...under, text)].sort((a, b) => a - b);
          return { part, ratio: (bright + 0.05) / (dark + 0.05) };
        });
      });
    }, background);
    const low = found.filter(({ ratio }) => ratio < 4.5);
    assert.deepEqual(low, [], `${color} on ${background}`);
    await page.context().close();
  }
});

/** @param {import('playwright-core').Page} page */
const showPictures = (page) =>
  page.route('**://pictures.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' }),
  );

test('pictures are shown where the page asks for them: over https alone, when they are near, and nobody says of which page', async () => {
  const { page: bare, asked: without } = await open(BOARD, { first: showPictures });
  await rows(bare).nth(9).waitFor();
  assert.equal(await bare.locator('edge-board img:visible').count(), 0);
  const { page, asked } = await open(BOARD.replace('>', ' pictures="24">'), { first: showPictures });
  /** @type {(string | undefined)[]} */
  const referrers = [];
  page.on('request', (request) => request.url().startsWith(PICTURES) && referrers.push(request.headers().referer));
  const picture = page.locator('edge-board img:visible');
  await picture.waitFor();
  assert.equal(await picture.count(), 1, 'none over http, and none that is a script');
  const shown = await picture.evaluate((img) => {
    const { width, height, loading, referrerPolicy, alt, src } = /** @type {HTMLImageElement} */ (img);
    return { width, height, loading, referrerPolicy, alt, src };
  });
  const src = `${PICTURES}/up.png`;
  assert.deepEqual(shown, { width: 24, height: 24, loading: 'lazy', referrerPolicy: 'no-referrer', alt: '', src });
  await until('the picture', () => asked.some((url) => url === src));
  const toPictures = (/** @type {string[]} */ urls) => urls.filter((url) => url.includes('pictures.example'));
  assert.deepEqual([toPictures(without), toPictures(asked)], [[], [src]]);
  assert.deepEqual(referrers.filter(Boolean), []);
  await page.locator('edge-board').evaluate((element) => element.removeAttribute('pictures'));
  await until('no picture', async () => (await picture.count()) === 0);
});
