/** Whether what is packed starts: the folder that `npm create` writes, with the package from its tarball, asked by the packed client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CLIENT, COMMAND, CREATE } from '../../packages/names.mjs';
import { poll } from '../../packages/edgeboard/poll.mjs';
import { environment } from '../../packages/edgeboard/place.mjs';
import { run, start } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { freePort } from '../../packages/edgeboard/serve/port.mjs';
import { ensureRedis } from '../../packages/edgeboard/setup/redis.mjs';

const START_MS = 120_000;
/** What each of the client's modules is imported for, and a ranking of the folder's site. @param {string} url */
const clientProgram = (url) => `
import { createClient } from '${CLIENT}';
import { live } from '${CLIENT}/live';
import { signActor } from '${CLIENT}/server';
const { total } = await createClient({ url: '${url}', site: 'blog' }).ranking('pages', 'day');
if (total !== 0 || typeof live !== 'function' || typeof signActor !== 'function') throw new Error('the client reads something else');
`;

/** @param {Map<string, string>} tarballs by the names of packages */
export async function requireStarts(tarballs) {
  const of = (/** @type {string} */ name) => String(tarballs.get(name));
  const root = mkdtempSync(join(tmpdir(), 'edgeboard-release-'));
  const env = { ...environment(), REDIS_SERVER: await ensureRedis() };
  try {
    await run('npm', ['exec', '--yes', `--package=${of(CREATE)}`, '--', CREATE, 'packed', '--yes'], { folder: root, env, quiet: true });
    const folder = join(root, 'packed');
    await run('npm', ['install', '--no-audit', '--no-fund', of(COMMAND), of(CLIENT)], { folder, env, quiet: true });
    await requireReady(folder, env);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {string} folder @param {Record<string, string | undefined>} env */
async function requireReady(folder, env) {
  const port = await freePort();
  let printed = '';
  const log = (/** @type {string} */ text) => (printed += text);
  // What `npm start` runs: npm would end before it when it is asked to.
  const server = start(join(folder, 'node_modules/.bin', COMMAND), ['dev'], { folder, env: { ...env, PORT: String(port) }, log });
  const isReady = () =>
    fetch(`http://localhost:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const ready = await poll(isReady, { withinMs: START_MS, ended: server.ended });
  if (ready) await run(process.execPath, ['--input-type=module', '--eval', clientProgram(`http://localhost:${port}`)], { folder });
  await server.stop();
  if (!ready) throw new Problem(`${printed}\nwhat is packed does not start`);
}
