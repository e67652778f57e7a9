/**
 * The tables of the database, before a version serves that asks for them.
 *
 * Each file of migrations/ only adds, so the version before goes on with what it knows, and going back needs no step. wrangler notes which
 * files were applied, and applies a file and the note as one. The worker applies what it misses, too: this is for the first request.
 */
import { say } from '../report.mjs';
import { askWrangler } from './wrangler.mjs';

const DATABASE = 'DB';

/**
 * @param {import('../configuration/merge.mjs').Table} merged
 * @param {{ configFile: string, storage?: string }} where `storage`: of the databases of this machine; else it is Cloudflare's
 */
export async function applyMigrations(merged, { configFile, storage }) {
  if (!merged.d1_databases?.some((/** @type {{ binding: string }} */ { binding }) => binding === DATABASE)) return;
  say('applying the migrations of the database');
  const place = storage ? ['--local', '--persist-to', storage] : ['--remote'];
  await askWrangler(['d1', 'migrations', 'apply', DATABASE, ...place, '--config', configFile]);
}
