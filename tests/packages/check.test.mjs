/** What a created folder is answered before it is deployed. */
import assert from 'node:assert/strict';
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
