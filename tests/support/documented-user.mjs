/**
 * The user of Redis that docs/operations/redis.md gives to edgeboard.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/**
 * The line of users.acl, as the words behind `ACL SETUSER`: `edgeboard on >PASSWORD …`.
 *
 * @param {string} password
 */
export async function documentedUser(password) {
  const text = await readFile(new URL('../../docs/operations/redis.md', import.meta.url), 'utf8');
  const line = /^user edgeboard .*$/m.exec(text)?.[0] ?? assert.fail('docs/operations/redis.md has no user');
  return line.replace('PASSWORD', password).split(' ').slice(1);
}
