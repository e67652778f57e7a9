/**
 * The site of the documents: every page is in its navigation, its links lead somewhere, and its search finds.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';

import { filesWithProse } from '../../scripts/prose.mjs';
import { NODE } from '../../scripts/project.mjs';
import { ensureVitePress, SITE } from '../../scripts/setup/site.mjs';
import { addressOf, GROUPS } from '../../site/.vitepress/addresses.mjs';
import { runProgram } from '../support/program.mjs';

const FILES = GROUPS.flatMap(({ pages }) => pages.map(({ file }) => file));

test('every document is in the navigation, once', () => {
  const documents = filesWithProse().filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
  assert.ok(documents.length > 20, String(documents.length));
  assert.deepEqual(FILES.filter((file) => file.startsWith('docs/')).sort(), documents.sort());
});

test('no two pages have one name in a group', () => {
  for (const { group, pages } of GROUPS) assert.equal(new Set(pages.map(({ name }) => name)).size, pages.length, group);
});

describe('built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-site-'));
  /** @type {Map<string, { html: string, ids: Set<string> }>} */
  const pages = new Map();
  before(async () => {
    const vitepress = await ensureVitePress();
    const { exitCode, printed } = await runProgram(NODE, SITE, [vitepress, 'build', SITE, '--outDir', folder]);
    assert.equal(exitCode, 0, printed);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))) {
      const html = readFileSync(join(folder, name), 'utf8');
      pages.set(name, { html, ids: new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) });
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  test('each document is a page', () => {
    const expected = FILES.map((file) => addressOf(file).replace(/\.md$/, '.html'));
    assert.deepEqual([...pages.keys()].filter((name) => name !== '404.html').sort(), expected.sort());
  });

  test('links lead to pages, files and headings', () => {
    const files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
    let count = 0;
    const broken = [...pages].flatMap(([name, { html }]) => {
      const [, main] = /<main.*?>(.*)<\/main>/s.exec(html) ?? [];
      const links = [...(main ?? '').matchAll(/ (?:href|src)="([^"]+)"/g)]
        .map(([, to]) => decodeURI(to))
        .filter((to) => !/^(\w+:|\/\/)/.test(to));
      count += links.length;
      return links.filter((to) => {
        const [path, id] = to.split('#');
        const target = path === '' ? name : path.startsWith('/') ? path.slice(1) || 'index.html' : normalize(join(name, '..', path));
        return !files.has(target) || (id !== undefined && id !== '' && !pages.get(target)?.ids.has(id));
      });
    });
    assert.deepEqual(broken, []);
    assert.ok(count > 500, String(count));
  });

  test('the search finds terms of three pages', async () => {
    const chunks = join(folder, 'assets/chunks');
    const index = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndex')) ?? assert.fail('no index');
    const { default: text } = await import(pathToFileURL(join(chunks, index)).href);
    const MiniSearch = createRequire(join(SITE, 'package.json'))('minisearch');
    // As the page of the search reads it.
    const search = MiniSearch.loadJSON(text, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
    const found = (/** @type {string} */ term) =>
      search.search(term, { prefix: true }).map((/** @type {{ id: string }} */ { id }) => id.replace(/#.*/, ''));
    for (const [term, page] of Object.entries({
      replay_window: '/configuration/counting.html',
      'libraries-stay': '/operations/redis.html',
      webhook: '/ingest/forwarding.html',
    })) {
      assert.ok(found(term).slice(0, 10).includes(page), `${term}: ${found(term).join(' ')}`);
    }
  });
});
