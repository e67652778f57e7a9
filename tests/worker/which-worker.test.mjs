/** Which worker runs, as `/healthz` and the log say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { startDeployment } from '../support/deployment.mjs';

test('healthz and the log name version and commit', async (t) => {
  const site = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } };
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: site } });
  t.after(deployment.stop);
  const [, version] = /^version = "(.*)"$/m.exec(readFileSync(inProject('Cargo.toml'), 'utf8')) ?? [];
  const [, commit] = /"(.*)"/.exec(readFileSync(inProject('build/commit.js'), 'utf8')) ?? [];
  assert.ok(version && commit);
  const { body } = await deployment.fetch('/healthz');
  assert.deepEqual(body, { status: 'ok', version, commit });
  const lines = deployment.worker.log.map(({ message }) => message).filter((message) => message.includes('"started"'));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [{ level: 'info', code: 'started', version, commit }],
  );
});
