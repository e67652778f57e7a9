/**
 * The documentation holds together: its links lead somewhere, its sentences are short, and its words are plain.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { filesWithProse, measure, wordsPerSentence } from '../../scripts/prose.mjs';

const MAX_README_WORDS = 1500;
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

    test('no coined words', () => {
      assert.deepEqual(
        measure(path).coined.map(({ line, word, plain }) => `${path}:${line}: ${word}, for ${plain}`),
        [],
      );
    });
  });
}

test(`README has at most ${MAX_README_WORDS} words`, () => {
  const words = read('README.md').split(/\s+/).filter(Boolean).length;
  assert.ok(words <= MAX_README_WORDS, String(words));
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
