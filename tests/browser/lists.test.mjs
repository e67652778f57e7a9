/** Lists for pages without scripts in a real browser: a picture in an <img>, and a frame whose links lead the page around it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, describe, test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { listen } from './support/listen.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ADMIN_TOKEN = 'a-token-for-admins';
const COUNTED = { weights: { view: 1 }, windows: ['day'] };
const LONG = 'A title that is so long that a phone has no room for it, '.repeat(5);
const HOSTILE = [
  '<script>document.title="run"</script>',
  '"><img src=x onerror="document.title=1">',
  "' onload='document.title=1",
  'javascript:document.title=2',
  '</title></style><svg onload="document.title=3">',
  ']]><x/>',
  '&#60;script&#62;\uffff',
];
/** Titles in scripts whose widths are only estimated, and as wide as letters are. */
const WIDE = [
  'W'.repeat(80),
  'Щ МОСКВА ОБЪЯВИЛА О НОВЫХ ПРАВИЛАХ ДЛЯ ВЕЛОСИПЕДИСТОВ В ЦЕНТРЕ ГОРОДА',
  'Nachrichten über Donaudampfschifffahrtsgesellschaftskapitänsmützen und andere lange Wörter',
  '新しい図書館が駅前に開館し、初日から多くの人が訪れた。児童書のコーナーも広い',
  'إطلاق مكتبة جديدة في وسط المدينة بحضور عدد كبير من القراء والكتاب والناشرين',
  '/posts/2026/11/a-path-that-is-shown-because-nobody-gave-it-a-title-and-that-is-long',
  '👩‍🚀🚀🎉 Party in space 🎉🚀👩‍🚀 with rockets 🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀',
];
const FORMS = ['.svg', '/frame.html'];
/** What a frame needs, and nothing else. */
const SANDBOX = 'allow-top-navigation-by-user-activation';

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
/** @type {import('playwright-core').Browser} */
let browser;
/** The site whose pages have the list. @type {Awaited<ReturnType<typeof listen>>} */
let site;
let html = '';

before(async () => {
  site = await listen((request, response) => {
    response.setHeader('content-type', 'text/html').end(request.url === '/' ? html : '<!doctype html><title>The article</title>');
  });
  const boards = {
    posts: COUNTED,
    hostile: { ...COUNTED, weights: { share: 1 } },
    wide: { ...COUNTED, weights: { save: 1 } },
    arabic: { ...COUNTED, weights: { like: 1 } },
  };
  const actions = { view: {}, share: {}, save: {}, like: {} };
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: { origins: [site.url], actions, boards } },
    vars: { ADMIN_TOKEN },
  });
  const titles = { '/first': 'How I learned to bake', '/second': LONG, '/third': 'عنوان', '/fourth': 'Ten kinds of flour & one of rye' };
  const arabic = { '/أ': 'مكتبة جديدة في وسط المدينة', '/ب': 'عشرة أنواع من الطحين', '/ج': 'Bread' };
  const named = WIDE.map((title, at) => ({ id: `/wide/${at}`, title }));
  const items = [...Object.entries({ ...titles, ...arabic }).map(([id, title]) => ({ id, title })), ...named];
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const body = items.map((item) => JSON.stringify(item)).join('\n');
  assert.equal((await deployment.fetch('/v1/demo/items', { method: 'PUT', headers, body })).body.accepted, items.length);
  const counted = (/** @type {string} */ action, /** @type {string[]} */ ids) =>
    ids.map((item, at) => ({ action, item, count: 2 ** (2 * (ids.length - at)) }));
  const events = [
    ...[...counted('view', ['/fourth', '/first']), { action: 'view', item: '/third', count: 1 }].map((event) => ({
      ...event,
      ago: 86_400_000,
    })),
    ...counted('view', Object.keys(titles)),
    ...counted('share', HOSTILE),
    ...counted(
      'save',
      named.map(({ id }) => id),
    ),
    ...counted('like', Object.keys(arabic)),
  ];
  const answer = await deployment.events({ events });
  assert.equal(answer.body.accepted, events.length, answer.text);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await deployment?.stop();
  await site?.close();
});
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

const addressOf = (/** @type {string} */ path) => `${deployment.worker.url}/v1/demo/boards/${path}`;

/**
 * A page of the site without scripts of its own.
 *
 * @param {string} body
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function open(body, options) {
  html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
    <title>Blog</title><h1>Blog</h1>${body}`;
  const page = await openPage(browser, options);
  await page.goto(`${site.url}/`);
  return page;
}

/** What a browser's own parser makes of a form. @param {string} path */
async function parsed(path) {
  const page = await openPage(browser);
  const { headers, text } = await deployment.fetch(`/v1/demo/boards/${path}`);
  return page.evaluate(
    ([text, type]) => {
      const document = new DOMParser().parseFromString(text, /** @type {DOMParserSupportedType} */ (type));
      const elements = [...document.querySelectorAll('*')];
      return {
        tags: [...new Set(elements.map((element) => element.localName))],
        attributes: [...new Set(elements.flatMap((element) => element.getAttributeNames()))],
        rows: elements.filter((element) => element.matches('g text, .name')).map((element) => element.textContent ?? ''),
        hrefs: elements.filter((element) => element.matches('a')).map((element) => element.getAttribute('href')),
      };
    },
    [text, (headers.get('content-type') ?? '').split(';')[0]],
  );
}

