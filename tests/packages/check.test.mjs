/** What a created folder is answered before it is deployed. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { wrangler } from '../../packages/edgeboard/place.mjs';
import { startFolder, startProcess } from './folder.mjs';

test('wrangler takes what check wrote, and warns of nothing', async (t) => {
  const { folder, command } = startFolder(t);
  const run = (/** @type {string[]} */ ...args) => startProcess(process.execPath, args, { folder, env: process.env }).ended;
  const checked = await run(command, 'check');
  assert.equal(checked.status, 0, checked.printed);
  assert.match(checked.stdout, /^The configuration is right: the site blog\.$/m);
  const { status, printed } = await run(wrangler(), 'deploy', '--dry-run');
  assert.equal(status, 0, printed);
  assert.match(printed, /Using redirected Wrangler configuration/);
  assert.doesNotMatch(printed, /WARNING/);
});

const URL = 'https://edge.example.com';

test('a folder without a configuration is told how to begin', async (t) => {
  const { folder, command } = startFolder(t);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const run = (/** @type {string[]} */ ...args) =>
    startProcess(process.execPath, [command, ...args], { folder: empty, env: process.env }).ended;
  const begin = 'there is no wrangler.toml in this folder; npm create edgeboard NAME writes a folder NAME that has one\n';
  for (const args of [['check'], ['deploy'], ['dev'], ['secrets'], ['doctor', URL], ['boards', URL, 'list', 'demo', 'level']])
    assert.deepEqual(await run(...args), { status: 1, stdout: '', printed: begin });
  assert.equal((await run('check', '--config', 'other.toml')).printed, 'there is no other.toml\n');
  assert.deepEqual(readdirSync(empty), [], 'nothing is written');
});

test('each command says what it does, and which options it has', async (t) => {
  const { folder, command } = startFolder(t);
  const run = (/** @type {string[]} */ ...args) => startProcess(process.execPath, [command, ...args], { folder, env: process.env }).ended;
  const all = await run('--help');
  for (const name of ['dev', 'check', 'deploy', 'secrets', 'doctor', 'boards', 'import']) {
    assert.match(all.stdout, new RegExp(`^  ${name} +\\w`, 'm'));
    const { status, stdout } = await run(name, '--help');
    assert.equal(status, 0, name);
    assert.match(stdout, new RegExp(`^Usage: npx edgeboard ${name}\\b`), name);
    if (name !== 'import') assert.match(stdout, /^ {2}--env NAME/m);
  }
  const { status, printed } = await run('depoly');
  assert.deepEqual([status, printed], [2, 'depoly is not allowed; allowed: dev, check, deploy, secrets, doctor, boards, sites, import\n']);
});
