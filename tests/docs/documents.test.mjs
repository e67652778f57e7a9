/**
 * The documentation holds together: its links lead somewhere, and its sentences are short.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

import { inProject, ROOT } from '../../scripts/project.mjs';
import { filesWithProse, measure, wordsPerSentence } from '../../scripts/prose.mjs';

const MAX_WORDS = 1500;
/** Pages that are longer: each is a table that is generated. */
const TABLES = ['docs/faults/each.md', 'docs/http/problems.md', 'docs/http/routes.md'];
const MAX_WORDS_PER_SENTENCE = 16;

const documents = filesWithProse().filter((path) => path.endsWith('.md'));

test('the documents are found', () => {
  assert.ok(documents.includes('README.md') && documents.includes('docs/http.md'), documents.join(' '));
});

for (const path of documents) {
  describe(path, () => {
    test('links lead somewhere', () => {
      assert.deepEqual(brokenLinks(path), []);
    });

    test('files that are named exist', () => {
      assert.deepEqual(missingFiles(path), []);
    });

    test(`sentences have fewer than ${MAX_WORDS_PER_SENTENCE} words on average`, () => {
      const words = wordsPerSentence(measure(path).sentences);
      assert.ok(words > 0 && words < MAX_WORDS_PER_SENTENCE, String(words));
    });
  });
}

for (const path of documents.filter((path) => path === 'README.md' || path.startsWith('docs/'))) {
  test(`${path} has at most ${MAX_WORDS} words`, () => {
    const words = read(path).split(/\s+/).filter(Boolean).length;
    assert.equal(words > MAX_WORDS, TABLES.includes(path), `${words}; a page that is no generated table is split`);
  });
}

test('documents that comments and messages name are there', () => {
  const files = execFileSync('git', ['ls-files', 'src', 'crates', 'lua', 'scripts', 'web', 'tests', 'bench', 'types', 'wrangler.toml'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const named = files
    .split('\n')
    .filter((file) => /\.(rs|lua|m?js|ts|toml)$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/(?<![\w./])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, path, heading]) => ({ file, path, heading })),
    );
  assert.ok(named.length > 20, String(named.length));
  const missing = named.filter(
    ({ path, heading }) => !existsSync(inProject(path)) || (heading && !anchorsOf(read(path)).includes(heading)),
  );
  assert.deepEqual(missing, []);
});

/** @param {string} path */
function read(path) {
  return readFileSync(inProject(path), 'utf8');
}

/** Links to files and headings of the project that are not there. @param {string} path */
function brokenLinks(path) {
  const links = [...withoutCode(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to);
  return links
    .filter((to) => !/^[a-z]+:/.test(to))
    .filter((to) => {
      const [file, heading] = to.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(inProject(target))) return true;
      return heading !== undefined && !anchorsOf(read(target)).includes(heading);
    });
}

/** Paths of the project in code that are not there; NAME stands for any. @param {string} path */
function missingFiles(path) {
  const named = [...read(path).matchAll(/`((?:bench|docs|lua|scripts|src|tests|web)\/[\w./-]*)`/g)].map(([, file]) => file);
  return named.filter((file) => !file.includes('NAME') && !existsSync(inProject(file)));
}

/** The headings' anchors, as GitHub makes them. @param {string} text */
function anchorsOf(text) {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** @param {string} text */
function withoutCode(text) {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '');
}
