/** Migrations only add: what an earlier version wrote stays, and it can go on writing, so going back needs no step. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';

const FILES = readdirSync(inProject('migrations')).sort();

/** @typedef {{ name: string, type: string, notnull: number, dflt_value: string | null, pk: number }} Column */

/** @param {DatabaseSync} sqlite @returns {Map<string, Column[]>} by table */
function tablesOf(sqlite) {
  const names = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  return new Map(
    names.map(({ name }) => [String(name), /** @type {any[]} */ (sqlite.prepare(`SELECT * FROM pragma_table_info('${name}')`).all())]),
  );
}

/** A row as a version writes it that knows these columns. Triggers read lists in some. @param {DatabaseSync} sqlite @param {string} table @param {Column[]} columns @param {number} key */
function insert(sqlite, table, columns, key) {
  const values = columns.map(({ type }) => (/INT|REAL/i.test(type) ? key : `["${table} ${key}"]`));
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  sqlite.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`).run(...values);
}

/** @param {DatabaseSync} sqlite @param {string} table @param {Column[]} columns */
const rowsOf = (sqlite, table, columns) =>
  sqlite.prepare(`SELECT ${columns.map(({ name }) => `"${name}"`).join(', ')} FROM "${table}"`).all();

for (const [i, last] of FILES.entries()) {
  test(`what a version with ${last} wrote stays, and it goes on writing`, () => {
    const sqlite = new DatabaseSync(':memory:');
    const apply = (/** @type {string} */ file) => sqlite.exec(readFileSync(inProject('migrations', file), 'utf8'));
    FILES.slice(0, i + 1).forEach(apply);
    const known = tablesOf(sqlite);
    assert.ok(known.size > 0);
    for (const [table, columns] of known) insert(sqlite, table, columns, 1);
    const written = new Map([...known].map(([table, columns]) => [table, rowsOf(sqlite, table, columns)]));
    FILES.slice(i + 1).forEach(apply);
    for (const [table, columns] of known) {
      assert.deepEqual(rowsOf(sqlite, table, columns), written.get(table), table);
      insert(sqlite, table, columns, 2);
      assert.ok(rowsOf(sqlite, table, columns).length > (written.get(table)?.length ?? 0), table);
    }
    sqlite.close();
  });
}
