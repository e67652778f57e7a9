/** The client in Deno, which may ask the network and nothing else. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { DENO } from '../../scripts/setup/deno.mjs';
import { asProcess, check } from './runtimes/asked.mjs';

test('in Deno', async (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'edgeboard-deno-'));
  t.after(() => rmSync(cache, { recursive: true }));
  const args = [DENO, 'run', '--allow-net', '--no-prompt', '--no-remote', '--no-config'];
  await check(t, asProcess(process.execPath, args, { ...process.env, DENO_DIR: cache }));
});
