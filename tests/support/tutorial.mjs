/**
 * Tutorials and the runbook as tests run them: from an empty folder, with the commands and files that the page shows, in their order.
 *
 * - The first `toml` block is the site, where the test has none.
 * - A block below a line that ends with `` `NAME`: `` is that file.
 * - A `sh` block is run; a `json` or `text` block after it is what it prints. `…` stands for anything.
 * - `<!-- clock: … -->` moves the clocks there, and `<!-- cron -->` is a scheduled run.
 * - A block below `<!-- not run: why -->` is left out.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

import { inProject, NODE } from '../../scripts/project.mjs';
import { startDeployment, WRITE_TOKEN } from './deployment.mjs';
import { varsOf } from './toml.mjs';

const ADMIN_TOKEN = 'a-token-for-admins';
const FORWARD_SECRET = 'a-secret-of-the-receiver';
const SITES_SECRET = 'a-secret-of-which-others-are-derived';
/** `npm run import` works in the project's folder, where a reader of the page is. */
const NPM = `npm() { [ "$1 $2" = "run import" ] || return 1; shift 2; [ "$1" = -- ] && shift; "${NODE}" "${inProject('scripts/import.mjs')}" "$@"; }`;

/**
 * @typedef {{ kind: 'clock', at: string } | { kind: 'cron' } | { kind: 'site', text: string } | { kind: 'file', name: string, text: string }
 *   | { kind: 'run', text: string, expected?: { language: string, text: string } }} Step
 *
 * @typedef {object} Place
 * @property {string} folder
 * @property {import('./deployment.mjs').Deployment} deployment
 */

/** What a tutorial has one do. @param {string} page below the project's folder @returns {Step[]} */
export function stepsOf(page) {
  const text = readFileSync(inProject(page), 'utf8');
  /** @type {Step[]} */
  const steps = [];
  for (const found of text.matchAll(/<!-- clock: (\S+) -->|<!-- (cron) -->|^```(\w+)\n(.*?)^```$/gms)) {
    const [, at, cron, language, block] = found;
    const last = steps.at(-1);
    const line = text.slice(0, found.index).trimEnd().split('\n').at(-1) ?? '';
    const [, name] = /`([\w./-]+)`:$/.exec(line) ?? [];
    if (at) steps.push({ kind: 'clock', at });
    else if (cron) steps.push({ kind: 'cron' });
    else if (/^<!-- not run: .* -->$/.test(line)) continue;
    else if (language === 'toml' && !steps.some(({ kind }) => kind === 'site')) steps.push({ kind: 'site', text: block });
    else if (name) steps.push({ kind: 'file', name, text: block });
    else if (language === 'sh') steps.push({ kind: 'run', text: block });
    else if (['json', 'text'].includes(language) && last?.kind === 'run' && !last.expected) last.expected = { language, text: block };
    else assert.fail(`${page}: a block of ${language} that is neither a file nor what a command prints: ${block}`);
  }
  return steps;
}

/**
 * The tests of a tutorial.
 *
 * @param {string} page below the project's folder
 * @param {object} [options]
 * @param {() => Promise<{ env: Record<string, string>, stop: () => Promise<unknown> }>} [options.start] what it needs beside: programs
 * @param {(text: string) => string} [options.adapt] the text of a file or of the site, with addresses of the test's own
 * @param {Record<string, any>} [options.sites] the sites of a page that has none
 * @param {boolean} [options.hasBucket] its worker has a bucket for the archive
 * @param {(place: Place) => Promise<unknown>} [options.prepare] what happened before its first step
 * @param {(place: Place) => void} [options.more] more tests, when its steps are done
 */
export function tutorial(
  page,
  { start = async () => ({ env: {}, stop: async () => undefined }), adapt = (text) => text, sites, hasBucket, prepare, more } = {},
) {
  const steps = stepsOf(page);
  describe(page, { concurrency: 1 }, () => {
    const place = /** @type {Place} */ ({ folder: mkdtempSync(join(tmpdir(), 'edgeboard-tutorial-')) });
    /** @type {Awaited<ReturnType<typeof start>>} */
    let beside;
    /** @type {import('node:child_process').ChildProcess[]} */
    const background = [];
    before(async () => {
      beside = await start();
      const site = steps.find((step) => step.kind === 'site');
      assert.ok(site ?? sites, 'it has a site');
      place.deployment = await startDeployment({
        transport: 'redis://',
        sites: sites ?? varsOf(adapt(site?.text ?? '')).SITES,
        vars: { ADMIN_TOKEN, FORWARD_SECRET, SITES_SECRET },
        hasDatabase: true,
        hasBucket,
        isAskedItself: false, // a reader has an address
      });
      await prepare?.(place);
    });
    after(async () => {
      for (const child of background) process.kill(-Number(child.pid), 'SIGKILL');
      await place.deployment?.stop();
      await beside?.stop();
      rmSync(place.folder, { recursive: true });
    });

    const run = (/** @type {string} */ text) =>
      spawn('bash', ['-euo', 'pipefail', '-c', `${NPM}\n${text}`], {
        cwd: place.folder,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ...beside.env,
          EDGEBOARD: place.deployment.worker.url,
          EDGEBOARD_URL: place.deployment.worker.url,
          SITE: 'demo',
          REDIS_URL: place.deployment.redis.url,
          WRITE_TOKEN,
          ADMIN_TOKEN,
          FORWARD_SECRET,
        },
      });

    for (const step of steps) {
      if (step.kind === 'clock') {
        test(`it is ${step.at}`, () => {
          for (const clock of [place.deployment.clock, place.deployment.edgeClock]) clock.set(Date.parse(step.at));
        });
      } else if (step.kind === 'cron') {
        test('the cron runs', async () => {
          await place.deployment.worker.scheduled();
        });
      } else if (step.kind === 'file') {
        test(`a file ${step.name}`, () => writeFileSync(join(place.folder, step.name), adapt(step.text)));
      } else if (step.kind === 'run') {
        test(step.text.split('\n')[0], async () => {
          const child = run(step.text);
          if (step.text.trimEnd().endsWith('&')) {
            background.push(child);
            return;
          }
          const ended = new Promise((resolve) => child.once('close', resolve));
          const [printed, errors, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
          assert.equal(code, 0, printed + errors);
          if (step.expected) checkPrinted(printed, step.expected);
        });
      }
    }
    more?.(place);
  });
}

/** @param {string} printed @param {{ language: string, text: string }} expected */
function checkPrinted(printed, { language, text }) {
  if (language === 'text') {
    const pattern = text
      .trim()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(printed.trim(), new RegExp(`^${pattern.join('.+')}$`, 's'));
    return;
  }
  const found = JSON.parse(printed);
  assert.deepEqual(found, filled(JSON.parse(text), found), printed);
}

/** What is expected, with what was found where that may be anything. @param {any} expected @param {any} found @returns {any} */
function filled(expected, found) {
  if (expected === '…' && found !== undefined) return found;
  if (typeof expected !== 'object' || expected === null) return expected;
  if (Array.isArray(expected)) return expected.map((each, i) => filled(each, found?.[i]));
  return Object.fromEntries(Object.entries(expected).map(([key, each]) => [key, filled(each, found?.[key])]));
}
