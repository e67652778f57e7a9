/** `npm start` where no Redis is: what getting one takes is said first, and asked. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { until } from '../support/until.mjs';
import { NO_TERMINAL, portForLong, startAtTerminal, startFolder, startProcess } from './folder.mjs';

const TIME =
  /there is no redis-server or valkey-server\. The system's packages have one in about a minute; building one takes some three minutes/;
const REMEDY = /edgeboard needs redis-server: install it \(Debian: redis-server\) or set REDIS_SERVER to its path/;
const ASKS = { timeoutMs: 30_000 };

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const { folder, command } = startFolder(t);
  const bin = join(folder, '../bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const env = { ...process.env, REDIS_SERVER: '', CI: '', EDGEBOARD_INSTALL: '', PORT: String(await portForLong()) };
  return { folder, env, words: ['/usr/bin/env', `PATH=${bin}`, process.execPath, command, 'dev'] };
}

test('without a terminal nothing is got', async (t) => {
  const { folder, env, words } = await start(t);
  const [program, ...args] = words;
  const { status, printed } = await startProcess(program, args, { folder, env }).ended;
  assert.equal(status, 1, printed);
  assert.match(printed, TIME);
  assert.match(printed, /missing: redis-server; run `npm install redis-memory-server, which builds it below \.tools`, or let it be done/);
  assert.match(printed, REMEDY);
});

for (const [name, typed, status] of /** @type {[string, string, number][]} */ ([
  ['no', 'n\r', 1],
  ['Ctrl-D', '\u0004', 1],
  ['Ctrl-C', '\u0003', 130],
])) {
  test(`at a terminal it asks, and ${name} gets nothing`, { skip: NO_TERMINAL }, async (t) => {
    const { folder, env, words } = await start(t);
    const asked = startAtTerminal(words, { folder, env });
    await until('it asks', () => asked.printed().includes('below .tools`? [y/N] '), ASKS);
    assert.match(asked.printed(), TIME);
    asked.type(typed);
    const ended = await asked.ended;
    assert.equal(ended.status, status, ended.printed);
    if (status === 1) assert.match(ended.printed, REMEDY);
  });
}
