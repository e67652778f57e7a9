/** `edgeboard deploy` and `secrets` against a fake of Cloudflare's API: what is made, in which order, and once. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { longTest } from '../support/part.mjs';
import { until } from '../support/until.mjs';
import { startCloudflare } from './cloudflare.mjs';
import { NO_TERMINAL, startAtTerminal, startFolder, startProcess } from './folder.mjs';

const REDIS_URL = 'rediss://edgeboard:a-password@redis.example.com:6380';
const MORE = `
[[queues.producers]]
binding = "INGEST_QUEUE"
queue = "my-ingest"

[[queues.consumers]]
queue = "my-ingest"
max_batch_size = 100

[[r2_buckets]]
binding = "ARCHIVE"
bucket_name = "my-archive"
`;
const MADE = ['WRITE_TOKEN', 'ADMIN_TOKEN', 'METRICS_TOKEN', 'ACTOR_SECRET', 'VISITOR_SECRET', 'FORWARD_SECRET'];

/** A command checks the configuration before it asks. */
const ASKS = { timeoutMs: 60_000 };

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const { folder, command } = startFolder(t);
  appendFileSync(join(folder, 'wrangler.toml'), MORE);
  const cloudflare = await startCloudflare(t);
  const begin = (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ added = { REDIS_URL }) =>
    startProcess(process.execPath, [command, ...args], { folder, env: { ...process.env, ...cloudflare.env, ...added } });
  const env = { ...process.env, ...cloudflare.env, REDIS_URL: '', REDIS_TOKEN: '' };
  const atTerminal = (/** @type {string[]} */ ...args) => startAtTerminal([process.execPath, command, ...args], { folder, env });
  return { folder, cloudflare, begin, atTerminal, deploy: () => begin(['deploy', '--address', cloudflare.address]) };
}

/** @param {string} folder */
const kept = (folder) => readFileSync(join(folder, '.prod.vars'), 'utf8');

/** What an account has, without what the secrets are. @param {Awaited<ReturnType<typeof startCloudflare>>} cloudflare */
function stateOf({ databases, queues, buckets, workers, tablesOf }) {
  const [worker] = workers.values();
  return {
    databases: databases.map(({ name }) => name),
    queues,
    buckets,
    workers: [...workers.keys()],
    secrets: [...worker.secrets.keys()].sort(),
    crons: worker.crons,
    tables: tablesOf('my-list').length > 10,
  };
}

const WHOLE = {
  databases: ['my-list'],
  queues: ['my-ingest'],
  buckets: ['my-archive'],
  workers: ['my-list'],
  secrets: [...MADE, 'REDIS_URL'].sort(),
  crons: [{ cron: '* * * * *' }],
  tables: true,
};

