/** The worker that the program asks, in whichever runtime, and what it is answered. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { inProject } from '../../../scripts/project.mjs';
import { startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

const ACTOR_SECRET = 'a-secret-of-the-site';
const SITE = {
  actions: { view: {}, like: { reversible: true, signed: true } },
  boards: { articles: { weights: { view: 1 }, windows: ['all'] } },
  bots: 'count', // which is what fetch's own user agent is
};
const EXPECTED = {
  sent: { accepted: 250, duplicate: 0, rejected: [], queued: false },
  again: { accepted: 0, duplicate: 250, rejected: [], queued: false },
  lost: { accepted: 0, duplicate: 1, tries: true, score: 1 },
  tracked: 1,
  total: 252,
  beacon: true,
  mine: ['/liked'],
  problem: [404, 'unknown-window'],
  live: '/live',
  webhook: [{ site: 'demo' }, null],
};
const CLI = inProject('tests/client/runtimes/cli.mjs');

/** @param {import('node:test').TestContext} t @param {(given: import('./program.mjs').Given) => Promise<unknown>} run */
export async function check(t, run) {
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE },
    vars: { ACTOR_SECRET },
    isAskedItself: false, // past Miniflare's own worker, which tells the worker of nobody's address
  });
  t.after(deployment.stop);
  assert.deepEqual(await run({ url: deployment.worker.url, token: WRITE_TOKEN, actorSecret: ACTOR_SECRET }), EXPECTED);
}

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
export const asProcess =
  (program, args = [], env = process.env) =>
  async (/** @type {import('./program.mjs').Given} */ given) => {
    const { stdout } = await promisify(execFile)(program, [...args, CLI, JSON.stringify(given)], { env, timeout: 60_000 });
    return JSON.parse(stdout);
  };
