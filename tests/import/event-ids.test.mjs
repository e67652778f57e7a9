/** Event ids: the same for the same line, different for everything else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createEventIds } from '../../packages/edgeboard/import/event-ids.mjs';

/**
 * @param {string[]} lines
 * @param {{ site?: string, action?: string }} [scope]
 */
const idsOf = (lines, { site = 'demo', action = 'view' } = {}) => lines.map(createEventIds(site, action));

test('are 22 characters of base64url', () => {
  for (const id of idsOf(['a', 'b', ''])) assert.match(id, /^[\w-]{22}$/);
});

test('stay the same from version to version', () => {
  assert.deepEqual(idsOf(['a line', 'a line']), ['YgKoHWTZJ9JlCXW7GXo0Dg', 'qsSyEZCRHKafDqIyF82nAQ']);
});

test('do not depend on the lines between', () => {
  const [a, b] = idsOf(['a', 'b']);
  assert.deepEqual(idsOf(['b', 'x', 'a']), [b, idsOf(['x'])[0], a]);
});

test('number equal lines, so that a log that grew keeps the ids it had', () => {
  const log = ['a', 'a', 'b', 'a'];
  const ids = idsOf(log);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(idsOf([...log, 'b', 'a']).slice(0, 4), ids);
});

test('differ between sites, actions and bytes', () => {
  const ids = [
    ...idsOf(['a']),
    ...idsOf(['a'], { site: 'other' }),
    ...idsOf(['a'], { action: 'like' }),
    ...idsOf(['\xe9']),
    ...idsOf(['\xc3\xa9']),
  ];
  assert.equal(new Set(ids).size, ids.length);
});
