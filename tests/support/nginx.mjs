/**
 * An nginx in front of a worker, with the configuration that docs/caching.md shows. Behind its cache stands a second server of the same
 * process, which notes what reaches the worker, background updates included.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { killWithParent } from './guard.mjs';
import { freePort } from './port.mjs';
import { until } from './until.mjs';

const DOCUMENT = new URL('../../docs/caching.md', import.meta.url);
const ATTEMPTS = 5;

/**
 * @typedef {object} Nginx
 * @property {string} url `http://127.0.0.1:<port>`
 * @property {() => number} passed requests that reached the worker so far
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{ url: string }} worker
 * @returns {Promise<Nginx>}
 */
export async function startNginx(worker) {
  const program = findProgram();
  const home = mkdtempSync(join(tmpdir(), 'edgeboard-nginx-'));
  for (const name of ['cache', 'temporary']) mkdirSync(join(home, name));
  const removeHome = () => rmSync(home, { recursive: true, force: true });
  for (let attempt = 1; ; attempt += 1) {
    const [port, upstreamPort] = [await freePort(), await freePort()];
    writeFileSync(join(home, 'nginx.conf'), configuration({ home, port, upstreamPort, worker: worker.url }));
    const child = spawn(program, ['-e', 'stderr', '-p', home, '-c', join(home, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => (errors += text));
    await once(child, 'spawn');
    killWithParent(child);
    const exited = once(child, 'exit');
    const url = `http://127.0.0.1:${port}`;
    const answered = until('an answer of nginx', async () => (await fetch(url)).status === 404);
    const started = await Promise.race([answered.then(() => true), exited.then(() => false)]);
    if (!started) {
      answered.catch(() => {});
      // A free port can be taken between finding and using it.
      if (attempt < ATTEMPTS && /Address already in use/.test(errors)) continue;
      removeHome();
      throw new Error(`nginx did not start:\n${errors}`);
    }
    return {
      url,
      passed: () => readFileSync(join(home, 'passed.log'), 'utf8').split('\n').length - 1,
      async stop() {
        child.kill('SIGKILL');
        await exited;
        removeHome();
      },
    };
  }
}

/** @param {{ home: string, port: number, upstreamPort: number, worker: string }} options */
function configuration({ home, port, upstreamPort, worker }) {
  const [, documented] = /```nginx\n(.*?)```/s.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  if (!documented) throw new Error('docs/caching.md shows no configuration of nginx');
  const [address, folder, upstream] = ['listen 80;', '/var/cache/nginx/edgeboard', 'https://edgeboard.example.workers.dev'];
  for (const placeholder of [address, folder, upstream]) {
    if (!documented.includes(placeholder)) throw new Error(`docs/caching.md shows nginx without ${placeholder}`);
  }
  const front = documented
    .replace(address, `listen 127.0.0.1:${port};`)
    .replace(folder, join(home, 'cache'))
    .replace(upstream, `http://127.0.0.1:${upstreamPort}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${home}/temporary/${what};`);
  return `
daemon off;
master_process off;
pid ${home}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  ${front}
  server {
    listen 127.0.0.1:${upstreamPort};
    access_log ${home}/passed.log;
    location / {
      proxy_pass ${worker};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

/** The path of nginx: NGINX, or where Debian keeps it. */
function findProgram() {
  const candidates = process.env.NGINX ? [process.env.NGINX] : ['/usr/sbin/nginx', '/usr/bin/nginx', '/opt/homebrew/bin/nginx'];
  const found = candidates.find((path) => existsSync(path));
  if (found) return found;
  throw new Error(`no nginx at ${candidates.join(' or ')}. npm test installs it; by hand: apt-get install nginx-light`);
}