test('ids are text in both, whatever they are made of', async () => {
  const shown = HOSTILE.map((id) => id.replace('\uffff', '\ufffd'));
  const picture = await parsed('hostile/day.svg?width=1000&title=%3Cscript%3E');
  assert.deepEqual(picture.tags, ['svg', 'title', 'style', 'clipPath', 'rect', 'text', 'g']);
  assert.deepEqual(
    picture.attributes.filter((name) => /^on|href|style/.test(name)),
    [],
  );
  assert.deepEqual(picture.rows, shown);
  const frame = await parsed('hostile/day/frame.html?title=%3Cscript%3E');
  const tags = 'html head meta title base style body main h1 ol li svg rect span data'.split(' ');
  assert.deepEqual([...frame.tags].sort(), tags.sort());
  assert.deepEqual(
    frame.attributes.filter((name) => /^on|href|style/.test(name)),
    [],
  );
  assert.deepEqual([frame.rows, frame.hrefs], [shown, []]);
});

test('opened by themselves they run nothing, and have their style', async () => {
  for (const form of FORMS) {
    const page = await openPage(browser);
    /** @type {string[]} */
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(addressOf(`hostile/day${form}`));
    const rank = page.locator('.rank').first();
    const style = await rank.evaluate((element) => [getComputedStyle(element).color, getComputedStyle(element).fill]);
    assert.ok(style.includes('rgb(87, 82, 74)'), String(style));
    assert.deepEqual(complaints, [], form);
    assert.notEqual(await page.title(), 'run');
  }
});

describe('a picture', () => {
  test('has its size in an <img>, and no text that leaves its place', async () => {
    for (const width of [240, 400, 1000]) {
      const page = await open(
        `<img src="${addressOf(`wide/day.svg?width=${width}&title=${encodeURIComponent(LONG.slice(0, 99))}`)}" alt="">`,
      );
      await page.waitForFunction((width) => document.querySelector('img')?.naturalWidth === width, width);
      const own = await openPage(browser);
      await own.goto(addressOf(`wide/day.svg?width=${width}&title=${encodeURIComponent(LONG.slice(0, 99))}`));
      const texts = await own.locator('text').evaluateAll((texts) =>
        texts.map((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return { text: text.textContent ?? '', of: text.getAttribute('class') ?? 'name', left, right, top, bottom };
        }),
      );
      const { names, height } = await own.evaluate(() => ({
        names:
          /** @type {any} */ (document.querySelector('clipPath rect'))?.width.baseVal.value +
          /** @type {any} */ (document.querySelector('clipPath rect'))?.x.baseVal.value,
        height: document.documentElement.getBoundingClientRect().height,
      }));
      for (const { text, of, left, right, top, bottom } of texts) {
        assert.ok(
          left >= 0 && right <= (of === 'name' ? names : width) + 1 && top >= 0 && bottom <= height,
          `${width}: ${text} to ${right} of ${names}`,
        );
      }
      const cut = texts.filter(({ of, text }) => of === 'name' && text.endsWith('…')).length;
      assert.equal(cut, width === 1000 ? 0 : 7, `${width}`);
    }
  });

  for (const width of [360, 1280]) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`of a page of ${width} pixels is ${colorScheme}, and text can be read on its ground and bars`, async () => {
        const body = ['posts/day.svg?title=Most+read', 'arabic/day.svg?lang=ar'].map(
          (path) => `<p><img src="${addressOf(path)}" style="max-width: 100%" alt="">`,
        );
        const page = await open(body.join(''), { viewport: { width, height: 700 }, colorScheme });
        await page.waitForFunction(() => [...document.images].every((image) => image.naturalWidth > 0));
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        const own = await openPage(browser, { colorScheme });
        await own.goto(addressOf('posts/day.svg?title=Most+read'));
        assert.deepEqual(await low(own), []);
      });
    }
  }

  test('has the colours of its address, whatever the reader prefers', async () => {
    for (const [theme, ground] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(28, 27, 25)'],
    ]) {
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        const page = await openPage(browser, { colorScheme });
        await page.goto(addressOf(`posts/day.svg?theme=${theme}`));
        assert.equal(await page.locator('.card').evaluate((card) => getComputedStyle(card).fill), ground, `${theme} for ${colorScheme}`);
      }
    }
  });
});

