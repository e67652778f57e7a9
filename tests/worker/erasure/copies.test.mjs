/**
 * Erasing an actor reaches every copy of what Redis has, whole or lost.
 */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { contentsOf } from '../../support/contents.mjs';
import { WRITE_TOKEN } from '../../support/deployment.mjs';
import { start } from '../copies/site.mjs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.parse('2026-11-20T12:10:00Z');
const ERIKA = 'erika';
const PEOPLE = {
  members: 'actors',
  weights: { view: 1, like: 2 },
  windows: ['hour', 'day', 'all'],
  breakdown: true,
  archive: true,
  history: 10,
  snapshot: 'all',
  max_members: 1000,
  totals: [{ window: 'all', every: '1m' }],
};

/** @type {Awaited<ReturnType<typeof start>> | undefined} */
let to;
afterEach(() => to?.stop());

/** Where the actor is named: keys of Redis by what they are, tables, and objects of the archive. @param {NonNullable<typeof to>} on */
async function places(on) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const [key, value] of await contentsOf(on.deployment.redis)) {
    if (`${key} ${value.join()}`.includes(ERIKA)) found.add(`Redis ${key.replace(/^eb:\{demo(:people)?\}/, '').replace(/:-?\d+/g, '')}`);
  }
  for (const { name } of await on.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")) {
    if (JSON.stringify(await on.rows(`SELECT * FROM ${name}`)).includes(ERIKA)) found.add(`table ${name}`);
  }
  for (const [name, text] of Object.entries(await on.texts())) if (text.includes(ERIKA)) found.add(`archive ${name.split('/')[2]}`);
  return [...found].sort();
}

for (const is_lost of [false, true])
  test(`an actor is in no copy any more${is_lost ? ', when Redis was lost' : ''}`, async () => {
    const site = { journal: '1d', activity_entries: 10 };
    to = await start({ kept: 'database', site, boards: { people: PEOPLE } });
    for (let hour = 3; hour >= 0; hour -= 1) {
      to.setClocks(NOON - hour * HOUR_MS);
      const by = (/** @type {string} */ actor) => [
        { action: 'view', item: 'a', actor },
        { action: 'like', item: `a${hour}`, actor },
      ];
      await to.send([...by(ERIKA), ...by('otto')]);
      await to.run();
    }
    const message = JSON.stringify({ site: 'demo', id: 'dead', events: [{ action: 'later', item: 'a', actor: ERIKA }] });
    const letter = ['code', 'unknown-action', 'detail', 'x', 'sent', String(NOON), 'message', message];
    await to.deployment.redis.command('XADD', 'eb:{demo}:dead', '*', ...letter);
    to.setClocks(NOON + 6 * MINUTE_MS);
    await to.run();
    // A hidden member is in no snapshot.
    for (const list of ['hidden', 'pinned']) assert.equal((await to.admin('PUT', `boards/people/${list}/${ERIKA}`)).status, 204);
    const before = await places(to);
    const copies = ['archive people', 'table history', 'table snapshot_pages', 'table state_documents', 'table totals'];
    const kept = ['Redis :dead', 'Redis :journal', 'Redis :curated', 'Redis :all', 'Redis :day'];
    for (const place of [...copies, ...kept]) assert.ok(before.includes(place), `${place} is not among ${before.join(', ')}`);
    if (is_lost) {
      await to.deployment.redis.command('FLUSHALL');
      to.setClocks(NOON + 12 * MINUTE_MS);
      await to.run();
      assert.equal((await to.reported(1)).length, 1);
    }

    const erased = await to.deployment.fetch(`/v1/demo/actors/${ERIKA}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${WRITE_TOKEN}` },
    });
    assert.equal(erased.status, 204, erased.text);
    // Marks have totals and the archive follow, until they did.
    assert.deepEqual(await places(to), is_lost ? [] : ['Redis :changed:all', 'Redis :hour:behind']);
    assert.equal((await to.restore()).status, 200);
    for (const minute of [13, 20, 27]) {
      to.setClocks(NOON + minute * MINUTE_MS);
      await to.run();
    }
    assert.deepEqual(await places(to), []);
    assert.ok((await to.rows("SELECT 1 FROM totals WHERE member = 'otto'")).length > 0, 'others stay');
  });
