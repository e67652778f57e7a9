/** A PostgreSQL of a test's own, on a socket in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { POSTGRES } from '../../scripts/setup/databases.mjs';
import { locate } from '../../packages/edgeboard/setup/programs.mjs';
import { until } from './until.mjs';

/** @returns {Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} */
export async function startPostgres() {
  const program = locate(POSTGRES);
  if (!program) throw new Error(POSTGRES.missing);
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-postgres-'));
  // It refuses to run as root, and Debian's package makes a user for it.
  const as = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const made = spawnSync(join(dirname(program), 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], {
    ...as,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stdout + made.stderr);
  const server = spawn(program, ['-D', data, '-k', folder, '-h', '', '-F'], { ...as, cwd: folder, stdio: 'ignore' });
  const env = { PGHOST: folder, PGUSER: 'postgres', PGDATABASE: 'postgres' };
  await until('PostgreSQL answers', async () => spawnSync('psql', ['-c', 'SELECT 1'], { env: { ...process.env, ...env } }).status === 0);
  return {
    env,
    async stop() {
      server.kill('SIGQUIT');
      await new Promise((resolve) => server.once('close', resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param {'-u' | '-g'} flag */
function idOf(flag) {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}
