/**
 * The user's configuration with what a version of edgeboard needs beside it: what a person would have to change with each upgrade stands
 * in no file of theirs.
 *
 * Lists are merged by the name of what is in them. Where both say something else of the same thing, that is refused.
 */
import { isDeepStrictEqual } from 'node:util';

import { Problem } from '../report.mjs';

/** By which key the entries of a list are told apart. @type {Record<string, string>} */
const NAMES = { 'durable_objects.bindings': 'name', ratelimits: 'name', migrations: 'tag' };
/** Counters of an account: two workers with the same one count together, which is the account's to decide. */
const OWN = new Set(['ratelimits.namespace_id']);
const DATABASE = 'DB';

/**
 * @typedef {Record<string, any>} Table
 *
 * @param {object} parts
 * @param {string} parts.file of the user, for messages
 * @param {Table} parts.raw what stands in it, of the chosen environment as well
 * @param {Table} parts.resolved the same as wrangler takes it
 * @param {Table} parts.needs of this version
 * @param {string} parts.version
 * @param {string} parts.migrations the folder of the database's
 * @returns {Table} what wrangler reads
 * @throws {Problem} which names the key and both values
 */
export function mergeConfiguration({ file, raw, resolved, needs, version, migrations }) {
  const refuse = (/** @type {string} */ key, /** @type {unknown} */ own, /** @type {unknown} */ needed) => {
    throw new Problem(
      `${key} is ${JSON.stringify(own)} in ${file}, and ${JSON.stringify(needed)} in edgeboard ${version}; ` +
        'delete it from the file: the version decides it',
    );
  };
  const merged = { ...resolved };
  for (const [key, needed] of Object.entries(needs)) merged[key] = combine(key, raw[key], needed, refuse);
  if (resolved.d1_databases) {
    merged.d1_databases = resolved.d1_databases.map((/** @type {Table} */ database) => {
      if (database.binding !== DATABASE) return database;
      const own = raw.d1_databases?.find((/** @type {Table} */ { binding }) => binding === DATABASE);
      return { ...database, migrations_dir: combine('migrations_dir', own?.migrations_dir, migrations, refuse) };
    });
  }
  return merged;
}

/**
 * @param {string} key its path
 * @param {any} own
 * @param {any} needed
 * @param {(key: string, own: unknown, needed: unknown) => void} refuse
 * @returns {any}
 */
function combine(key, own, needed, refuse) {
  if (own === undefined || isDeepStrictEqual(own, needed)) return needed;
  if (OWN.has(key.replace(/\[.*?\]/, ''))) return own;
  const name = NAMES[key];
  if (name && Array.isArray(own)) {
    const added = own.filter((entry) => !needed.some((/** @type {Table} */ other) => other[name] === entry[name]));
    const each = needed.map((/** @type {Table} */ entry) => {
      const same = own.find((other) => other[name] === entry[name]);
      return combine(`${key}[${entry[name]}]`, same, entry, refuse);
    });
    return [...each, ...added];
  }
  if (!isTable(own) || !isTable(needed)) return refuse(key, own, needed);
  const both = { ...own };
  for (const [part, value] of Object.entries(needed)) both[part] = combine(`${key}.${part}`, own[part], value, refuse);
  return both;
}

/** @param {unknown} value */
const isTable = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
