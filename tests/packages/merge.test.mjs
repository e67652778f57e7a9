/** The user's configuration with what a version needs: what is added, what is kept, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { onThisMachine } from '../../packages/edgeboard/commands/dev.mjs';
import { mergeConfiguration } from '../../packages/edgeboard/configuration/merge.mjs';

const NEEDS = {
  main: 'node_modules/edgeboard/worker/index.js',
  compatibility_date: '2026-11-17',
  no_bundle: true,
  triggers: { crons: ['* * * * *'] },
  durable_objects: { bindings: [{ name: 'LIVE', class_name: 'LiveBoard' }] },
  migrations: [{ tag: 'v2', new_sqlite_classes: ['LiveBoard'] }],
  ratelimits: [{ name: 'BEACON_LIMIT', namespace_id: '1201', simple: { limit: 120, period: 60 } }],
};

/** @param {Record<string, any>} raw */
const merge = (raw) =>
  mergeConfiguration({ file: 'wrangler.toml', raw, resolved: raw, needs: NEEDS, version: '1.2.3', migrations: 'worker/migrations' });

test('what a version needs is added to what is there', () => {
  const own = { name: 'x', vars: { SITES: {} }, d1_databases: [{ binding: 'DB' }, { binding: 'OTHER' }] };
  const database = { binding: 'DB', migrations_dir: 'worker/migrations' };
  assert.deepEqual(merge(own), { ...own, ...NEEDS, d1_databases: [database, { binding: 'OTHER' }] });
});

test('what both say alike is no matter, and lists keep what else is in them', () => {
  const other = { name: 'OTHER', class_name: 'Other', script_name: 'elsewhere' };
  const merged = merge({ ...NEEDS, durable_objects: { bindings: [other] } });
  assert.deepEqual(merged.durable_objects, { bindings: [...NEEDS.durable_objects.bindings, other] });
});

test('the counter of a limit is the account’s to choose', () => {
  const own = { name: 'BEACON_LIMIT', namespace_id: '7', simple: { limit: 120, period: 60 } };
  assert.deepEqual(merge({ ratelimits: [own] }).ratelimits, [own]);
});

const LINE = '; delete it from the file: the version decides it';
for (const [key, raw, own, needed] of /** @type {[string, Record<string, any>, string, string][]} */ ([
  ['main', { main: 'a.js' }, '"a.js"', '"node_modules/edgeboard/worker/index.js"'],
  ['compatibility_date', { compatibility_date: '2025-01-01' }, '"2025-01-01"', '"2026-11-17"'],
  ['no_bundle', { no_bundle: false }, 'false', 'true'],
  ['triggers.crons', { triggers: { crons: ['0 * * * *'] } }, '["0 * * * *"]', '["* * * * *"]'],
  [
    'durable_objects.bindings[LIVE].class_name',
    { durable_objects: { bindings: [{ name: 'LIVE', class_name: 'Mine' }] } },
    '"Mine"',
    '"LiveBoard"',
  ],
  ['migrations[v2].new_sqlite_classes', { migrations: [{ tag: 'v2', new_sqlite_classes: ['A'] }] }, '["A"]', '["LiveBoard"]'],
  ['migrations_dir', { d1_databases: [{ binding: 'DB', migrations_dir: 'mine' }] }, '"mine"', '"worker/migrations"'],
])) {
  test(`another ${key} is refused with both`, () => {
    const message = `${key} is ${own} in wrangler.toml, and ${needed} in edgeboard 1.2.3${LINE}`;
    assert.throws(() => merge(raw), { name: 'Problem', message });
  });
}

test('on this machine more pages may count, and no other address answers', () => {
  const site = { origins: ['https://example.com'] };
  const merged = { name: 'x', routes: ['example.com/*'], vars: { SITES: { blog: site, any: {} }, KEY_PREFIX: 'x' } };
  const origins = ['https://example.com', 'http://localhost:1313'];
  assert.deepEqual(onThisMachine(merged, ['http://localhost:1313']), {
    name: 'x',
    vars: { SITES: { blog: { origins }, any: {} }, KEY_PREFIX: 'x' },
  });
});