test('a deployment makes what is missing, and another one makes nothing', async (t) => {
  const { folder, cloudflare, deploy, begin } = await start(t);
  const first = await deploy().ended;
  assert.equal(first.status, 0, first.printed);
  assert.deepEqual(cloudflare.unknown, []);
  assert.deepEqual(stateOf(cloudflare), WHOLE);
  assert.match(first.stdout, new RegExp(`edgeboard is deployed: ${cloudflare.address}\n`));
  assert.match(first.stdout, /<script type="module" src="[^"]+\/shelf\.js" data-edgeboard-site="blog" data-edgeboard-view><\/script>/);
  assert.match(first.stdout, /\/readyz: \{"status":"ready"\}\n$/);

  const applied = cloudflare.requests.findLastIndex((line) => /^POST .*\/query$/.test(line));
  const uploaded = cloudflare.requests.indexOf('PUT /workers/scripts/my-list');
  assert.ok(applied !== -1 && applied < uploaded, 'migrations come before the code');
  const [worker] = cloudflare.workers.values();
  assert.equal(
    worker.metadata.compatibility_date,
    JSON.parse(readFileSync(join(folder, '.wrangler/deploy/wrangler.json'), 'utf8')).compatibility_date,
  );

  const secrets = [...worker.secrets.values()];
  assert.equal(new Set(secrets).size, secrets.length);
  for (const secret of secrets) {
    assert.ok(!first.printed.includes(secret), 'nothing secret is printed');
    assert.ok(kept(folder).includes(secret));
  }
  assert.equal(statSync(join(folder, '.prod.vars')).mode & 0o777, 0o600);
  takesNoSecret(folder, secrets);

  cloudflare.requests.length = 0;
  cloudflare.ready.functions = false;
  const again = await begin(['deploy', '--address', cloudflare.address], { REDIS_URL: 'rediss://another.example.com' }).ended;
  assert.equal(again.status, 0, again.printed);
  assert.match(again.stdout, /\nRedis has no functions, or its user may not use them, so each call costs it [^\n]+\n$/);
  assert.deepEqual(stateOf(cloudflare), WHOLE);
  assert.deepEqual([...[...cloudflare.workers.values()][0].secrets.values()], secrets, 'no secret is made or asked for again');
  assert.ok(!cloudflare.requests.includes('POST /d1/database'));

  const listed = await begin(['secrets']).ended;
  assert.equal(listed.status, 0, listed.printed);
  for (const name of [...MADE, 'REDIS_URL']) assert.match(listed.stdout, new RegExp(`^${name} +at Cloudflare, in \\.prod\\.vars$`, 'm'));
});

