/** `edgeboard boards` against the built worker: boards of templates from a shell. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { RESP, startDeployment } from '../support/deployment.mjs';
import { startFolder, startProcess } from './folder.mjs';

const TOKEN = 'a-token-of-administrators';
const SITES = {
  'my-game': {
    origins: ['*'],
    actions: { finish: {} },
    boards: { level: { template: true, members: 'actors', weights: { finish: 1 }, windows: ['all'], max_boards: 1200, archive: true } },
  },
};

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  deployment = await startDeployment({ transport: RESP[0], sites: SITES, vars: { ADMIN_TOKEN: TOKEN }, hasBucket: true });
});
after(() => deployment.stop());

/** Runs it in a folder. @param {import('node:test').TestContext} t @param {Record<string, string>} [env] */
function inFolder(t, env = { ADMIN_TOKEN: TOKEN }) {
  const { folder, command } = startFolder(t);
  /** @param {...string} args */
  const run = (...args) => {
    const [verb, ...rest] = args;
    const all = [command, 'boards', deployment.worker.url, verb, 'my-game', ...rest];
    return startProcess(process.execPath, all, { folder, env: { ...process.env, ...env } }).ended;
  };
  return { folder, run };
}

test('boards are made, listed, ended, archived and deleted', async (t) => {
  const { run } = inFolder(t);
  const ends = '2030-01-01T00:00:00.000Z';
  const made = await run('make', 'level:1', 'level:2', '--title', 'The mill', '--ends', ends, '--by', 'eve');
  assert.deepEqual(
    [made.status, made.stdout],
    [0, `level:1\topen\t-\t${ends}\tThe mill\nlevel:2\topen\t-\t${ends}\tThe mill\n`],
    made.printed,
  );
  const ended = await run('end', 'level:1');
  assert.match(ended.stdout, /^level:1\tclosed\t-\t20\d\d-\S+Z\tThe mill\n$/, ended.printed);
  assert.match((await run('archive', 'level:1')).stdout, /^level:1\tarchiving\t/);
  assert.match((await run('open', 'level:1')).stdout, /^level:1\tclosed\t/);

  const kept = await run('delete', 'level:1');
  assert.deepEqual([kept.status, kept.stdout], [2, ''], 'not without --yes');
  assert.match((await run('delete', 'level:1', '--yes')).stdout, /^level:1\tgoing\t/);
  const listed = await run('list', 'level', '--json');
  const lines = listed.stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ board, state }) => `${board} ${state}`),
    ['level:1 going', 'level:2 open'],
    listed.printed,
  );
  const { body } = await deployment.fetch('/v1/my-game/admin/audit', { headers: { authorization: `Bearer ${TOKEN}` } });
  const notes = body.entries.map((/** @type {any} */ { did, board, by }) => [did, board, by]);
  assert.deepEqual(notes.at(-1), ['make-board', 'level:1', 'eve']);
});

test('a list goes on over its pages', async (t) => {
  const { run } = inFolder(t);
  const names = Array.from({ length: 1100 }, (_, i) => `level:many-${i}`);
  for (let i = 0; i < names.length; i += 100) {
    const put = (/** @type {string} */ name) => {
      const init = { method: 'PUT', headers: { authorization: `Bearer ${TOKEN}` }, body: '{}' };
      return deployment.fetch(`/v1/my-game/admin/boards/${name}`, init);
    };
    const answers = await Promise.all(names.slice(i, i + 100).map(put));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  }
  const { stdout } = await run('list', 'level');
  const many = stdout.split('\n').filter((line) => line.startsWith('level:many-'));
  assert.deepEqual(many.map((line) => line.split('\t')[0]).sort(), [...names].sort());
});

test('what is refused is said, and ends it', async (t) => {
  const { run } = inFolder(t);
  const refused = await run('make', 'level:3', 'world:1', 'level:4');
  assert.equal(refused.status, 1);
  assert.match(refused.stdout, /^level:3\topen\t-\t-\n$/);
  assert.match(refused.printed, /boards\/world:1 is answered 400: board = "world:1" is not allowed/);
  assert.match((await run('end', 'level:4')).printed, /boards\/level:4 is answered 404: /);
  assert.match((await run('list', 'shelf')).printed, /templates\/shelf is answered 404: .* has no template "shelf"/);
  for (const args of [['make'], ['list', 'level', 'other'], ['erase', 'level:1']])
    assert.equal((await run(...args)).status, 2, args.join());
});

test('the token is that of the site, of the deployment, or of the file', async (t) => {
  const other = inFolder(t, { ADMIN_TOKEN: 'another-token-of-administrators', ADMIN_TOKEN_MY_GAME: `${TOKEN},an-earlier-one` });
  assert.equal((await other.run('list', 'level')).status, 0);
  const { folder, run } = inFolder(t, { ADMIN_TOKEN: '' });
  const without = await run('list', 'level');
  assert.deepEqual([without.status, without.printed], [1, 'ADMIN_TOKEN is missing: npx edgeboard secrets ADMIN_TOKEN\n']);
  writeFileSync(join(folder, '.prod.vars'), `ADMIN_TOKEN=${TOKEN}\n`);
  assert.equal((await run('list', 'level')).status, 0);
});
