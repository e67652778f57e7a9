/**
 * What the documentation says of the configuration holds: its examples are accepted, and it names every option there is.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { tomlBlocks, varsOf } from '../support/toml.mjs';
import { startWorker } from '../support/worker.mjs';

const REDIS_URL = 'redis://127.0.0.1:1';
const PAGES = ['docs/configuration.md', ...readdirSync(inProject('docs/configuration')).map((name) => `docs/configuration/${name}`)];
const BOARD = { weights: { view: 1 }, windows: ['day'] };
const SITE = { actions: { view: {} }, boards: { articles: BOARD } };

describe('examples of whole sites', () => {
  for (const path of ['README.md', PAGES[0]]) {
    test(path, async (t) => {
      const examples = tomlBlocks(path)
        .filter((toml) => /^\[vars\.SITES\.demo\.boards/m.test(toml))
        .map(varsOf);
      assert.ok(examples.length > 0, 'there is one');
      for (const vars of examples) assert.equal(await refusal(t, vars), undefined);
    });
  }
});

describe('the pages of the configuration name every option', () => {
  const text = PAGES.map((page) => readFileSync(inProject(page), 'utf8')).join('\n');

  /** @type {[of: string, site: object][]} */
  const cases = [
    ['a site', { ...SITE, zzz: 1 }],
    ['an action', { ...SITE, actions: { view: { zzz: 1 } } }],
    ['a board', { ...SITE, boards: { articles: { ...BOARD, zzz: 1 } } }],
    ['a window', { ...SITE, boards: { articles: { ...BOARD, windows: [{ zzz: 1 }] } } }],
  ];
  for (const [of, site] of cases) {
    test(of, async (t) => {
      const [, keys] = /allowed: the keys ([^;]*)/.exec((await refusal(t, { SITES: { demo: site } })) ?? '') ?? [];
      const options = keys?.split(', ') ?? [];
      assert.ok(options.length > 1, keys);
      assert.deepEqual(
        options.filter((option) => !new RegExp(`\`${option}\`|\\b${option} = `).test(text)),
        [],
      );
    });
  }
});

/**
 * What a worker with these variables says of its configuration; `undefined` when it takes it.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, any>} vars
 * @returns {Promise<string | undefined>}
 */
async function refusal(t, vars) {
  const worker = await startWorker({ vars: { ...vars, REDIS_URL, WRITE_TOKEN: 'token' } });
  t.after(worker.stop);
  const response = await worker.fetch('/healthz');
  const { detail } = /** @type {{ detail?: string }} */ (await response.json());
  return detail;
}
