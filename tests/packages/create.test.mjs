/** `npm create edgeboard`: what is asked, what is written, and that the worker takes it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { RANKED } from '../../packages/create-edgeboard/questions.mjs';
import { inProject } from '../../scripts/project.mjs';
import { startFolder, startProcess, temporary } from './folder.mjs';

const COMMAND = inProject('packages/create-edgeboard/create.mjs');

/** @param {string} folder @param {string[]} args @param {string} [input] */
function create(folder, args, input = '') {
  return spawnSync(process.execPath, [COMMAND, ...args], { cwd: folder, input, encoding: 'utf8' });
}

/** @param {string[]} path */
const read = (...path) => readFileSync(join(...path), 'utf8');

test('--yes asks nothing, and writes what the template has', (t) => {
  const folder = temporary(t);
  const { status, stdout, stderr } = create(folder, ['my-rankings', '--yes', '--zone', 'UTC']);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /Next:\n\n {2}cd my-rankings\n {2}npm install\n {2}npm start\n/);
  const template = inProject('packages/create-edgeboard/template');
  const names = readdirSync(join(folder, 'my-rankings')).sort();
  assert.deepEqual(names, ['.gitignore', 'README.md', 'package.json', 'try.html', 'wrangler.toml']);
  for (const name of names)
    assert.equal(read(folder, 'my-rankings', name), read(template, name.replace(/^\./, '')), 'the template is a whole folder');
});

test('what is not allowed is asked for again', (t) => {
  const folder = temporary(t);
  const answers = ['My Shop', 'shop', 'shop.example', 'https://shop.example', 'Mars', 'Europe/Paris', 'cats', 'products'];
  const { status, stdout } = create(folder, ['my-shop'], `${answers.join('\n')}\n`);
  assert.equal(status, 0);
  for (const line of [
    'site is "My Shop"; allowed: a lower-case letter, then up to 31 lower-case letters, digits and -',
    'origin is "shop.example"; allowed: an origin such as https://www.example.com, without a path',
    'zone is "Mars"; allowed: an IANA name such as Europe/London',
    'ranked is "cats"; allowed: pages, products, players, members',
  ]) {
    assert.ok(stdout.includes(line), line);
  }
  const written = read(folder, 'my-shop/wrangler.toml');
  assert.match(written, /^name = "my-shop"$/m);
  assert.match(written, /^\[vars\.SITES\.shop\]\norigins = \["https:\/\/shop\.example"\].*\ntimezone = "Europe\/Paris"/m);
  assert.match(written, /^\[vars\.SITES\.shop\.boards\.products\]$/m);
  for (const name of readdirSync(join(folder, 'my-shop'))) {
    assert.doesNotMatch(read(folder, 'my-shop', name), /blog|my-rankings|https:\/\/example\.com/, name);
  }
  assert.match(read(folder, 'my-shop/try.html'), /<edge-board site="shop" board="products"/);
});

for (const [args, line] of /** @type {[string[], RegExp][]} */ ([
  [[], /^a name is missing: npm create edgeboard my-rankings$/m],
  [['My_List', '--yes'], /^the name is "My_List"; allowed: /],
  [['list', '--yes', '--ranked', 'cats'], /^ranked is "cats"; allowed: pages, products, players, members$/m],
  [['list'], /^no answer; --yes asks nothing$/m],
  [['list', '--colour', 'red'], /--colour/],
])) {
  test(`refuses ${args.join(' ') || 'nothing'}`, (t) => {
    const folder = temporary(t);
    const { status, stderr } = create(folder, args);
    assert.equal(status, 2);
    assert.match(stderr, line);
    assert.deepEqual(readdirSync(folder), []);
  });
}

test('a folder with files is left alone', (t) => {
  const { folder } = startFolder(t);
  const { status, stderr } = create(join(folder, '..'), ['site', '--yes']);
  assert.equal(status, 2);
  assert.equal(stderr, 'site is there already, with files in it\n');
});

describe('the worker takes', () => {
  for (const ranked of RANKED) {
    test(ranked, async (t) => {
      const { folder, command } = startFolder(t, { ranked });
      const { status, printed } = await startProcess(process.execPath, [command, 'check'], { folder, env: process.env }).ended;
      assert.equal(status, 0, printed);
      assert.match(printed, /^The configuration is right: the site blog\.$/m);
    });
  }
});
