/**
 * From the user's file to the one that wrangler reads: read, checked as far as no worker is needed, merged and written below .wrangler.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { version } from '../about.mjs';
import { inFolder, placeOf } from '../place.mjs';
import { Problem } from '../report.mjs';
import { ensureWranglersNode } from '../setup/node.mjs';
import { requireReadable } from './limits.mjs';
import { mergeConfiguration } from './merge.mjs';
import { readConfiguration } from './read.mjs';

const FILE = 'wrangler.toml';
/** Where wrangler looks for another configuration than the user's, and what this says. */
const REDIRECT = '.wrangler/deploy';

/** The folder of databases and buckets on this machine, where wrangler has it for the user's file. */
export const storage = () => inFolder('.wrangler/state');

/**
 * @typedef {object} Prepared
 * @property {import('./read.mjs').Configuration} configuration the user's
 * @property {import('./merge.mjs').Table} merged
 *
 * @param {{ config?: string, env?: string }} named
 * @returns {Promise<Prepared>}
 * @throws {Problem}
 */
export async function prepare({ config = FILE, env = process.env.CLOUDFLARE_ENV || undefined }) {
  const path = resolve(inFolder(), config);
  if (!existsSync(path)) {
    const begin = config === FILE ? ' in this folder; npm create edgeboard NAME writes a folder NAME that has one' : '';
    throw new Problem(`there is no ${config}${begin}`);
  }
  await ensureWranglersNode();
  const configuration = readConfiguration(path, env);
  requireReadable(configuration);
  const { raw, resolved } = configuration;
  const parts = { file: config, raw, resolved, needs: readNeeds(), version, migrations: fromWritten('migrations') };
  return { configuration, merged: mergeConfiguration(parts) };
}

/** @returns {import('./merge.mjs').Table} what this version needs: the release takes it from the repository's own configuration */
function readNeeds() {
  const file = join(dirname(placeOf().worker), 'needs.json');
  return { main: fromWritten('index.js'), ...JSON.parse(readFileSync(file, 'utf8')) };
}

/** A path of what is packed, as seen from where the merged file is. @param {string} name */
const fromWritten = (name) => relative(inFolder(REDIRECT), join(dirname(placeOf().worker), name));

/**
 * The file for wrangler's own commands too, in place of the user's.
 *
 * @param {Prepared} prepared
 * @returns {import('./read.mjs').Configuration} the one that was written
 */
export function writeMerged({ configuration, merged }) {
  const file = writeOther({ configuration, merged }, 'wrangler.json');
  writeFileSync(inFolder(REDIRECT, 'config.json'), '{ "configPath": "wrangler.json" }\n');
  return { ...configuration, file, wranglerEnvironment: undefined, storage: storage() };
}

/**
 * A file that only one command reads.
 *
 * @param {Prepared} prepared
 * @param {string} name
 * @returns {string} its path
 */
export function writeOther({ merged }, name) {
  mkdirSync(inFolder(REDIRECT), { recursive: true });
  const file = inFolder(REDIRECT, name);
  writeFileSync(file, printed(merged));
  return file;
}

/** @param {import('./merge.mjs').Table} merged */
export const printed = (merged) => `${JSON.stringify(merged, null, 2)}\n`;
