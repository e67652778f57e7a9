/**
 * The packages as a user gets them: from tarballs into an empty folder, where PATH leads to Node, npm and a redis-server alone. What
 * npm has in its cache is not asked of the registry.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { until } from '../support/until.mjs';
import { inProject } from '../../scripts/project.mjs';
import { bareEnvironment, pack, portForLong, seconds, stagePackage, startProcess, temporary } from './folder.mjs';

/** From the last answer until it serves, `npm install` included. */
const START_MS = 60_000;
const BROWSER = { 'user-agent': 'Mozilla/5.0' };

/** A later version adds a table. @param {number} number */
const migrationOf = (number) => ({ [`00${90 + number}_more.sql`]: `CREATE TABLE more_${number} (id TEXT PRIMARY KEY);\n` });

test('from the tarballs to a click, upgraded twice and gone back once', { timeout: 900_000 }, async (t) => {
  const root = temporary(t);
  const env = bareEnvironment(root);
  const port = await portForLong(); // the data of a Redis belong to it
  const versions = [
    { version: '0.1.0' },
    { version: '0.1.1', migrations: migrationOf(1) },
    { version: '0.1.2', migrations: { ...migrationOf(1), ...migrationOf(2) } },
  ];
  const [oldest, newer, newest] = versions.map((changed) => pack(stagePackage(join(root, changed.version), changed), root));
  const create = pack(inProject('packages/create-edgeboard'), root);
  const run = async (/** @type {string} */ folder, /** @type {string[]} */ ...args) => {
    const { status, printed, stdout } = await startProcess('npm', args, { folder, env }).ended;
    assert.equal(status, 0, `npm ${args.join(' ')}: ${printed}`);
    return stdout;
  };

  await run(root, 'exec', '--yes', `--package=${create}`, '--', 'create-edgeboard', 'my-list', '--yes', '--zone', 'UTC');
  const folder = join(root, 'my-list');
  const written = readdirSync(folder).sort();
  assert.deepEqual(written, ['.gitignore', 'README.md', 'package.json', 'try.html', 'wrangler.toml']);
  const answered = performance.now();
  await install(oldest);
  const installed = performance.now();
  const first = await serve();
  const serving = performance.now();
  assert.ok(serving - answered < Math.max(START_MS, installed - answered + START_MS), 'it serves soon');
  t.diagnostic(`npm install ${seconds(installed - answered)} s, npm start ${seconds(serving - installed)} s, lines that a user wrote: 0`);
  assert.match(await (await fetch(first.url)).text(), /<edge-board site="blog" board="pages"/);
  await first.click('/posts/1');
  await first.click('/posts/2');
  assert.equal(await first.scoreOf('/posts/1'), 1);
  await first.describe('/posts/1', 'The first post');
  assert.equal(await first.titleOf('/posts/1'), 'The first post');
  await first.stop();
  assert.deepEqual(tables(folder), []);

  const dry = await startProcess('npx', ['edgeboard', 'deploy', '--dry-run'], { folder, env }).ended;
  assert.equal(dry.status, 0, dry.printed);

  const before = readFileSync(join(folder, 'wrangler.toml'), 'utf8');
  for (const [tarball, item, expected] of /** @type {[string, string, string[]][]} */ ([
    [newer, '/posts/3', ['more_1']],
    [newest, '/posts/4', ['more_1', 'more_2']],
    [newer, '/posts/5', ['more_1', 'more_2']],
  ])) {
    await install(tarball);
    const server = await serve();
    assert.deepEqual(tables(folder), expected);
    assert.equal(await server.scoreOf('/posts/1'), 1, 'what was counted stays');
    assert.equal(await server.titleOf('/posts/1'), 'The first post');
    await server.click(item);
    assert.equal(await server.scoreOf(item), 1);
    await server.stop();
  }
  assert.equal(readFileSync(join(folder, 'wrangler.toml'), 'utf8'), before, 'upgrading changes nothing that the user wrote');

  /** @param {string} tarball */
  function install(tarball) {
    return run(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
  }

  async function start(/** @type {string} */ token, tries = 3) {
    const process = startProcess('npm', ['start'], { folder, env: { ...env, PORT: String(port), ADMIN_TOKEN: token } });
    await until('it serves', () => process.printed().includes('Ctrl-C stops it.') || process.child.exitCode !== null, {
      timeoutMs: START_MS,
    });
    // wrangler chooses ports for itself, and others may take them meanwhile.
    if (process.printed().includes('Address already in use') && tries > 1) return start(token, tries - 1);
    assert.equal(process.child.exitCode, null, process.printed());
    return process;
  }

  async function serve() {
    const token = 'a-token-of-administrators';
    const process = await start(token);
    const url = `http://localhost:${port}`;
    /** @param {string} id */
    const entryOf = (id) =>
      until(`${id} is ranked`, async () => {
        const { entries } = await (await fetch(`${url}/v1/blog/boards/pages/all?details=1`)).json();
        return entries.find((/** @type {{ id: string }} */ entry) => entry.id === id);
      });
    return {
      url,
      async click(/** @type {string} */ item) {
        const body = JSON.stringify({ action: 'view', item });
        const { status } = await fetch(`${url}/v1/blog/shelf`, { method: 'POST', headers: BROWSER, body });
        assert.equal(status, 204);
      },
      async describe(/** @type {string} */ item, /** @type {string} */ title) {
        const headers = { authorization: `Bearer ${token}` };
        const path = `/v1/blog/items/${encodeURIComponent(item)}`;
        const { status } = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify({ title }) });
        assert.ok(status < 300, String(status));
      },
      scoreOf: async (/** @type {string} */ id) => (await entryOf(id)).score,
      titleOf: (/** @type {string} */ id) => until('it has a title', async () => (await entryOf(id)).details?.title, { timeoutMs: 30_000 }),
      async stop() {
        process.interrupt();
        await process.ended;
      },
    };
  }
});

/** Those that later versions added. @param {string} folder */
function tables(folder) {
  const state = join(folder, '.wrangler/state');
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /d1.*\.sqlite$/.test(name) && !name.includes('metadata'),
  );
  return files.flatMap((name) => {
    const sqlite = new DatabaseSync(join(state, name), { readOnly: true });
    const rows = sqlite
      .prepare("SELECT name FROM sqlite_master WHERE name LIKE 'more\\_%' ESCAPE '\\' AND type = 'table' ORDER BY name")
      .all();
    sqlite.close();
    return rows.map((row) => String(row.name));
  });
}
