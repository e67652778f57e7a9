/**
 * The commands on the other Node that they are for: the tests beside this one run on Node 22. wrangler needs 22.12, which a command gets
 * where the user's is older.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { NODES } from '../support/nodes.mjs';
import { until } from '../support/until.mjs';
import { bareEnvironment, pack, portForLong, seconds, stagePackage, startProcess, temporary } from './folder.mjs';

const START_MS = 120_000;

for (const { major, program } of NODES.filter(({ program }) => program !== process.execPath)) {
  test(`from npm create to a click, on Node ${major}`, {
    timeout: 600_000,
    skip: program ? false : `there is no Node ${major}`,
  }, async (t) => {
    const root = temporary(t);
    const env = bareEnvironment(root, program);
    const port = await portForLong();
    const [edgeboard, create] = [pack(stagePackage(join(root, 'built')), root), pack(inProject('packages/create-edgeboard'), root)];
    const folder = join(root, 'my-list');
    const run = async (/** @type {string} */ command, /** @type {string[]} */ args, /** @type {string} */ where = folder) => {
      const ended = await startProcess(command, args, { folder: where, env }).ended;
      assert.equal(ended.status, 0, `${command} ${args.join(' ')}: ${ended.printed}`);
      return ended;
    };
    assert.match((await run('node', ['--version'], root)).stdout, new RegExp(`^v${major}\\.`));
    await run('npm', ['exec', '--yes', `--package=${create}`, '--', 'create-edgeboard', 'my-list', '--yes', '--zone', 'UTC'], root);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', edgeboard]);

    const begun = performance.now();
    const { printed } = await run('npm', ['run', 'check']);
    t.diagnostic(`the first check ${seconds(performance.now() - begun)} s`);
    assert.match(printed, /^The configuration is right: the site blog\.$/m);
    const isOld = Number(major) < 22;
    assert.equal(/wrangler needs Node 22\.12, this is 20\./.test(printed), isOld, printed);
    assert.equal(existsSync(join(folder, '.tools/node')), isOld);

    const server = startProcess('npm', ['start'], { folder, env: { ...env, PORT: String(port) } });
    const isServing = () => server.printed().includes('Ctrl-C stops it.') || server.child.exitCode !== null;
    await until('it serves', isServing, { timeoutMs: START_MS });
    assert.equal(server.child.exitCode, null, server.printed());
    assert.doesNotMatch(server.printed(), /npm gets/, 'it is got once');
    const url = `http://localhost:${port}`;
    const init = { method: 'POST', headers: { 'user-agent': 'Mozilla/5.0' }, body: JSON.stringify({ action: 'view', item: '/posts/1' }) };
    assert.equal((await fetch(`${url}/v1/blog/shelf`, init)).status, 204);
    const entry = await until('it is ranked', async () => (await (await fetch(`${url}/v1/blog/boards/pages/all`)).json()).entries[0]);
    assert.deepEqual([entry.id, entry.score], ['/posts/1', 1]);
    server.interrupt();
    await server.ended;
    await run('npx', ['edgeboard', 'deploy', '--dry-run']);
  });
}
