/** The settings of `npm start`: which tokens the worker gets, and which of them may be printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeToken, readSettings } from '../../scripts/serve/settings.mjs';

test('a token that was given is not printed; one that was made up is', () => {
  const settings = readSettings({ WRITE_TOKEN: 'given', ADMIN_TOKEN: '' });
  assert.equal(settings.variables.WRITE_TOKEN, 'given');
  assert.equal(describeToken(settings, 'WRITE_TOKEN'), 'as given');
  assert.match(settings.variables.ADMIN_TOKEN, /^[\w-]{24}$/);
  assert.equal(describeToken(settings, 'ADMIN_TOKEN'), settings.variables.ADMIN_TOKEN);
});

test('tokens of one site come from the environment as well, and nothing else does', () => {
  const { variables } = readSettings({ WRITE_TOKEN_MY_SHOP: 'shop', ADMIN_TOKEN_DEMO: 'demo', WRITE_TOKENS: 'x', HOME: '/root' });
  assert.deepEqual(Object.keys(variables).sort(), ['ADMIN_TOKEN', 'ADMIN_TOKEN_DEMO', 'WRITE_TOKEN', 'WRITE_TOKEN_MY_SHOP']);
  assert.deepEqual([variables.WRITE_TOKEN_MY_SHOP, variables.ADMIN_TOKEN_DEMO], ['shop', 'demo']);
});
