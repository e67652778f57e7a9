/**
 * What the bindings name at Cloudflare: made where it is missing. Each is looked up by its name first, so a deployment that was stopped
 * makes no second one when it runs again.
 */
import { Problem, say } from '../report.mjs';
import { askWrangler } from './wrangler.mjs';

/** @typedef {import('../configuration/merge.mjs').Table} Table */

/** wrangler's message about a queue that is not there, and about a bucket that is. Looking at a bucket would ask for more rights than making one. */
const NO_QUEUE = 'does not exist';
const BUCKET_EXISTS = '[code: 10004]';

/**
 * @param {Table} merged
 * @param {string[]} where arguments that name the configuration
 * @returns {Promise<Table>} with the ids of databases
 */
export async function makeMissing(merged, where) {
  for (const name of queuesOf(merged)) {
    if (await failsWith(NO_QUEUE, ['queues', 'info', name, ...where])) {
      say(`making the queue ${name}`);
      await askWrangler(['queues', 'create', name, ...where]);
    }
  }
  for (const { bucket_name: name } of merged.r2_buckets ?? []) {
    if (!(await failsWith(BUCKET_EXISTS, ['r2', 'bucket', 'create', name, ...where]))) say(`made the bucket ${name}`);
  }
  const databases = merged.d1_databases ?? [];
  if (databases.every((/** @type {Table} */ { database_id: id }) => id)) return merged;
  let ids = await databasesByName(where);
  const missing = databases.filter((/** @type {Table} */ { database_id: id, database_name: name }) => !id && !ids.has(name));
  for (const { database_name: name } of missing) {
    say(`making the database ${name}`);
    await askWrangler(['d1', 'create', name, ...where]);
  }
  if (missing.length > 0) ids = await databasesByName(where);
  return {
    ...merged,
    d1_databases: databases.map((/** @type {Table} */ database) => ({
      ...database,
      database_id: database.database_id ?? idOf(ids, database.database_name),
    })),
  };
}

/** @param {Table} merged */
function queuesOf({ queues: { producers = [], consumers = [] } = {} }) {
  const names = [...producers, ...consumers].flatMap(({ queue, dead_letter_queue: dead }) => [queue, dead]);
  return [...new Set(names.filter(Boolean))];
}

/** Whether a command fails for this reason; any other one is thrown. @param {string} reason @param {string[]} args */
async function failsWith(reason, args) {
  try {
    await askWrangler(args);
    return false;
  } catch (error) {
    if (error.message.includes(reason)) return true;
    throw error;
  }
}

/** @param {string[]} where @returns {Promise<Map<string, string>>} their ids */
async function databasesByName(where) {
  const printed = await askWrangler(['d1', 'list', '--json', ...where]);
  /** @type {{ name: string, uuid: string }[]} */
  const list = JSON.parse(printed.slice(printed.indexOf('[')));
  return new Map(list.map(({ name, uuid }) => [name, uuid]));
}

/** @param {Map<string, string>} ids @param {string} name */
function idOf(ids, name) {
  const id = ids.get(name);
  if (id) return id;
  throw new Problem(`the database ${name} is not in the account`);
}
