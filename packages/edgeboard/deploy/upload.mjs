/**
 * The deployment itself: the module, its bindings and the secrets that Cloudflare lacks, in one request.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inFolder } from '../place.mjs';
import { requireIgnored } from './secrets.mjs';
import { askWrangler } from './wrangler.mjs';

/**
 * @param {string[]} where arguments that name the configuration
 * @param {import('./secrets.mjs').Secrets} secrets
 * @returns {Promise<string | undefined>} the address that it answers at, where wrangler knows it
 */
export async function upload(where, secrets) {
  const folder = inFolder('.wrangler/upload');
  requireIgnored('.wrangler/upload/secrets.json', '.wrangler');
  rmSync(folder, { recursive: true, force: true }); // of one that was killed
  mkdirSync(folder, { recursive: true });
  const [file, output] = [join(folder, 'secrets.json'), join(folder, 'output')];
  try {
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    const added = Object.keys(secrets).length > 0 ? ['--secrets-file', file] : [];
    await askWrangler(['deploy', ...where, ...added], { WRANGLER_OUTPUT_FILE_PATH: output });
    return addressIn(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} output what wrangler wrote to its WRANGLER_OUTPUT_FILE_PATH
 * @returns {string | undefined} the address of what it deployed; none of a route, which may name many
 */
export function addressIn(output) {
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  const deployed = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'deploy');
  return deployed?.targets?.find((/** @type {string} */ target) => /^https?:\/\//.test(target));
}
