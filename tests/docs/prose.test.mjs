/** The script that measures prose finds sentences. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { blocksOf } from '../../scripts/prose/blocks.mjs';
import { sentencesOf } from '../../scripts/prose/sentences.mjs';

describe('sentences', () => {
  /** @type {[what: string, path: string, text: string, expected: [line: number, words: number][]][]} */
  const cases = [
    [
      'two on one line',
      'a.md',
      'One two. Three four five.',
      [
        [1, 2],
        [1, 3],
      ],
    ],
    [
      'one over two lines',
      'a.md',
      'One two\nthree.\n\nFour.',
      [
        [1, 3],
        [4, 1],
      ],
    ],
    [
      'questions and quotations',
      'a.md',
      'Is it? "It is." Good',
      [
        [1, 2],
        [1, 2],
        [1, 1],
      ],
    ],
    [
      'abbreviations and numbers',
      'a.md',
      'Ids, e.g. of items, in 1.5 ms. Two.',
      [
        [1, 7],
        [1, 1],
      ],
    ],
    ['code and links', 'a.md', 'See `a b c. d` in [the map](map.md), or https://example.com/a.b.', [[1, 7]]],
    [
      'items of a list',
      'a.md',
      '- One two\n- Three\n  four.',
      [
        [1, 2],
        [2, 2],
      ],
    ],
    ['no headings, tables, fences or comments', 'a.md', '# A b\n| c | d |\n```\ne f.\n```\n<!-- g\nh -->\nI j.', [[8, 2]]],
    [
      'Rust',
      'a.rs',
      '//! One two.\nfn three() {} // four five\n    /// Six\n    /// seven.',
      [
        [1, 2],
        [3, 2],
      ],
    ],
    [
      'Lua',
      'a.lua',
      '-- one two\n-- @arg name  text?  three four\n--               five\n-- @returns OK  the page\n-- @fields six\nlocal x -- eight',
      [
        [1, 2],
        [2, 3],
        [4, 2],
      ],
    ],
    [
      'JavaScript',
      'a.mjs',
      '/**\n * One two.\n *\n * @param {string} x three four\n */\n// five\nf("// six");',
      [
        [2, 2],
        [4, 2],
        [6, 1],
      ],
    ],
    ['a comment on one line', 'a.mjs', '/** One two. @param {string} x */\nf();', [[1, 2]]],
    ['other files', 'a.json', '{ "one": "two." }', []],
  ];
  for (const [what, path, text, expected] of cases) {
    test(what, () => {
      const found = blocksOf(path, text).flatMap(sentencesOf);
      assert.deepEqual(
        found.map(({ line, words }) => [line, words]),
        expected,
      );
    });
  }
});
