/**
 * `npm test`: every test in every ring, the cheapest news first, stopping at the first ring that fails.
 *
 * The configuration is judged by the worker itself, so that its verdict is the one production would give.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { build } from './build.mjs';
import { command } from './command.mjs';
import { judgeConfiguration } from './configuration/judge.mjs';
import { requireReadable } from './configuration/limits.mjs';
import { readConfiguration } from './configuration/read.mjs';
import { run } from './processes.mjs';
import { inProject, NODE } from './project.mjs';
import { say } from './report.mjs';
import { readSettings } from './serve/settings.mjs';
import { setup } from './setup.mjs';

const USAGE = `
Usage: npm test [-- FILTER]

Installs what is missing and runs every test; with FILTER, the Rust tests whose name contains it and the JavaScript
test files whose path contains it.

Environment:
  REDIS_SERVER      the redis-server the tests start
  CHROMIUM          the Chromium the browser tests start
  SCHEMATHESIS      the Schemathesis that tries the API out
  NGINX             the nginx that is put before the worker
  EDGEBOARD_CONFIG  the wrangler configuration file to check, beside wrangler.toml
`;

/** Test files at once. They wait for most of their time, for servers and for browsers. */
const CONCURRENCY = Math.max(2, availableParallelism() - 1);

/** @param {string[]} args */
async function main([filter = '']) {
  const { redisServer, chromium, schemathesis, nginx } = await setup({ needs: ['redis', 'chromium', 'schemathesis', 'nginx'] });
  const env = { REDIS_SERVER: redisServer, CHROMIUM: chromium, SCHEMATHESIS: schemathesis, NGINX: nginx };
  const configuration = readConfiguration(readSettings(process.env).configFile);
  requireReadable(configuration);

  await build();

  say('checking the configuration');
  await judgeConfiguration(configuration);

  say('running the Rust tests');
  await run('cargo', ['test', ...(filter ? [filter] : [])], { env });

  const files = testFiles().filter((path) => path.includes(filter));
  if (files.length > 0) {
    say('running the JavaScript tests');
    await run(NODE, ['--test', '--test-reporter=spec', `--test-concurrency=${CONCURRENCY}`, ...files], { env });
  } else {
    say(`no JavaScript test file's path contains ${JSON.stringify(filter)}`);
  }
  say(filter ? `the tests of ${JSON.stringify(filter)} passed` : 'all tests passed');
}

function testFiles() {
  const names = readdirSync(inProject('tests'), { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.test.mjs')).map((name) => `tests/${name}`);
}

command(import.meta, { usage: USAGE, main });
