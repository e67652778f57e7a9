/** Which tests `npm test` runs, and what it says of those that it does not. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { enginesOf, TESTS } from '../../scripts/test/engines.mjs';
import { readOptions } from '../../scripts/test/options.mjs';
import { cargoArgumentsOf, filesOf, programsOf, RINGS, testFiles } from '../../scripts/test/rings.mjs';
import { BEGINNINGS } from '../../scripts/test/cluster.mjs';
import { lastLine, secondsOfFolders } from '../../scripts/test/summary.mjs';

/** @param {string} line @param {NodeJS.ProcessEnv} [env] */
const optionsOf = (line, env = {}) => readOptions(line.split(' ').filter(Boolean), env);
/** @param {string} line */
const chosenBy = (line) => filesOf(optionsOf(line));

test('every test is in a ring', () => {
  const folders = RINGS.flatMap(({ folder }) => folder ?? []);
  assert.deepEqual(
    testFiles().filter((path) => folders.filter((folder) => path.startsWith(folder)).length !== 1),
    [],
  );
  const entries = readdirSync(inProject('tests'), { withFileTypes: true });
  const targets = entries.flatMap((entry) => {
    if (entry.isDirectory()) return existsSync(inProject('tests', entry.name, 'main.rs')) ? [entry.name] : [];
    return entry.name.endsWith('.rs') ? [entry.name.slice(0, -'.rs'.length)] : [];
  });
  const known = RINGS.flatMap(({ cargo }) => cargo?.slice(1) ?? []);
  assert.deepEqual(known.sort(), targets.sort());
});

test('what npm test leaves out is run by --engines, and --all runs both', () => {
  const [quick, engines, all] = ['', '--engines', '--all'].map(chosenBy);
  assert.deepEqual(all, testFiles());
  assert.deepEqual([...new Set([...quick, ...engines])].sort(), all);
  assert.ok(engines.length < quick.length, `${engines.length} of ${all.length}`);
  assert.ok(engines.includes('tests/worker/prove/soak.test.mjs') && !quick.includes('tests/worker/prove/soak.test.mjs'));
  assert.ok(engines.includes('tests/worker/reads.test.mjs') && quick.includes('tests/worker/reads.test.mjs'));
  assert.ok(!engines.includes('tests/worker/archive/bombs.test.mjs'));
});

test('--cluster runs the scripts, and files of the worker that a cluster can run', () => {
  const chosen = chosenBy('--cluster');
  assert.ok(chosen.length > 60 && chosen.every((path) => path.startsWith('tests/worker/')), `${chosen.length} files`);
  assert.ok(chosen.includes('tests/worker/items/remembered.test.mjs') && !chosen.includes('tests/worker/ties.test.mjs'));
  assert.deepEqual(chosenBy('--cluster connections. removal.'), ['tests/worker/removal.test.mjs']);
  assert.deepEqual(cargoArgumentsOf(optionsOf('--cluster')), ['--test', 'lua']);
  assert.deepEqual(chosenBy('lua --cluster'), []);
  assert.equal(cargoArgumentsOf(optionsOf('worker --cluster')), undefined);
  assert.throws(() => optionsOf('--cluster http'), /and not of http/);
  const worker = testFiles().filter((path) => path.startsWith('tests/worker/'));
  for (const begins of BEGINNINGS)
    assert.ok(
      worker.some((path) => path.startsWith(begins)),
      `no file begins with ${begins}`,
    );
});

