/** The client in each runtime that it is for: the same program in Node 20 and 22 and in a Worker. deno.test.mjs has Deno. */
import { test } from 'node:test';

import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';

import { inProject } from '../../scripts/project.mjs';
import { NODES } from '../support/nodes.mjs';
import { asProcess, check } from './runtimes/asked.mjs';

for (const { major, program } of NODES) {
  test(`in Node ${major}`, { skip: program ? false : `there is no Node ${major}` }, (t) => check(t, asProcess(String(program))));
}

test('in a Worker', async (t) => {
  const entryPoints = [inProject('tests/client/runtimes/worker.mjs')];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false });
  const worker = new Miniflare(convertV4MiniflareOptions({ modules: true, script: outputFiles[0].text, compatibilityDate: '2026-11-01' }));
  t.after(() => worker.dispose());
  await check(t, async (given) => {
    const response = await worker.dispatchFetch('https://client.example', { method: 'POST', body: JSON.stringify(given) });
    return response.json();
  });
});
