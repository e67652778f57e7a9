/**
 * docs/games.md tells the truth: its commands are run in their order, by curl, and its answers are what comes back.
 *
 * `<!-- clock: … -->` moves the clocks there; `…` in an answer stands for anything.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { inProject } from '../../../scripts/project.mjs';
import { RESP, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';
import { tomlBlocks, varsOf } from '../../support/toml.mjs';

const PAGE = 'docs/games.md';
const ADMIN_TOKEN = 'a-token-for-admins';
const run = promisify(execFile);

/** The clocks, commands and answers of the page, in their order. */
const PARTS = [...readFileSync(inProject(PAGE), 'utf8').matchAll(/<!-- clock: (\S+) -->|^```(sh|json)\n(.*?)^```/gms)];

for (const transport of RESP) {
  describe(`docs/games.md over ${transport}`, () => {
    /** @type {import('../../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({ transport, sites: varsOf(tomlBlocks(PAGE)[0]).SITES, vars: { ADMIN_TOKEN } });
    });
    after(() => deployment?.stop());

    let printed = '';
    for (const [, clock, kind, text] of PARTS) {
      if (clock) {
        test(`it is ${clock}`, () => {
          for (const each of [deployment.clock, deployment.edgeClock]) each.set(Date.parse(clock));
        });
      } else if (kind === 'sh') {
        test(/** @type {string} */ (text.split('\n')[0]), async () => {
          assert.equal(printed, '', 'every command has its answer');
          const env = { ...process.env, EDGEBOARD: deployment.worker.url, WRITE_TOKEN, ADMIN_TOKEN };
          printed = (await run('bash', ['-c', text], { env })).stdout;
          assert.notEqual(printed, '');
        });
      } else {
        test('is answered so', () => {
          const found = JSON.parse(printed);
          printed = '';
          assert.deepEqual(found, filled(JSON.parse(text), found));
        });
      }
    }
  });
}

/** What is expected, with what was found where that may be anything. @param {any} expected @param {any} found @returns {any} */
function filled(expected, found) {
  if (expected === '…' && found !== undefined) return found;
  if (typeof expected !== 'object' || expected === null) return expected;
  if (Array.isArray(expected)) return expected.map((each, i) => filled(each, found?.[i]));
  return Object.fromEntries(Object.entries(expected).map(([key, each]) => [key, filled(each, found?.[key])]));
}
