/**
 * TLS in front of redis-server, whose own was perhaps not built in.
 *
 * workerd trusts a certificate that `NODE_EXTRA_CA_CERTS` names when Miniflare is loaded: before `worker.mjs` is imported.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';

import { tie } from './relay.mjs';

/**
 * A certificate for 127.0.0.1 that nobody trusts but whoever is told to, and its key.
 *
 * @returns {{ path: string, remove: () => void }} a PEM file with both
 */
export function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-certificate-'));
  const [path, keyPath] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyPath];
  const of = ['-subj', '/CN=edgeboard', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, ...of, '-out', path], { stdio: ['ignore', 'ignore', 'pipe'] });
  writeFileSync(path, readFileSync(keyPath), { flag: 'a' });
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/**
 * @param {object} options
 * @param {{ port: number }} options.redis
 * @param {string} options.certificatePath
 * @returns {Promise<{ port: number, close: () => Promise<void> }>}
 */
export async function startTls({ redis, certificatePath }) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const pem = readFileSync(certificatePath);
  const server = createServer({ cert: pem, key: pem }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: redis.port, noDelay: true });
    tie(client, upstream, sockets);
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
