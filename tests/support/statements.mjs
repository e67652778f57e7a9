/** A worker that is killed between its statements to the database. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../build', import.meta.url));
/** The worker, which says when a batch of statements wrote something, and goes on when that is answered. */
const entryAt = (/** @type {string} */ url) => `
import Worker from './index.js';
export * from './index.js';
const reported = (database) => new Proxy(database, {
  get(of, name) {
    if (name === 'prepare') return (sql) => of.prepare(sql);
    if (name !== 'batch') return of[name];
    return async (statements) => {
      const results = await of.batch(statements);
      if (results.some(({ meta }) => meta.rows_written > 0)) await fetch('${url}');
      return results;
    };
  },
});
export default class extends Worker {
  constructor(ctx, env) {
    super(ctx, { ...env, DB: reported(env.DB) });
  }
}
`;

/**
 * A copy of the build in which batches of statements that wrote something can be the last ones.
 *
 * @returns {Promise<{ entry: string, storage: string, killAt: (n: number, kill: () => Promise<void>) => void, readonly passed: number, stop: () => Promise<void> }>}
 *   `killAt` has a worker killed once its n-th batch from now on is written, before it is answered; `passed` is how many there were since
 */
export async function startStatements() {
  let [passed, at, kill] = [0, Infinity, async () => {}];
  const server = createServer(async (_, response) => {
    passed += 1;
    if (passed === at) await kill();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const folder = await mkdtemp(join(tmpdir(), 'statements-'));
  const entry = join(folder, 'build', 'reported.js');
  await cp(BUILD, join(folder, 'build'), { recursive: true });
  await writeFile(entry, entryAt(`http://127.0.0.1:${port}`));
  return {
    entry,
    storage: join(folder, 'storage'),
    killAt(n, how) {
      [passed, at, kill] = [0, n, how];
    },
    get passed() {
      return passed;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
