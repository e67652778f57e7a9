/** `edgeboard sites` against the built worker: sites of run time from a shell. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startDeployment } from '../support/deployment.mjs';
import { until } from '../support/until.mjs';
import { startFolder, startProcess } from './folder.mjs';

const TOKEN = 'a-token-of-administrators';
const BOARD = { weights: { view: 1 }, windows: ['all'], fresh: '1s' };
const SHOP = { actions: { view: { public: true } }, boards: { articles: BOARD } };

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;
before(async () => {
  const vars = { ADMIN_TOKEN: TOKEN, SITES_SECRET: 'a-secret-of-which-others-are-derived' };
  deployment = await startDeployment({ transport: 'redis://', sites: { demo: SHOP }, vars });
});
after(() => deployment.stop());

/** Runs it in a folder. @param {import('node:test').TestContext} t @param {Record<string, string>} [env] */
function inFolder(t, env = { ADMIN_TOKEN: TOKEN }) {
  const { folder, command } = startFolder(t);
  const run = (/** @type {string[]} */ ...args) =>
    startProcess(process.execPath, [command, 'sites', deployment.worker.url, ...args], { folder, env: { ...process.env, ...env } }).ended;
  const write = (/** @type {string} */ name, /** @type {unknown} */ content) => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return name;
  };
  return { folder, run, write };
}

/** The value of what a command printed. @param {{ stdout: string }} ended @param {string} name */
const issued = ({ stdout }, name) => new RegExp(`^${name}=(\\S+)$`, 'm').exec(stdout)?.[1] ?? '';

/** @param {string} site @param {string} token @param {...string} items */
const view = (site, token, ...items) =>
  deployment.events({ events: items.map((item) => ({ action: 'view', item })) }, { site, headers: { authorization: `Bearer ${token}` } });

/** @param {string} site */
const shown = async (site) =>
  (await deployment.freshTop('articles/all', '', site)).body.entries.map((/** @type {any} */ { id, score }) => `${id} ${score}`);

/** @param {{ stdout: string }} ended */
const cells = ({ stdout }) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t').slice(0, 3).join(' '));

test('a site is made, listed, changed, suspended, given other tokens, and deleted', async (t) => {
  const { run, write } = inFolder(t);
  const file = write('shop.json', SHOP);
  const made = await run('make', 'shop', file);
  assert.deepEqual(
    [made.status, made.stdout.match(/^\w+(?==)/gm)],
    [0, ['WRITE_TOKEN', 'ADMIN_TOKEN', 'ACTOR_SECRET', 'FORWARD_SECRET']],
    made.printed,
  );
  const token = issued(made, 'WRITE_TOKEN');
  assert.equal((await view('shop', token, '/a')).status, 200);
  assert.match((await run('make', 'shop', file)).printed, /the site shop is there; change replaces its configuration/);
  assert.deepEqual(cells(await run('change', 'shop', write('other.json', { ...SHOP, quota: { members: 5 } }))), ['shop active 2']);
  assert.deepEqual(JSON.parse((await run('show', 'shop')).stdout).configuration.quota, { members: 5 });
  assert.deepEqual(cells(await run('suspend', 'shop')), ['shop suspended 3']);
  assert.deepEqual(cells(await run('resume', 'shop')), ['shop active 4']);

  const other = issued(await run('replace', 'shop', 'write'), 'WRITE_TOKEN');
  assert.deepEqual([(await view('shop', token, '/a')).status, (await view('shop', other, '/a')).status], [200, 200]);
  assert.equal((await run('replace', 'shop', 'write', '--end')).status, 0);
  assert.deepEqual([(await view('shop', token, '/a')).status, (await view('shop', other, '/a')).status], [401, 200]);
  assert.match((await run('replace', 'shop', 'write', '--end')).printed, /is answered 409: .*issue another one first/);

  const listed = await run('list', '--json');
  assert.deepEqual(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).site),
    ['shop'],
  );
  assert.equal((await run('delete', 'shop')).status, 2, 'not without --yes');
  const deletion = run('delete', 'shop', '--yes', '--wait');
  const headers = { authorization: `Bearer ${TOKEN}` };
  await until('it is going', async () => (await deployment.fetch('/v1/admin/sites/shop', { headers })).body.state === 'going');
  for (let i = 0; i < 5; i += 1) {
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(60_000);
    await deployment.worker.scheduled();
  }
  const ended = await deletion;
  assert.deepEqual([ended.status, cells(ended)], [0, ['shop going 7']], ended.printed);
  assert.match(ended.printed, /shop is gone, and its name is free/);
  assert.equal((await run('list')).stdout, '');
});

