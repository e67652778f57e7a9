/**
 * docs/client.md and the pages below it tell the truth: their programs are run in their order, and print what the pages say.
 *
 * Each is a module of its own in a folder where the package is installed; those that make no client get that of the page's first one, or of the page before.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { build } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';

import { inProject } from '../../scripts/project.mjs';
import { createClock } from '../support/clock.mjs';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { tomlBlocks, varsOf } from '../support/toml.mjs';

const PAGES = ['docs/client.md', 'docs/client/server.md', 'docs/client/admin.md'];
const ADMIN_TOKEN = 'a-token-for-admins';
const NOON = '2026-11-20T12:00:00Z';
const run = promisify(execFile);
/** @type {{ language: string, text: string, head: string }[]} */
const BLOCKS = [];
for (const page of PAGES) {
  const blocks = Array.from(readFileSync(inProject(page), 'utf8').matchAll(/^```(js|json)\n(.*?)^```/gms), ([, language, text]) => ({
    language,
    text,
  }));
  const head = /^import \{ create.*?create\w+\(.*?\n/s.exec(blocks[0].text)?.[0] ?? BLOCKS[0].head;
  BLOCKS.push(...blocks.map((block) => ({ ...block, head })));
}

describe(PAGES.join(', '), () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-client-page-'));
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    mkdirSync(join(folder, 'node_modules/@edgeboard'), { recursive: true });
    symlinkSync(inProject('packages/client'), join(folder, 'node_modules/@edgeboard/client'));
    const clocks = { clock: createClock(), edgeClock: createClock() };
    for (const clock of Object.values(clocks)) clock.set(NOON);
    const vars = { ADMIN_TOKEN, ACTOR_SECRET: 'a-secret-of-the-site', SITES_SECRET: 'a-secret-of-which-others-are-derived' };
    const { SITES } = varsOf(tomlBlocks(PAGES[0])[0]);
    SITES.demo.bots = 'count'; // which is what fetch's own user agent is
    deployment = await startDeployment({ transport: 'redis://', sites: SITES, vars, isAskedItself: false, ...clocks });
  });
  after(async () => {
    await deployment?.stop();
    rmSync(folder, { recursive: true });
  });

  /** @param {string} text @param {string} name */
  function written(text, name) {
    const file = join(folder, name);
    writeFileSync(file, text.replaceAll('https://YOUR-WORKER', deployment.worker.url));
    return file;
  }

  const programs = BLOCKS.filter(({ language, text }) => language === 'js' && !text.includes('export default'));
  for (const [n, program] of programs.entries()) {
    const at = BLOCKS.indexOf(program);
    const next = BLOCKS.findIndex(({ language }, i) => i > at && language !== 'json');
    const answers = BLOCKS.slice(at + 1, next < 0 ? undefined : next);
    test(/** @type {string} */ (program.text.trim().split('\n').at(-1)), async () => {
      assert.ok(answers.length > 0, 'it prints something');
      const { head } = program;
      const makesClient = program.text.startsWith(head) ? '' : head;
      const file = written(
        `console.log = (it) => process.stdout.write(JSON.stringify(it) + '\\n');\n${makesClient}${program.text}`,
        `${n}.mjs`,
      );
      const { stdout } = await run(process.execPath, [file], { env: { ...process.env, WRITE_TOKEN, ADMIN_TOKEN }, timeout: 30_000 });
      assert.deepEqual(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        answers.map(({ text }) => JSON.parse(text)),
      );
    });
  }

  test('the relay checks results, and sends each once, as a Worker', async (t) => {
    const { text } = BLOCKS.find((block) => block.text.includes('export default')) ?? assert.fail('no relay');
    const { outputFiles } = await build({ entryPoints: [written(text, 'relay.mjs')], bundle: true, format: 'esm', write: false });
    const options = { modules: true, script: outputFiles[0].text, compatibilityDate: '2026-11-01', bindings: { WRITE_TOKEN } };
    const relay = new Miniflare(convertV4MiniflareOptions(options));
    t.after(() => relay.dispose());
    /** @param {object} result */
    const asked = (result) => relay.dispatchFetch('https://relay.example', { method: 'POST', body: JSON.stringify(result) });
    const result = { race: 'race-7', player: 'cyd', seconds: 81 };
    const { members } = /** @type {any} */ (await (await asked(result)).json());
    assert.deepEqual(members, [{ id: 'cyd', before: null, after: { rank: 2, score: 81 } }]);
    assert.equal((await asked(result)).status, 200);
    assert.equal((await asked({ ...result, seconds: 5 })).status, 422);
    assert.equal((await asked({ race: 'race-8', player: '', seconds: 90 })).status, 422);
  });
});
