/** A linter made for OpenAPI accepts the description that the worker serves of itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { runProgram } from '../support/program.mjs';
import { startWorker } from '../support/worker.mjs';

const SITES = { demo: { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } } };
const REDOCLY = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));

test('a linter made for OpenAPI accepts the description', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-openapi-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES } });
  t.after(() => worker.stop());
  const description = join(folder, 'openapi.json');
  const written = await (await worker.fetch('/openapi.json')).text();
  assert.match(JSON.parse(written).openapi, /^3\.1\./);
  writeFileSync(description, written);
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { exitCode, printed } = await runProgram(REDOCLY, folder, ['lint', '--extends', 'recommended-strict', description], env);
  assert.equal(exitCode, 0, printed);
});
