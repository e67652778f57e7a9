/**
 * A redis-server, or its twin valkey-server: REDIS_SERVER, the one on PATH, or the one of the system's package manager.
 * Else the npm package redis-memory-server builds one below .tools. That needs a C compiler but no rights. It speaks TLS where
 * OpenSSL's headers are installed.
 */
import { join } from 'node:path';

import { inFolder } from '../place.mjs';
import { ask, findProgram, isExecutable, run } from '../processes.mjs';
import { Problem, say } from '../report.mjs';
import { installMissing, locate } from './programs.mjs';

/** Of 7.2, the last line of Redis under a BSD license. */
const SOURCE_VERSION = '7.2.11';
const BUILDER = 'redis-memory-server@0.17.1';
const folder = () => inFolder('.tools/redis');
const built = () => join(folder(), SOURCE_VERSION, 'redis-server');

/** @type {import('./programs.mjs').SystemProgram} */
export const REDIS = {
  name: 'redis-server',
  variable: 'REDIS_SERVER',
  packages: { 'apt-get': ['redis-server'], dnf: ['valkey'], apk: ['redis'], brew: ['redis'] },
  find: () => findProgram('redis-server', 'valkey-server') ?? (isExecutable(built()) ? built() : undefined),
  missing: 'edgeboard needs redis-server: install it (Debian: redis-server) or set REDIS_SERVER to its path',
};

/**
 * @param {() => Promise<boolean>} [mayBuild] whether one may be built, where the system has none
 * @returns {Promise<string>} its path
 */
export async function ensureRedis(mayBuild = async () => true) {
  await installMissing([REDIS]);
  if (!locate(REDIS) && (await mayBuild())) await buildFromSource();
  const found = locate(REDIS);
  if (found) return found;
  throw new Problem(REDIS.missing);
}

async function buildFromSource() {
  const hasTls = ask('pkg-config', ['--exists', 'openssl']) !== undefined;
  const lacks = hasTls ? '' : ", without TLS: pkg-config does not find OpenSSL's headers (Debian: pkg-config libssl-dev)";
  say(`building Redis ${SOURCE_VERSION} below .tools (some minutes, once)${lacks}`);
  const env = {
    BUILD_TLS: hasTls ? 'yes' : 'no', // read by Redis's Makefile
    REDISMS_DOWNLOAD_DIR: folder(),
    REDISMS_VERSION: SOURCE_VERSION,
    npm_config_strict_ssl: 'true', // without it the package downloads without checking certificates
  };
  try {
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder(), BUILDER], { quiet: true, env });
  } catch (error) {
    say(`it could not be built:\n${error.message}`);
  }
}
