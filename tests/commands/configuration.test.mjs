/**
 * What `npm start`, `npm test` and `npm run deploy` refuse before they begin: each with one line, at once. The commands
 * run as processes; wrangler deploys with --dry-run, which does everything but the deployment.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { IS_LONG_RUN, longTest } from '../support/part.mjs';
import { freePort } from '../support/port.mjs';
import { startRedis } from '../support/redis.mjs';
import { until } from '../support/until.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHIPPED = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8');
const REDIS = 'REDIS_URL = "redis://127.0.0.1:6379"';
const PUBLIC = 'REDIS_URL = "rediss://redis.example.com:6379"';

/** Of the shipped configuration. */
const DATABASE = '[[d1_databases]]\nbinding = "DB"\ndatabase_name = "edgeboard"\nmigrations_dir = "migrations"\n';
const SERVES_MS = 60_000;
/** Less than the minute that a command which lingers takes. */
const AT_ONCE_MS = 50_000;

/**
 * The shipped configuration, with what a test changes, as a file elsewhere.
 *
 * @param {import('node:test').TestContext} t
 * @param {[from: string, to: string][]} changes
 */
function writeConfiguration(t, ...changes) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-configuration-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'wrangler.toml');
  const elsewhere = ['main = "build/index.js"', `main = ${JSON.stringify(join(ROOT, 'build/index.js'))}`];
  let content = SHIPPED;
  for (const [from, to] of [elsewhere, ...changes]) {
    assert.ok(content.includes(from), `the shipped configuration has ${from}`);
    content = content.replace(from, () => to);
  }
  writeFileSync(file, content);
  return file;
}

/**
 * Runs a command to its end.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} script
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
async function runCommand(t, script, args, env = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', script), ...args], {
    env: { ...process.env, CLOUDFLARE_ENV: '', ...env },
    timeout: AT_ONCE_MS,
  });
  t.after(() => child.kill('SIGKILL'));
  child.stdin.end();
  const [[status, signal], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  assert.equal(signal, null, `${script} lingers: ${stdout}${stderr}`);
  // What it says of its progress is not what it refuses.
  const refusal = stderr.replace(/^edgeboard: .*\n/gm, '');
  return { status, stdout, stderr, refusal };
}

/**
 * The commands that read a configuration, and how each is given another one.
 *
 * @type {Record<string, (t: import('node:test').TestContext, file: string) => ReturnType<typeof runCommand>>}
 */
const COMMANDS = {
  'npm start': async (t, file) => runCommand(t, 'start.mjs', [], { EDGEBOARD_CONFIG: file, PORT: String(await freePort()) }),
  'npm test': (t, file) => runCommand(t, 'test.mjs', ['no test has this name'], { EDGEBOARD_CONFIG: file }),
  'npm run deploy': (t, file) => runCommand(t, 'deploy.mjs', ['--dry-run', '--config', file]),
};

/** The commands check with the same functions, so one of them has every line in each run. */
const WHOLE = 'npm run deploy';

for (const [name, start] of Object.entries(COMMANDS)) {
  describe(`${name} refuses`, () => {
    const likewise = name === WHOLE ? test : longTest;

    test('a syntax error, with line and column', async (t) => {
      const file = writeConfiguration(t, ['[observability]\nenabled = true', '[observability]\nenabled = = true']);
      const lines = readFileSync(file, 'utf8').split('\n');
      const number = lines.indexOf('enabled = = true') + 1;
      const { status, stdout, refusal } = await start(t, file);
      const line = `${file}:${number}:11: Invalid TOML document: invalid value\n`;
      assert.deepEqual({ status, stdout, refusal }, { status: 1, stdout: '', refusal: line });
    });

    likewise('a variable of more than 5 KB, with its size and the way to split it', async (t) => {
      const zone = 'timezone = "UTC"';
      const file = writeConfiguration(t, [REDIS, PUBLIC], [zone, `timezone = "${'x'.repeat(5 * 1024)}"`]);
      const { status, refusal } = await start(t, file);
      assert.equal(status, 1);
      assert.match(
        refusal,
        /^the variable SITES has \d{4} bytes as JSON, and Cloudflare allows 5120 in one variable; move .* to \[vars\.SITES_2\..*\]: all variables whose names begin with SITES are merged\n$/,
      );
    });

    likewise('a rate limit that the worker would take for another one', async (t) => {
      const file = writeConfiguration(t, [REDIS, PUBLIC], ['limit = 120, period = 60', 'limit = 60, period = 60']);
      const { status, refusal } = await start(t, file);
      assert.equal(status, 1);
      assert.equal(
        refusal,
        'BEACON_LIMIT has limit = 60 and period = 60; allowed: limit = 120 and period = 60; for another limit set `limits` of the site\n',
      );
    });

    likewise('sites and other variables that stand outside [vars], with the right name', async (t) => {
      for (const [added, line] of [
        ['[SITES.shop]\norigins = []\n', '[SITES.shop] is not read, since it is no variable; write [vars.SITES.shop]\n'],
        ['[SITES_2.shop.actions]\nview = {}\n', '[SITES_2.shop] is not read, since it is no variable; write [vars.SITES_2.shop]\n'],
        ['KEY_PREFIX = "x"\n', 'KEY_PREFIX is not read, since it is no variable; write it below [vars]\n'],
      ]) {
        const file = writeConfiguration(t, [REDIS, PUBLIC], ['[[rules]]', `${added}\n[[rules]]`]);
        const { status, refusal } = await start(t, file);
        assert.deepEqual({ status, refusal }, { status: 1, refusal: line });
      }
    });

    test('a file that is not there', async (t) => {
      const { status, refusal } = await start(t, '/no/such/wrangler.toml');
      assert.equal(status, 1);
      assert.match(refusal, /^Could not read file: \/no\/such\/wrangler\.toml ENOENT.*\n$/);
    });
  });
}

