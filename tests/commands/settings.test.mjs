/** The settings of `npm start`: which tokens the worker gets, and which of them may be printed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { shortTokens } from '../../packages/edgeboard/configuration/tokens.mjs';
import { VARIABLES } from '../../packages/edgeboard/configuration/variables.mjs';
import { signActor } from '../../packages/edgeboard/serve/actor-token.mjs';
import { actorSecretOf, describeToken, readSettings } from '../../packages/edgeboard/serve/settings.mjs';
import { inProject } from '../../scripts/project.mjs';
import { demoPage } from '../../scripts/serve/demo/page.mjs';
import { DEMO } from '../../scripts/serve/demo/site.mjs';

test('a token that was given is not printed; one that was made up is', () => {
  const settings = readSettings({ WRITE_TOKEN: 'given', ADMIN_TOKEN: '' });
  assert.equal(settings.variables.WRITE_TOKEN, 'given');
  assert.equal(describeToken(settings, 'WRITE_TOKEN'), 'as given');
  assert.match(settings.variables.ADMIN_TOKEN, /^[\w-]{24}$/);
  assert.equal(describeToken(settings, 'ADMIN_TOKEN'), settings.variables.ADMIN_TOKEN);
});

test('short tokens are named, each of two in a variable as well, and nothing else is', () => {
  const long = 'sixteen-letters.';
  const variables = { WRITE_TOKEN: long, WRITE_TOKEN_MY_SHOP: `${long}, short`, ADMIN_TOKEN: 'short', REDIS_TOKEN: 'x', METRICS_TOKEN: '' };
  assert.deepEqual(shortTokens(variables), ['WRITE_TOKEN_MY_SHOP', 'ADMIN_TOKEN']);
});

test('tokens of one site come from the environment as well, and nothing else does', () => {
  const { variables } = readSettings({ WRITE_TOKEN_MY_SHOP: 'shop', ADMIN_TOKEN_DEMO: 'demo', WRITE_TOKENS: 'x', HOME: '/root' });
  const given = ['ADMIN_TOKEN_DEMO', 'WRITE_TOKEN_MY_SHOP'];
  assert.deepEqual(Object.keys(variables).sort(), [...given, 'ACTOR_SECRET', 'ADMIN_TOKEN', 'WRITE_TOKEN'].sort());
  assert.deepEqual([variables.WRITE_TOKEN_MY_SHOP, variables.ADMIN_TOKEN_DEMO], ['shop', 'demo']);
});

test('the demo page gets a token that its site’s secret signed', () => {
  const own = 'a-secret-of-the-demo';
  for (const [env, secret] of /** @type {[NodeJS.ProcessEnv, string][]} */ ([
    [{ ACTOR_SECRET: 'a-secret-of-all-sites, the-one-before-it' }, 'a-secret-of-all-sites'],
    [{ ACTOR_SECRET: 'a-secret-of-all-sites', ACTOR_SECRET_DEMO: own }, own],
  ])) {
    const { html } = demoPage({ table: DEMO, secret: actorSecretOf(readSettings(env), 'demo') });
    const [, token] = /** @type {RegExpExecArray} */ (/data-edgeboard-token="([^"]+)"/.exec(html));
    const expiry = Number(token.split('.')[1]);
    assert.equal(token, signActor({ secret, site: 'demo', actor: 'you', expiry }));
    assert.ok(expiry * 1000 > Date.now());
  }
});

const NAMES = VARIABLES.map(({ name }) => name);
const OF_SITES = VARIABLES.filter(({ isPerSite }) => isPerSite).map(({ name }) => `${name}_SITE`);

test('the docs name the variables that the environment may set, and sites', () => {
  const table = readFileSync(inProject('docs/configuration/deployment.md'), 'utf8').split('\n\n| `REDIS_URL`')[0];
  const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  assert.deepEqual(named.sort(), [...NAMES, ...OF_SITES, 'SITES', 'SITES_…'].sort());
});

test('--help names them', () => {
  const { stdout } = spawnSync(process.execPath, [inProject('scripts/start.mjs'), '--help'], { encoding: 'utf8' });
  const [, own] = stdout.split('Variables of the worker');
  const named = [...own.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name);
  assert.deepEqual(
    [...new Set(named)].filter((name) => ![...NAMES, ...OF_SITES].includes(name)),
    [],
  );
  for (const name of [...NAMES, ...OF_SITES]) assert.ok(named.includes(name), name);
});

test('the worker knows them', () => {
  const source = readFileSync(inProject('crates/serve/src/config/variables.rs'), 'utf8');
  const [, list] = /** @type {RegExpExecArray} */ (/fn is_known\(.*?\[(.*?)\]/s.exec(source));
  const known = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    known.sort(),
    VARIABLES.filter(({ isPerSite }) => !isPerSite)
      .map(({ name }) => name)
      .sort(),
  );
});

test('each comes from the environment, as what it is', () => {
  const { variables, numbers } = readSettings(Object.fromEntries([...NAMES, ...OF_SITES].map((name) => [name, `7${name}`])));
  for (const name of [...NAMES, ...OF_SITES]) assert.equal(variables[name], `7${name}`);
  assert.deepEqual(numbers, {}, 'what is no number stays as it is written, and the worker refuses it');
  assert.deepEqual(readSettings({ LIVE_VIEWERS: '70', QUEUE_RETENTION: '4d', WRITE_TOKEN: '12' }).numbers, { LIVE_VIEWERS: 70 });
});
