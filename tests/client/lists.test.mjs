/**
 * The lines of docs/recipes/lists.md make what the page says: each is put into a small site, which its generator builds against a running
 * worker. What cannot be installed here is left out, and the test says so.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject, NODE } from '../../scripts/project.mjs';
import { ensureGenerators, ensureHugo, GENERATORS } from '../../scripts/setup/generators.mjs';
import { startDeployment } from '../support/deployment.mjs';

const run = promisify(execFile);
const ADMIN_TOKEN = 'a-token-for-admins';
const TITLES = { '/bread/': 'Bread & "butter" <b>', '/flour/': 'Ten kinds of flour' };
/** Nobody answers here. */
const DOWN = 'http://127.0.0.1:1';
const QUIET = { ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' };
/** A build says more than that when it fails. */
const MAX_PRINTED = 10_000_000;

/** Files and the lines of the page that go into them, by the file's name. */
const BLOCKS = Object.fromEntries(
  [...readFileSync(inProject('docs/recipes/lists.md'), 'utf8').matchAll(/`(?:\.\/)?([\w./-]+)`[^`]*:\n\n```[\w-]+\n(.*?)^```$/gms)].map(
    ([, name, block]) => [name, block],
  ),
);

/** @typedef {{ files: Record<string, string>, build: (folder: string) => Promise<unknown>, page: string, isSlow?: boolean }} Generator */

/** @param {string[]} command @returns {(folder: string) => Promise<unknown>} */
const npm =
  ([program, ...args]) =>
  (folder) =>
    run(NODE, [join(GENERATORS, 'node_modules', program), ...args], {
      cwd: folder,
      env: { ...process.env, ...QUIET },
      maxBuffer: MAX_PRINTED,
    });

/** The rest of a small site. @type {Record<string, Generator>} */
const SITES = {
  Hugo: {
    files: {
      'layouts/_partials/most-read.html': '',
      'layouts/home.html': '<!doctype html><title>Blog</title>{{ partial "most-read.html" . }}',
      // As the page says, of a worker on one's own machine.
      'hugo.toml': 'disableKinds = ["rss", "section", "sitemap", "taxonomy", "term"]\n[security.http]\nurls = [".*"]\n',
    },
    async build(folder) {
      return run(await ensureHugo(), ['--cacheDir', join(folder, 'cache')], { cwd: folder });
    },
    page: 'public/index.html',
  },
  Eleventy: {
    files: {
      'eleventy.config.js': '',
      'index.njk': '<!doctype html><title>Blog</title>{% mostRead %}',
      'package.json': '{"type":"module"}',
    },
    build: npm(['@11ty/eleventy/cmd.cjs']),
    page: '_site/index.html',
  },
  Astro: {
    files: {
      'src/components/MostRead.astro': '',
      'src/pages/index.astro': "---\nimport MostRead from '../components/MostRead.astro';\n---\n<title>Blog</title>\n<MostRead />\n",
      'package.json': '{"type":"module"}',
    },
    build: npm(['astro/bin/astro.mjs', 'build']),
    page: 'dist/index.html',
  },
  'Next.js': {
    files: {
      'app/most-read.js': '',
      'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
      'app/page.js': "import MostRead from './most-read';\nexport default () => <MostRead />;",
      // Its packages lie above the site.
      'next.config.mjs': `export default { turbopack: { root: ${JSON.stringify(GENERATORS)} } };`,
      'package.json': '{"type":"module"}',
    },
    build: npm(['next/dist/bin/next', 'build']),
    page: '.next/server/app/index.html',
    isSlow: true,
  },
};

describe('lists without scripts', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    const blog = { actions: { view: {} }, boards: { posts: { weights: { view: 1 }, windows: ['last-7-days'] } } };
    deployment = await startDeployment({ transport: 'redis://', sites: { blog }, vars: { ADMIN_TOKEN } });
    const views = { '/bread/': 3, 'javascript:alert(1)': 2, '/flour/': 1 };
    const events = Object.entries(views).map(([item, count]) => ({ action: 'view', item, count }));
    assert.equal((await deployment.events({ events }, { site: 'blog' })).body.accepted, events.length);
    const lines = Object.entries(TITLES).map(([id, title]) => JSON.stringify({ id, title, url: id }));
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    assert.equal((await deployment.fetch('/v1/blog/items', { method: 'PUT', headers, body: lines.join('\n') })).status, 200);
  });
  after(() => deployment?.stop());

  test('each has ten lines at most', () => {
    const names = [...Object.values(SITES).map(({ files }) => Object.keys(files)[0]), 'functions.php'];
    assert.deepEqual(Object.keys(BLOCKS).sort(), names.sort());
    for (const [name, block] of Object.entries(BLOCKS)) assert.ok(block.trim().split('\n').length <= 10, name);
  });

  for (const [name, site] of Object.entries(SITES)) {
    describe(name, () => {
      /** @type {Problem | undefined} */
      let missing;
      before(async () => {
        try {
          await (name === 'Hugo' ? ensureHugo() : ensureGenerators());
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          missing = error;
        }
      });

      test('the built page has the titles, as links', async (t) => {
        if (missing) return void t.skip(`${name} was not run: ${missing.message}`);
        const html = await built(t, site, deployment.worker.url);
        assert.deepEqual(linksOf(html), Object.entries(TITLES));
      });

      if (!site.isSlow) {
        test('a page is built without the list while the worker does not answer', async (t) => {
          if (missing) return void t.skip(`${name} was not run: ${missing.message}`);
          const html = await built(t, site, DOWN);
          assert.match(html, /<title>Blog<\/title>/);
          assert.deepEqual(linksOf(html), []);
        });
      }
    });
  }

  test('WordPress shows the titles, asks once a minute, and keeps the last list', async (t) => {
    if (!(await run('php', ['--version']).catch(() => undefined))) return void t.skip('php is not installed: its lines were not run');
    const folder = folderOf(t);
    writeFileSync(join(folder, 'functions.php'), `<?php\n${BLOCKS['functions.php']}`);
    cpSync(inProject('tests/client/lists/wordpress.php'), join(folder, 'wordpress.php'));
    const { stdout } = await run('php', ['wordpress.php', DOWN, deployment.worker.url, DOWN], { cwd: folder });
    const { shown, asked } = JSON.parse(stdout);
    const [none, list, kept] = shown;
    assert.deepEqual(none, ['', '']);
    assert.deepEqual(linksOf(list[0]), Object.entries(TITLES));
    assert.deepEqual([list[1], ...kept], [list[0], list[0], list[0]]);
    assert.equal(asked, 3);
  });
});

/** A folder below that of the packages, so that a site finds them. @param {import('node:test').TestContext} t */
function folderOf(t) {
  mkdirSync(GENERATORS, { recursive: true });
  const folder = mkdtempSync(join(GENERATORS, 'site-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** What a site's page is. @param {import('node:test').TestContext} t @param {Generator} site @param {string} worker */
async function built(t, { files, build, page }, worker) {
  const folder = folderOf(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), (BLOCKS[name] ?? text).replaceAll('https://YOUR-WORKER', worker));
  }
  await build(folder);
  return readFileSync(join(folder, page), 'utf8');
}

/** Addresses and texts of a page's links. @param {string} html */
function linksOf(html) {
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, href, text]) => [plain(href), plain(text)]);
}

/** @param {string} text without its entities */
function plain(text) {
  const entities = /** @type {Record<string, string>} */ ({ amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#x27': "'", '#39': "'" });
  return text.replaceAll(/&([#\w]+);/g, (_, name) => entities[name] ?? assert.fail(name));
}
