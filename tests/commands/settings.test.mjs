/** The settings of `npm start`: which tokens the worker gets, and which of them may be printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { signActor } from '../../scripts/serve/actor-token.mjs';
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
  const given = ['ADMIN_TOKEN_DEMO', 'WRITE_TOKEN_MY_SHOP'];
  assert.deepEqual(Object.keys(variables).sort(), [...given, 'ACTOR_SECRET', 'ADMIN_TOKEN', 'DEMO_TOKEN', 'WRITE_TOKEN'].sort());
  assert.deepEqual([variables.WRITE_TOKEN_MY_SHOP, variables.ADMIN_TOKEN_DEMO], ['shop', 'demo']);
});

test('the demo page gets a token that its site’s secret signed', () => {
  const own = 'a-secret-of-the-demo';
  for (const [env, secret] of /** @type {[NodeJS.ProcessEnv, string][]} */ ([
    [{ ACTOR_SECRET: 'a-secret-of-all-sites, the-one-before-it' }, 'a-secret-of-all-sites'],
    [{ ACTOR_SECRET: 'a-secret-of-all-sites', ACTOR_SECRET_DEMO: own }, own],
  ])) {
    const { DEMO_TOKEN } = readSettings(env).variables;
    const expiry = Number(DEMO_TOKEN.split('.')[1]);
    assert.equal(DEMO_TOKEN, signActor({ secret, site: 'demo', actor: 'you', expiry }));
    assert.ok(expiry * 1000 > Date.now());
  }
});