test('--engines runs some tests of the scripts by other ways and on other engines', () => {
  const over = (/** @type {string} */ line) => enginesOf(optionsOf(line)).map(({ env }) => Object.keys(env).join());
  assert.deepEqual(over('--engines').slice(0, 2), ['EDGEBOARD_NODE', 'EDGEBOARD_NODE,EDGEBOARD_FORGETS']);
  assert.deepEqual(over('lua --all'), over('--engines'));
  for (const line of ['', 'lua', 'worker --engines', '--cluster --engines', 'top --engines']) assert.deepEqual(over(line), [], line);
  for (const path of TESTS) {
    const [name, ...modules] = path.split('::').reverse();
    const files = modules.reverse().join('/');
    const found = [`${files}.rs`, `${files}/mod.rs`].map((file) => inProject('tests/lua', file)).find((file) => existsSync(file));
    assert.ok(found && readFileSync(found, 'utf8').includes(`fn ${name}()`), path);
  }
});

test('words name rings, and parts of names', () => {
  assert.deepEqual(cargoArgumentsOf(optionsOf('lua top ranks')), ['--test', 'lua', '--', '--include-ignored', 'top', 'ranks']);
  assert.deepEqual(cargoArgumentsOf(optionsOf('lua http')), ['--test', 'http', '--test', 'lua']);
  assert.equal(cargoArgumentsOf(optionsOf('worker docs')), undefined);
  assert.deepEqual(chosenBy('lua top'), []);
  assert.deepEqual(chosenBy('docs worker prose nginx'), ['tests/docs/prose.test.mjs', 'tests/worker/nginx.test.mjs']);
  assert.deepEqual(chosenBy('worker prove/days'), ['tests/worker/prove/days.test.mjs'], 'a word runs in full');
});

test('in CI everything runs, and nothing may be missing', () => {
  const { part, isStrict } = optionsOf('', { CI: 'true' });
  assert.deepEqual([part, isStrict], ['all', true]);
  assert.deepEqual([optionsOf('').part, optionsOf('').isStrict], ['quick', false]);
  assert.deepEqual([optionsOf('--engines', { CI: 'true' }).part, optionsOf('--all --strict').isStrict], ['engines', true]);
  assert.throws(() => optionsOf('--engines --all'), /give one of them/);
  assert.throws(() => optionsOf('--fast'), /Unknown option '--fast'/);
});

test('the programs that a file needs are those of the modules that it imports', () => {
  for (const [path, ...programs] of [
    ['tests/worker/nginx.test.mjs', 'nginx'],
    ['tests/browser/flow.test.mjs', 'Chromium'],
    ['tests/browser/admin.test.mjs', 'Chromium'],
    ['tests/browser/size.test.mjs'],
    ['tests/worker/openapi-requests.test.mjs', 'Schemathesis'],
    ['tests/worker/openapi.test.mjs'],
    ['tests/bench/load.test.mjs', 'wrk'],
    ['tests/bench/viewers.test.mjs', 'Chromium'],
    ['tests/worker/reads.test.mjs'],
  ]) {
    assert.deepEqual(programsOf(path), programs, path);
  }
});

test('the last line counts and names what was skipped', () => {
  const options = { words: [], part: /** @type {const} */ ('quick') };
  assert.equal(lastLine({ ...options, skippedFiles: [], skippedTests: [] }), 'the tests passed; skipped none');
  const skippedFiles = [
    { path: 'tests/browser/flow.test.mjs', program: 'Chromium' },
    { path: 'tests/worker/nginx.test.mjs', program: 'nginx' },
    { path: 'tests/browser/admin.test.mjs', program: 'Chromium' },
  ];
  assert.equal(
    lastLine({ ...options, skippedFiles, skippedTests: [{ name: 'Go', why: 'go is not installed' }] }),
    'the tests passed; skipped 2 files without Chromium (browser/flow, browser/admin), 1 file without nginx (worker/nginx), ' +
      '1 test (Go: go is not installed)',
  );
});

test('seconds are told by ring', () => {
  const seconds = { '/p/tests/worker/a.test.mjs': 2.4, '/p/tests/worker/b/c.test.mjs': 3.3, '/p/tests/docs/d.test.mjs': 1 };
  assert.equal(secondsOfFolders(seconds), 'docs 1, worker 6');
});
