/** Names in code are the field's words: `npm run check` finds others, and nothing in comments and text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coinedNames } from '../../scripts/check/names.mjs';

/** @type {[what: string, path: string, text: string, expected: string[]][]} */
const CASES = [
  ['each word of a name', 'a.rs', 'fn is_told(Said { gone_ms }: Said) {}', ['1 is_told', '1 Said', '1 gone_ms', '1 Said']],
  ['of other languages', 'a.mjs', 'const isToldReaders = left, STOOD = toldAt;', ['1 isToldReaders', '1 left', '1 STOOD', '1 toldAt']],
  ['no part of a word', 'a.mjs', 'foretold(leftover, LEFTOVER, isBygone, asides);', []],
  ['comments and text of Rust', 'a.rs', '/* told\n */ let a = ("told \\" told", r#"a " told"#, \'"\'); // told\nlet told;', ['3 told']],
  ['lifetimes', 'a.rs', "fn a<'a>(told: &'a str) {}", ['1 told']],
  ['comments and text of Lua', 'a.lua', "local a = 'said' -- said\n--[[ said\n]] local said = [[ said ]]", ['3 said']],
  ['comments and text of JavaScript', 'a.mjs', "/** told */ a('told', \"it's told\"); // told\ntold();", ['2 told']],
  ['templates', 'a.mjs', `a = \`told \${b ? \`told \${c}\` : { d }} told\`; told\`told\`;`, ['1 told']],
  ['regular expressions', 'a.mjs', 'a = /["`\'] told/.test(b) || c / told / d;', ['1 told']],
  ['the side of a box, where there is one', 'web/admin/chart.js', 'ROOM.left', []],
  ['it elsewhere', 'web/board.js', 'ROOM.left', ['1 left']],
  ['no documents', 'a.md', 'told', []],
];

for (const [what, path, text, expected] of CASES) {
  test(what, () => {
    const found = coinedNames(path, text).map(({ line, name }) => `${line} ${name}`);
    assert.deepEqual(found, expected);
  });
}