test('an export goes on where it broke off, and its file makes the site again', async (t) => {
  const { folder, run, write } = inFolder(t);
  const made = await run('make', 'blog', write('blog.json', SHOP));
  await view('blog', issued(made, 'WRITE_TOKEN'), '/a', '/a', '/b');
  const first = await run('export', 'blog', 'blog.ndjson');
  assert.deepEqual([first.status, statSync(join(folder, 'blog.ndjson')).mode & 0o777], [0, 0o600], first.printed);
  const path = join(folder, 'blog.ndjson');
  const whole = readFileSync(path, 'utf8');
  assert.match((await run('export', 'blog', 'blog.ndjson')).printed, /blog.ndjson is whole; name another file/);
  // Cut within a line, as when the command was killed.
  const cuts = { first: whole.indexOf('\n') - 3, last: whole.length - 3 };
  for (const [cut, at] of Object.entries(cuts)) {
    truncateSync(path, at);
    assert.match((await run('import', 'copy', 'blog.ndjson')).printed, cut === 'first' ? /is no export of a site/ : /is not whole/);
    assert.equal((await run('export', 'blog', 'blog.ndjson')).status, 0);
    assert.equal(readFileSync(path, 'utf8'), whole, cut);
  }
  const copied = await run('import', 'copy', 'blog.ndjson');
  assert.equal(copied.status, 0, copied.printed);
  assert.deepEqual(await shown('copy'), ['/a 2', '/b 1']);
  assert.equal((await view('copy', issued(copied, 'WRITE_TOKEN'), '/b')).status, 200);
  const again = await run('import', 'copy', 'blog.ndjson');
  assert.deepEqual([again.status, again.stdout], [0, ''], again.printed);
  assert.match(again.printed, /1 periods had members already, and stay as they were: articles\/all 0/);
  assert.deepEqual((await shown('copy')).sort(), ['/a 2', '/b 2']);
  appendFileSync(join(folder, 'copy.json'), '{"kind":"site","site":"other","configuration":{}}\n');
  assert.match((await run('export', 'blog', 'copy.json')).printed, /copy.json is no export of blog/);
});

test('what is wrong is said', async (t) => {
  const { run, write } = inFolder(t);
  const wrong = write('wrong.json', { ...SHOP, boards: { articles: { ...BOARD, windows: ['fortnight'] } } });
  for (const [status, args, detail] of /** @type {[number, string[], RegExp][]} */ ([
    [2, [], /nothing is not allowed behind the address; allowed: list, show/],
    [2, ['make', 'news'], /make needs a site and a file/],
    [2, ['list', 'news'], /list needs nothing else/],
    [2, ['replace', 'news', 'key'], /key is not allowed; allowed: write, admin, actor, forward/],
    [1, ['make', 'news', 'none.json'], /none.json cannot be read/],
    [1, ['make', 'news', write('list.json', [])], /list.json is no configuration/],
    [1, ['make', 'news', wrong], /is answered 400: SITES.news.boards.articles.windows\[0\] = "fortnight" is not allowed/],
    [1, ['change', 'news', write('news.json', SHOP)], /is answered 404: no site that was made at run time is called "news"/],
    [1, ['make', 'demo', 'news.json'], /is answered 409: the site demo is one of wrangler.toml/],
    [1, ['import', 'news', 'news.json'], /news.json is no export of a site/],
  ])) {
    const ended = await run(...args);
    assert.deepEqual([ended.status, detail.test(ended.printed)], [status, true], `${args}: ${ended.printed}`);
  }
  const { run: without } = inFolder(t, { ADMIN_TOKEN: '' });
  assert.match((await without('list')).printed, /ADMIN_TOKEN is missing/);
});