/** Those that are followed by a deployment, or that serve. */
for (const [name, start] of Object.entries(COMMANDS).filter(([name]) => name === WHOLE || (name === 'npm start' && IS_LONG_RUN))) {
  describe(`${name} refuses options whose binding is missing, in the worker's words`, () => {
    for (const [option, binding] of [
      ['archive = true', 'R2 bucket binding ARCHIVE, which is not in the configuration file, or ARCHIVE_REDIS_URL'],
      ['history = 10', 'D1 database binding DB, which is not in the configuration file'],
      ['totals[0].to = "d1"', 'D1 database binding DB, which is not in the configuration file'],
    ]) {
      test(option, async (t) => {
        const written = option.startsWith('totals') ? 'totals = [{ window = "day", to = "d1" }]' : option;
        const without = [DATABASE, ''];
        const file = writeConfiguration(t, [REDIS, PUBLIC], /** @type {[string, string]} */ (without), [
          'limit = 100',
          `limit = 100\n${written}`,
        ]);
        const { status, refusal } = await start(t, file);
        assert.deepEqual({ status, refusal }, { status: 1, refusal: `SITES.demo.boards.articles.${option} needs the ${binding}\n` });
      });
    }
  });
}

describe('npm start', () => {
  test('refuses a wrong configuration without a build', async (t) => {
    const file = writeConfiguration(t, ['limit = 100', 'limit = 0']);
    const { status, stderr, refusal } = await COMMANDS['npm start'](t, file);
    assert.equal(status, 1);
    assert.match(refusal, /^SITES\.demo\.boards\.articles\.limit = 0 is not allowed; allowed: .*\n$/);
    assert.doesNotMatch(stderr, /building/);
    assert.match(stderr, /^edgeboard: checks the configuration, builds where something changed, and serves on http:\/\/localhost:\d+\n/);
  });

  test('serves the demo on a site of its own, and takes what the environment says', async (t) => {
    const [redis, archive] = await Promise.all([startRedis(), startRedis()]);
    t.after(() => Promise.all([redis.stop(), archive.stop()]));
    const file = writeConfiguration(
      t,
      ['[vars.SITES.demo]', '[vars.SITES.shop]'],
      ['[vars.SITES.demo.actions]', '[vars.SITES.shop.actions]'],
      ['[vars.SITES.demo.boards.articles]', '[vars.SITES.shop.boards.articles]'],
      ['[vars.SITES.demo.boards.people]', '[vars.SITES.shop.boards.people]'],
      ['limit = 100', 'limit = 100\narchive = true'],
    );
    const port = await freePort();
    const env = { KEY_PREFIX: 'other', LIVE_VIEWERS: '70', REDIS_URL: redis.url, ARCHIVE_REDIS_URL: archive.url };
    const child = spawn(process.execPath, [join(ROOT, 'scripts/start.mjs')], {
      env: { ...process.env, ...env, EDGEBOARD_CONFIG: file, PORT: String(port) },
    });
    t.after(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
    await until('it serves', () => printed.includes('Ctrl-C stops it.') || child.exitCode !== null, { timeoutMs: SERVES_MS });
    const url = `http://localhost:${port}`;
    assert.ok(printed.includes(`demo page    ${url}/        counts on the site demo, which is there while this runs\n`), printed);
    assert.ok(printed.includes(`admin page   ${url}/admin   asks for ADMIN_TOKEN\n`), printed);

    assert.match(await (await fetch(url)).text(), /Simulated readers/);
    const headers = { 'user-agent': 'Mozilla/5.0' };
    for (const site of ['demo', 'shop']) {
      const sent = await fetch(`${url}/v1/${site}/beacon`, { method: 'POST', headers, body: '{"action":"view","item":"x"}' });
      assert.equal(sent.status, 204, await sent.text());
    }
    const keys = /** @type {string[]} */ (await redis.command('KEYS', '*:state'));
    assert.deepEqual(keys.sort(), ['other:start:{demo:articles}:state', 'other:{shop:articles}:state']);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal((await fetch(`${url}/admin`)).status, 200);

    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
  });
});

describe('npm run deploy', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {string[]} args
   */
  const deploy = (t, ...args) => runCommand(t, 'deploy.mjs', ['--dry-run', ...args]);

  test('refuses a Redis that only this machine reaches, as the shipped configuration has it', async (t) => {
    const { status, stdout, refusal } = await deploy(t);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(refusal, /^REDIS_URL names 127\.0\.0\.1, which .* npx wrangler secret put REDIS_URL\n$/);
  });

  test('refuses what the worker refuses, in its words', async (t) => {
    const file = writeConfiguration(t, [REDIS, PUBLIC], ['limit = 100', 'limit = 0']);
    const { status, stdout, refusal } = await deploy(t, '--config', file);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(refusal, /^SITES\.demo\.boards\.articles\.limit = 0 is not allowed; allowed: .*$/m);
  });

  test('checks the environment that is deployed', async (t) => {
    const file = writeConfiguration(t, [REDIS, `${PUBLIC}\n[env.staging.vars]\nREDIS_URL = "redis://10.0.0.7"\n[vars]`]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('\n[vars]\n\n[vars.SITES', '\n[vars.SITES'));
    const { status, refusal } = await deploy(t, `--config=${file}`, '-e', 'staging');
    assert.equal(status, 1);
    assert.match(refusal, /^REDIS_URL names 10\.0\.0\.7, /);
    const nowhere = await deploy(t, '--config', file, '--env', 'production');
    assert.match(nowhere.refusal, /No environment found in configuration with name "production"\.\n$/);
  });

  test('refuses tokens that can be found by trying, wherever it sees them', async (t) => {
    const plain = writeConfiguration(t, [REDIS, PUBLIC]);
    const secrets = join(dirname(plain), 'secrets.json');
    writeFileSync(secrets, JSON.stringify({ WRITE_TOKEN: 'sixteen-letters.', ADMIN_TOKEN: 'sixteen-letters., fifteen-letters' }));
    const given = writeConfiguration(t, [REDIS, `${PUBLIC}\nWRITE_TOKEN_DEMO = "fifteen-letters"`]);
    for (const [name, place, file, args, env] of /** @type {[string, string, string, string[], Record<string, string>][]} */ ([
      ['WRITE_TOKEN_DEMO', given, given, [], {}],
      ['WRITE_TOKEN', '--var', plain, ['--var', 'X:y', '--var', 'WRITE_TOKEN:fifteen-letters'], {}],
      ['ADMIN_TOKEN', secrets, plain, ['--secrets-file', secrets], {}],
      ['METRICS_TOKEN', 'the environment', plain, [], { METRICS_TOKEN: 'fifteen-letters' }],
    ])) {
      const { status, refusal } = await runCommand(t, 'deploy.mjs', ['--dry-run', '--config', file, ...args], env);
      const line = `${name} has fewer than 16 characters, so it can be found by trying (in ${place}); make another one: openssl rand -base64 24\n`;
      assert.deepEqual({ status, refusal }, { status: 1, refusal: line });
    }
  });

  test('needs values of the options that it reads', async (t) => {
    const { status, refusal } = await deploy(t, '--env=');
    assert.deepEqual({ status, refusal }, { status: 1, refusal: '--env needs a value\n' });
  });

  test('hands what is right to wrangler, with the arguments', async (t) => {
    const file = writeConfiguration(t, [REDIS, PUBLIC]);
    const { status, stdout, stderr } = await deploy(t, '--config', file, '--name', 'elsewhere');
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /--dry-run: exiting now\./);
    assert.doesNotMatch(stderr, /secret put/);
  });

  test('takes REDIS_URL for a secret when it is no variable, and says so', async (t) => {
    const file = writeConfiguration(t, [REDIS, '']);
    const { status, stderr } = await deploy(t, '--config', file);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^edgeboard: REDIS_URL is no variable, .* npx wrangler secret put REDIS_URL$/m);
  });

  test('takes REDIS_TOKEN for a secret, too', async (t) => {
    const file = writeConfiguration(t, [REDIS, 'REDIS_URL = "https://example.upstash.io"']);
    const { status, stderr } = await deploy(t, '--config', file);
    assert.equal(status, 0, stderr);
  });

  test('--help says what is checked', async (t) => {
    const { status, stdout } = await runCommand(t, 'deploy.mjs', ['--help']);
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run deploy /);
  });
});
