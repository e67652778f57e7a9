/**
 * What `npm start`, `npm test` and `npm run deploy` refuse before they begin: each with one line, at once. The commands
 * run as processes; wrangler deploys with --dry-run, which does everything but the deployment.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { freePort } from '../support/port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHIPPED = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8');
const REDIS = 'REDIS_URL = "redis://127.0.0.1:6379"';
const PUBLIC = 'REDIS_URL = "rediss://redis.example.com:6379"';

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

for (const [name, start] of Object.entries(COMMANDS)) {
  describe(`${name} refuses`, () => {
    test('a syntax error, with line and column', async (t) => {
      const file = writeConfiguration(t, ['[observability]\nenabled = true', '[observability]\nenabled = = true']);
      const lines = readFileSync(file, 'utf8').split('\n');
      const number = lines.indexOf('enabled = = true') + 1;
      const { status, stdout, refusal } = await start(t, file);
      const line = `${file}:${number}:11: Invalid TOML document: invalid value\n`;
      assert.deepEqual({ status, stdout, refusal }, { status: 1, stdout: '', refusal: line });
    });

    test('a variable of more than 5 KB, with its size and the way to split it', async (t) => {
      const zone = 'timezone = "UTC"';
      const file = writeConfiguration(t, [REDIS, PUBLIC], [zone, `timezone = "${'x'.repeat(5 * 1024)}"`]);
      const { status, refusal } = await start(t, file);
      assert.equal(status, 1);
      assert.match(
        refusal,
        /^the variable SITES has \d{4} bytes as JSON, and Cloudflare allows 5120 in one variable; move .* to \[vars\.SITES_2\..*\]: all variables whose names begin with SITES are merged\n$/,
      );
    });

    test('a rate limit that the worker would take for another one', async (t) => {
      const file = writeConfiguration(t, [REDIS, PUBLIC], ['limit = 120, period = 60', 'limit = 60, period = 60']);
      const { status, refusal } = await start(t, file);
      assert.equal(status, 1);
      assert.equal(
        refusal,
        'BEACON_LIMIT has limit = 60 and period = 60; allowed: limit = 120 and period = 60; for another limit set `limits` of the site\n',
      );
    });

    test('a file that is not there', async (t) => {
      const { status, refusal } = await start(t, '/no/such/wrangler.toml');
      assert.equal(status, 1);
      assert.match(refusal, /^Could not read file: \/no\/such\/wrangler\.toml ENOENT.*\n$/);
    });
  });
}

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
