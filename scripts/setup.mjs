/**
 * Installs what is missing, below the project where that is possible; quick and silent when nothing is.
 *
 * Node and Rust themselves are the only things it asks for instead of installing them.
 */
import { command } from '../packages/edgeboard/command.mjs';
import { ensureRedis } from '../packages/edgeboard/setup/redis.mjs';
import { ensureCargoTools } from './setup/cargo-tools.mjs';
import { ensureChromium } from './setup/chromium.mjs';
import { ensureLanguages } from './setup/languages.mjs';
import { ensureNginx } from './setup/nginx.mjs';
import { requireNode } from '../packages/edgeboard/setup/node.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureRust } from './setup/rust.mjs';
import { ensureSchemathesis } from './setup/schemathesis.mjs';

const USAGE = `
Usage: node scripts/setup.mjs

Installs what building, serving and testing edgeboard need and this machine lacks.

Environment:
  EDGEBOARD_INSTALL   1: install with the system's package manager without asking, as in CI; 0: never
  EDGEBOARD_UNLOCKED  1: use other versions than those that are locked, when these cannot be had
  REDIS_SERVER  the redis-server to use
  CHROMIUM      the Chromium to use
  SCHEMATHESIS  the Schemathesis to use
  NGINX         the nginx to use
`;

/**
 * Everything that builds the worker, and on top of it what is named.
 *
 * @param {object} [options]
 * @param {('redis' | 'chromium' | 'schemathesis' | 'nginx')[]} [options.needs]
 * @returns {Promise<{ redisServer?: string, chromium?: string, schemathesis?: string, nginx?: string }>} paths of the programs that were
 *   named
 */
export async function setup({ needs = [] } = {}) {
  requireNode();
  await ensureRust();
  await ensurePackages();
  await ensureCargoTools();
  return {
    redisServer: needs.includes('redis') ? await ensureRedis() : undefined,
    chromium: needs.includes('chromium') ? await ensureChromium() : undefined,
    schemathesis: needs.includes('schemathesis') ? await ensureSchemathesis() : undefined,
    nginx: needs.includes('nginx') ? await ensureNginx() : undefined,
  };
}

command(import.meta, {
  usage: USAGE,
  async main() {
    await setup({ needs: ['redis', 'chromium', 'schemathesis', 'nginx'] });
    await ensureLanguages();
  },
});
