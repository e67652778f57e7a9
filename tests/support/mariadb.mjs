/** A MariaDB of a test's own, on a socket in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MARIADB } from '../../scripts/setup/databases.mjs';
import { locate } from '../../packages/edgeboard/setup/programs.mjs';
import { until } from './until.mjs';

/** @param {string} sql what it has at first @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} */
export async function startMariadb(sql) {
  const program = locate(MARIADB);
  if (!program) throw new Error(MARIADB.missing);
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-mariadb-'));
  const socket = join(folder, 'socket');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const made = spawnSync(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${folder}/data`, '--auth-root-authentication-method=normal', ...user],
    {
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) throw new Error(made.stdout + made.stderr);
  const server = spawn(program, ['--no-defaults', `--datadir=${folder}/data`, `--socket=${socket}`, '--skip-networking', ...user], {
    stdio: 'ignore',
  });
  // Where its client looks after the system's own configuration.
  writeFileSync(join(folder, '.my.cnf'), `[client]\nsocket=${socket}\nuser=root\n`);
  const env = { HOME: folder };
  const query = (/** @type {string} */ text) => spawnSync('mysql', [], { input: text, env: { ...process.env, ...env }, encoding: 'utf8' });
  await until('MariaDB answers', async () => query('SELECT 1').status === 0);
  const loaded = query(sql);
  if (loaded.status !== 0) throw new Error(loaded.stderr);
  return {
    env,
    async stop() {
      server.kill('SIGKILL');
      await new Promise((resolve) => server.once('close', resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