describe('a frame', () => {
  const frame = (/** @type {string} */ path, sandbox = `sandbox="${SANDBOX}"`) =>
    `<iframe src="${addressOf(path)}" ${sandbox} title="Most read" style="border: 0; width: 100%; height: 340px"></iframe>`;

  test('leads the page around it to what was clicked, with nothing but that permission', async () => {
    const page = await open(frame('posts/day/frame.html'), { javaScriptEnabled: false });
    await page.frameLocator('iframe').getByRole('link', { name: 'How I learned to bake' }).click();
    await page.waitForURL(`${site.url}/first`);
    assert.equal(await page.title(), 'The article');
  });

  test('leads nowhere without that permission, nor without a click', async () => {
    const page = await open(frame('posts/day/frame.html', 'sandbox'));
    /** @type {string[]} */
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.frameLocator('iframe').getByRole('link', { name: 'How I learned to bake' }).click();
    await until('it is refused', () => complaints.some((text) => /sandbox/.test(text)));
    assert.equal(page.url(), `${site.url}/`);
  });

  test('needs nothing of the policy of the page but that it may be there', async () => {
    const policy = `default-src 'none'; frame-src ${deployment.worker.url}`;
    const page = await open(
      `<meta http-equiv="content-security-policy" content="${policy}">${frame('posts/day/frame.html').replace(/style="[^"]*"/, '')}`,
    );
    await page.frameLocator('iframe').getByRole('link', { name: 'How I learned to bake' }).click();
    await page.waitForURL(`${site.url}/first`);
  });

  test('can be used with the keyboard', async () => {
    const page = await open(frame('posts/day/frame.html'));
    await page.frameLocator('iframe').getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.url}/first`);
  });

  for (const width of [360, 1280]) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`of a page of ${width} pixels is ${colorScheme}, fits, and its text can be read`, async () => {
        const page = await open(frame('posts/day/frame.html?title=Most+read') + frame('arabic/day/frame.html?lang=ar'), {
          viewport: { width, height: 800 },
          colorScheme,
        });
        const list = page.frameLocator('iframe').first().locator('ol');
        await list.waitFor();
        const seen = await list.evaluate((list) => ({
          width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          second: list.querySelectorAll('.name')[1].getBoundingClientRect().height,
          moves: Math.max(...Array.from(list.querySelectorAll('.move'), (move) => move.getBoundingClientRect().height)),
          line: Number.parseFloat(getComputedStyle(list).lineHeight),
        }));
        assert.equal(seen.width, 0);
        assert.ok(seen.second <= 2 * seen.line + 1 && seen.moves < 1.5 * seen.line, JSON.stringify(seen));
        const own = await openPage(browser, { colorScheme, viewport: { width, height: 700 } });
        await own.goto(addressOf('posts/day/frame.html?title=Most+read'));
        assert.deepEqual(await low(own), []);
        // Nothing runs in a sandbox, not even what looks for mistakes.
        const free = await openPage(browser, { colorScheme });
        await free.setContent((await deployment.fetch('/v1/demo/boards/posts/day/frame.html?title=Most+read')).text);
        await free.evaluate(AXE);
        // It takes a page without a ground for white; `low` has measured contrasts.
        const options = { rules: { 'color-contrast': { enabled: false } } };
        const violations = await free.evaluate(async (options) => (await /** @type {any} */ (window).axe.run(options)).violations, options);
        assert.deepEqual(
          violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`),
          [],
        );
      });
    }
  }

  test('has bars and titles that begin where rows do, whichever way a title is written', async () => {
    for (const [path, side] of /** @type {[string, 'left' | 'right'][]} */ ([
      ['posts/day/frame.html', 'left'],
      ['arabic/day/frame.html', 'right'],
    ])) {
      const page = await openPage(browser);
      await page.goto(addressOf(path));
      const third = await page
        .locator('li')
        .nth(2)
        .evaluate((row) => {
          const box = (/** @type {string} */ selector) => /** @type {Element} */ (row.querySelector(selector)).getBoundingClientRect();
          const [own, bar, rank, name, score] = [row.getBoundingClientRect(), ...['.bar', '.rank', '.name', '.score'].map(box)];
          const left = { bar: bar.left - own.left, name: name.left - rank.right, score: own.right - score.right };
          const right = { bar: own.right - bar.right, name: rank.left - name.right, score: score.left - own.left };
          return { left, right };
        });
      for (const [what, distance] of Object.entries(third[side])) assert.ok(distance >= 0 && distance < 20, `${path}: ${what} ${distance}`);
    }
  });
});

/** Texts whose contrast with their ground or their bar is less than 4.5:1. @param {import('playwright-core').Page} page */
function low(page) {
  return page.evaluate(() => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas'));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const light = (/** @type {string} */ color) => {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
        const part = byte / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const isPicture = document.documentElement.localName === 'svg';
    const of = (/** @type {Element | null} */ element) => getComputedStyle(/** @type {Element} */ (element)).fill;
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    // A frame has the ground of its page.
    const ground = isPicture ? of(document.querySelector('.card')) : isDark ? '#1c1b19' : '#fff';
    const grounds = [ground, of(document.querySelector('.bar'))];
    return [...document.querySelectorAll('text, .rank, .name, .move, .score, h1')].flatMap((text) =>
      grounds.flatMap((under) => {
        const color = isPicture ? of(text) : getComputedStyle(text).color;
        const [dark, bright] = [light(color), light(under)].sort((a, b) => a - b);
        const ratio = (bright + 0.05) / (dark + 0.05);
        return ratio < 4.5 ? [`${text.textContent} ${color} on ${under}: ${ratio}`] : [];
      }),
    );
  });
}
