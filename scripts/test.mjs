/**
 * `npm test`: the tests in their rings, the cheapest news first, stopping at the first part that fails.
 *
 * The configuration is judged by the worker itself, so that its verdict is the one production would give.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { command } from '../packages/edgeboard/command.mjs';
import { judgeConfiguration } from '../packages/edgeboard/configuration/judge.mjs';
import { requireReadable } from '../packages/edgeboard/configuration/limits.mjs';
import { readConfiguration } from '../packages/edgeboard/configuration/read.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { readSettings } from '../packages/edgeboard/serve/settings.mjs';
import { build } from './build.mjs';
import { inProject, NODE } from './project.mjs';
import { setup } from './setup.mjs';
import { enginesOf, TESTS } from './test/engines.mjs';
import { readOptions, USAGE } from './test/options.mjs';
import { findPrograms } from './test/programs.mjs';
import { cargoArgumentsOf, filesOf, programsOf } from './test/rings.mjs';
import { lastLine, secondsOfFolders } from './test/summary.mjs';

const CORES = availableParallelism();
/**
 * Test files at once. They wait for a part of their time. What a quick run leaves out works more and waits less. A page takes a processor,
 * and what it shows is waited for with a deadline. A benchmark takes all there is.
 *
 * @type {[begins: string, atOnce: (part: string) => number][]}
 */
const GROUPS = [
  ['tests/bench/', () => 1],
  ['tests/browser/', () => Math.max(2, CORES - 1)],
  ['', (part) => (part === 'quick' ? CORES + 1 : Math.max(2, CORES - 1))],
];

/** @param {string[]} args */
async function main(args) {
  const options = readOptions(args, process.env);
  const chosen = filesOf(options).map((path) => ({ path, needs: programsOf(path) }));
  const cargoArguments = cargoArgumentsOf(options);
  if (!cargoArguments && chosen.length === 0) throw new Problem(`no test of these rings is about ${options.words.join(' or ')}`);
  const { env: programs, missing } = await findPrograms(new Set(chosen.flatMap(({ needs }) => needs)));
  const { redisServer } = await setup({ needs: ['redis'] });
  const env = {
    ...programs,
    REDIS_SERVER: redisServer,
    EDGEBOARD_TESTS: options.part,
    ...(options.isOverCluster && { EDGEBOARD_TEST_CLUSTER: '1' }),
  };
  const configuration = readConfiguration(readSettings(process.env).configFile);
  requireReadable(configuration);

  await build();

  say('checking the configuration');
  await judgeConfiguration(configuration);

  if (cargoArguments) {
    say('running the Rust tests');
    await run('cargo', ['test', ...cargoArguments], { env });
    for (const { over, env: own } of enginesOf(options)) {
      say(`running ${TESTS.length} tests of the scripts over ${over}`);
      await run('cargo', ['test', '--test', 'lua', '--', '--exact', ...TESTS], { env: { ...env, ...own } });
    }
  }
  const isSkipped = (/** @type {{ needs: string[] }} */ { needs }) => needs.some((program) => missing.has(program));
  const files = chosen.filter((file) => !isSkipped(file)).map(({ path }) => path);
  const skippedTests = [];
  for (const [begins, atOnce] of GROUPS.toReversed()) {
    const group = files.filter((path) => GROUPS.find(([begins]) => path.startsWith(begins))?.[0] === begins);
    skippedTests.push(...(await runFiles(group, atOnce(options.part), env)));
  }
  const skippedFiles = chosen
    .filter(isSkipped)
    .map(({ path, needs }) => ({ path, program: needs.find((name) => missing.has(name)) ?? '' }));
  const line = lastLine({ ...options, skippedFiles, skippedTests });
  if (options.isStrict && skippedFiles.length > 0) throw new Problem(`${line}; --strict allows none`);
  say(line);
}

/**
 * @param {string[]} files
 * @param {number} atOnce
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<import('./test/summary.mjs').Skipped[]>} the tests that skipped themselves
 */
async function runFiles(files, atOnce, env) {
  if (files.length === 0) return [];
  say(`running ${files.length} files of JavaScript tests`);
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-tests-'));
  const summary = join(folder, 'summary.json');
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${inProject('scripts/test/reporter.mjs')}`, `--test-reporter-destination=${summary}`],
  ];
  try {
    await run(NODE, ['--test', `--test-concurrency=${atOnce}`, ...reporters, ...files], { env });
    const { skipped, seconds } = JSON.parse(readFileSync(summary, 'utf8'));
    say(`seconds of ${atOnce} files at once: ${secondsOfFolders(seconds)}`);
    return skipped;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

command(import.meta, { usage: USAGE, main });