/** What `git add` would take has none of them. @param {string} folder @param {string[]} secrets */
function takesNoSecret(folder, secrets) {
  const git = (/** @type {string[]} */ ...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout;
  git('init', '-q');
  git('add', '-A');
  const files = git('ls-files').trim().split('\n');
  assert.deepEqual(files.sort(), ['.gitignore', 'README.md', 'package.json', 'try.html', 'wrangler.toml']);
  for (const file of files) for (const secret of secrets) assert.ok(!readFileSync(join(folder, file), 'utf8').includes(secret));
}

/** @type {[name: string, line: RegExp][]} */
const STEPS = [
  ['looking', /^GET .*\/secrets$/],
  ['the queue', /^POST \/queues$/],
  ['the bucket', /^POST \/r2\/buckets$/],
  ['the database', /^POST \/d1\/database$/],
  ['a migration', /^POST \/d1\/database\/.*\/query$/],
  ['the upload', /^PUT \/workers\/scripts\/my-list$/],
  ['the address', /^POST .*\/subdomain$/],
  ['the cron trigger', /^PUT .*\/schedules$/],
];

longTest('a deployment that is killed at each of its steps ends as one that is not', async (t) => {
  const { folder, cloudflare, deploy } = await start(t);
  let before;
  for (const [name, line] of STEPS) {
    for (const isDone of [false, true]) {
      const run = deploy();
      let died = false;
      cloudflare.killAt(line, {
        isDone,
        kill() {
          died = true;
          run.kill();
        },
      });
      await run.ended;
      // A resource that is there already is not made again, so a step that was done has nothing to be killed at.
      if (!isDone) assert.ok(died, `${name} is asked for: ${run.printed()}`);
      if (name === 'looking') continue;
      before ??= kept(folder);
      assert.equal(kept(folder), before, 'no secret is made anew');
    }
  }
  const last = await deploy().ended;
  assert.equal(last.status, 0, last.printed);
  assert.deepEqual(stateOf(cloudflare), WHOLE);
  assert.equal(kept(folder), before);
  for (const [name, value] of [...cloudflare.workers.values()][0].secrets) assert.ok(kept(folder).includes(`${name}='${value}'`));
  assert.ok(!readdirSync(join(folder, '.wrangler')).includes('upload'), 'nothing secret is left there');
});

test('what cannot work is refused before anything is asked of Cloudflare', async (t) => {
  const { folder, cloudflare, begin } = await start(t);
  const run = (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ env = {}) => begin(args, { REDIS_URL: '', ...env }).ended;

  const terminal = await run(['deploy']);
  assert.equal(terminal.status, 1);
  assert.match(terminal.printed, /^REDIS_URL is missing, and there is no terminal to ask at: give it in the environment, REDIS_URL=…$/m);

  const local = await run(['deploy'], { REDIS_URL: 'redis://10.1.2.3' });
  assert.match(local.printed, /^REDIS_URL names 10\.1\.2\.3, which no worker at Cloudflare can reach/m);

  const nobody = { CLOUDFLARE_API_TOKEN: '', HOME: folder, XDG_CONFIG_HOME: folder };
  const signedOut = await run(['deploy'], { REDIS_URL, ...nobody });
  assert.equal(signedOut.status, 1);
  assert.match(
    signedOut.printed,
    /^nobody is signed in at Cloudflare: npx wrangler login, or give CLOUDFLARE_API_TOKEN and [A-Z_]+ in the environment$/m,
  );

  writeFileSync(join(folder, '.gitignore'), 'node_modules\n.wrangler\n');
  spawnSync('git', ['init', '-q'], { cwd: folder });
  const taken = await run(['deploy'], { REDIS_URL });
  assert.equal(taken.status, 1);
  assert.match(taken.printed, /^git would take \.prod\.vars, which has secrets in it: write \.prod\.vars\* into \.gitignore$/m);
  assert.ok(!readdirSync(folder).includes('.prod.vars'));
  assert.deepEqual([...new Set(cloudflare.requests)], ['GET /workers/scripts/my-list/secrets']);

  const wrong = await run(['deploy', '--dry']);
  assert.equal(wrong.status, 2);
});

test('at a terminal it asks for what only you know, once, and shows nothing of it', { skip: NO_TERMINAL }, async (t) => {
  const { folder, cloudflare, atTerminal } = await start(t);
  const interrupted = atTerminal('deploy', '--address', cloudflare.address);
  await until('it asks', () => interrupted.printed().includes('The address of your Redis'), ASKS);
  interrupted.type('\u0003');
  assert.equal((await interrupted.ended).status, 130, 'Ctrl-C');

  const asked = atTerminal('deploy', '--address', cloudflare.address);
  await until('it asks', () => asked.printed().includes('The address of your Redis'), ASKS);
  asked.type('https://secret-host.example.com\r');
  await until('it asks for what that needs', () => asked.printed().includes('The token of your Redis'), ASKS);
  asked.type('a-secret-token\r');
  const { status, printed } = await asked.ended;
  assert.equal(status, 0, printed);
  assert.doesNotMatch(printed, /secret-host|a-secret-token/);
  const { secrets } = /** @type {{ secrets: Map<string, string> }} */ (cloudflare.workers.get('my-list'));
  assert.deepEqual([secrets.get('REDIS_URL'), secrets.get('REDIS_TOKEN')], ['https://secret-host.example.com', 'a-secret-token']);
  assert.match(kept(folder), /^REDIS_TOKEN='a-secret-token'$/m);

  const again = await atTerminal('deploy', '--address', cloudflare.address).ended;
  assert.equal(again.status, 0, again.printed);
  assert.doesNotMatch(again.printed, /of your Redis/, 'nothing is asked again');
});

const STAGING = `
[env.staging.vars.SITES.blog]
origins = ["https://staging.example.com"]

[env.staging.vars.SITES.blog.actions]
view = { public = true }

[env.staging.vars.SITES.blog.boards.pages]
weights = { view = 1 }
windows = ["day"]

[[env.staging.d1_databases]]
binding = "DB"
database_name = "my-list-staging"
`;

test('an environment is a worker of its own, with its own database and secrets', async (t) => {
  const { folder, cloudflare, begin } = await start(t);
  appendFileSync(join(folder, 'wrangler.toml'), STAGING);
  const run = async (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ env = { REDIS_URL }) => {
    const ended = await begin(args, env).ended;
    assert.equal(ended.status, 0, ended.printed);
    return ended;
  };
  await run(['deploy', '--address', cloudflare.address]);
  const production = { file: kept(folder), secrets: [...(cloudflare.workers.get('my-list')?.secrets.values() ?? [])] };
  const early = await run(['secrets', 'METRICS_TOKEN', '--env', 'staging'], { METRICS_TOKEN: 'a-token-of-before-it-is-there' });
  assert.match(early.stdout, /^METRICS_TOKEN is in \.prod\.vars\.staging\. The worker gets it when it is deployed\.$/m);
  assert.deepEqual([...cloudflare.workers.keys()], ['my-list']);
  const { stdout } = await run(['deploy', '--env', 'staging', '--address', cloudflare.address]);
  assert.match(stdout, /data-edgeboard-site="blog"/);
  assert.deepEqual(cloudflare.unknown, []);
  assert.deepEqual([...cloudflare.workers.keys()], ['my-list', 'my-list-staging']);
  assert.deepEqual(
    cloudflare.databases.map(({ name }) => name),
    ['my-list', 'my-list-staging'],
  );
  assert.deepEqual(cloudflare.queues, ['my-ingest'], 'an environment has no queue of another one');
  const { secrets, metadata } = /** @type {{ secrets: Map<string, string>, metadata: any }} */ (cloudflare.workers.get('my-list-staging'));
  assert.deepEqual([...secrets.keys()].sort(), WHOLE.secrets);
  assert.match(JSON.stringify(metadata.bindings), /staging\.example\.com/);
  assert.equal(kept(folder), production.file);
  assert.equal(secrets.get('METRICS_TOKEN'), 'a-token-of-before-it-is-there');
  const own = readFileSync(join(folder, '.prod.vars.staging'), 'utf8');
  for (const [name, value] of secrets) {
    assert.ok(own.includes(`${name}='${value}'`), name);
    if (name !== 'REDIS_URL') assert.ok(!production.secrets.includes(value), `${name} is another one`);
  }

  const listed = await run(['secrets'], { CLOUDFLARE_ENV: 'staging' });
  assert.match(listed.stdout, /^WRITE_TOKEN +at Cloudflare, in \.prod\.vars\.staging$/m);
  await run(['secrets', 'WRITE_TOKEN', '--env', 'staging'], { WRITE_TOKEN: 'another-token-of-servers' });
  assert.equal(secrets.get('WRITE_TOKEN'), 'another-token-of-servers');
  for (const [name, value, line] of /** @type {[string, string, RegExp][]} */ ([
    ['WRITE_TOKEN', 'short', /^WRITE_TOKEN has fewer than 16 characters, so it can be found by trying$/m],
    ['FORWARD_SECRET', "it's-one-of-webhooks", /^FORWARD_SECRET has a line break or a ', which is not allowed$/m],
    ['REDIS_URL', 'redis://localhost', /^REDIS_URL names localhost, which no worker at Cloudflare can reach/m],
  ])) {
    const { status, printed } = await begin(['secrets', name, '--env', 'staging'], { [name]: value }).ended;
    assert.equal(status, 1, name);
    assert.match(printed, line);
    assert.notEqual(secrets.get(name), value);
  }
  assert.equal(kept(folder), production.file);
  assert.match((await run(['check', '--env', 'staging'])).stdout, /the site blog\.$/m);
  const served = JSON.parse((await run(['dev', '--env', 'staging', '--print'])).stdout);
  assert.deepEqual(served.vars.SITES.blog.origins, ['https://staging.example.com']);
  const wrong = await begin(['deploy', '--env', 'stagign']).ended;
  assert.equal(wrong.status, 1);
  assert.match(wrong.printed, /No environment found in configuration with name "stagign"/);
});

test('a dry run changes nothing', async (t) => {
  const { folder, cloudflare, begin } = await start(t);
  const { status, printed } = await begin(['deploy', '--dry-run']).ended;
  assert.equal(status, 0, printed);
  assert.deepEqual(cloudflare.requests, []);
  assert.ok(!readdirSync(folder).includes('.prod.vars'));
});
