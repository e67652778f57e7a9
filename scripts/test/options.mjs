/**
 * The arguments of `npm test`.
 */
import { parseArgs } from 'node:util';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { RINGS } from './rings.mjs';

/** What can run over a cluster. */
const OVER_CLUSTER = ['lua', 'worker'];

export const USAGE = `
Usage: npm test [-- WORD...] [-- --engines | --all] [-- --cluster] [-- --strict]

Installs what is missing and runs the tests, those of the host first.

Words:
  a ring's name      only the tests of that ring, or of several:
                     ${RINGS.map(({ name }) => name).join(', ')}
  any other word     only Rust tests whose name contains it, and JavaScript files whose path does. Of several words one is
                     enough. Whatever has the word runs in full, as with --all
  For example \`npm test -- lua top\`, \`npm test -- browser\`, \`npm test -- ranks undo\`.

Options:
  --engines  what npm test leaves out: the same tests over REST, by objects and by a queue, and with the other archives; four
             of five rows of long tables; long random histories; some tests of the scripts over REST, over a server whose
             functions keep nothing, and over Valkey, where it is found; jobs that are killed at each of their steps; the fuzzer of
             the description; packages and commands that run as processes; a hundredth of each proof; every benchmark at its smallest
  --all      both; the default where CI is set
  --cluster  only tests of the worker and of the scripts (lua), with a cluster in place of one Redis: three masters and
             three replicas. scripts/test/cluster.mjs and tests/lua/skipped.rs name what a cluster cannot run, with the reasons
  --strict   exit 1 when tests were skipped because a program is missing; the default where CI is set
  --help

Tests that need nginx, wrk, Chromium or Schemathesis are skipped where it is missing and nobody lets it be installed. It is asked
once, before anything runs. The last line counts and names what was skipped.

Environment:
  EDGEBOARD_INSTALL  1: install with the system's package manager without asking; 0: never
  REDIS_SERVER       the redis-server the tests start
  VALKEY_SERVER      the valkey-server that --engines starts; else the one on PATH, if there is one
  EDGEBOARD_TEST_CLUSTER  1: a file, or a target of cargo, that is run by itself runs over a cluster, as with --cluster
  CHROMIUM           the Chromium the browser tests start
  SCHEMATHESIS       the Schemathesis that tries the API out
  NGINX              the nginx that is put before the worker
  EDGEBOARD_CONFIG   the wrangler configuration file to check, beside wrangler.toml
`;

/**
 * @typedef {'quick' | 'engines' | 'all'} Part of the tests, as tests/support/part.mjs has it
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ rings: string[], words: string[], part: Part, isOverCluster: boolean, isStrict: boolean }} `rings`: all, if none was named
 */
export function readOptions(args, env) {
  const { positionals, values } = parse(args);
  if (values.engines && values.all) throw new Problem('--engines is a part of --all: give one of them');
  const isCi = Boolean(env.CI && env.CI !== 'false');
  const isOverCluster = values.cluster ?? false;
  const isRing = (/** @type {string} */ word) => RINGS.some(({ name }) => name === word);
  const named = positionals.filter(isRing);
  const words = positionals.filter((word) => !isRing(word));
  const others = named.filter((name) => !OVER_CLUSTER.includes(name));
  if (isOverCluster && others.length > 0)
    throw new Problem(`--cluster is for tests of the rings ${OVER_CLUSTER.join(' and ')}, and not of ${others.join(', ')}`);
  const rings = isOverCluster ? OVER_CLUSTER : RINGS.map(({ name }) => name);
  const isAll = values.all || words.length > 0 || isCi;
  return {
    rings: named.length > 0 ? named : rings,
    words,
    isOverCluster,
    part: values.engines ? 'engines' : isAll ? 'all' : 'quick',
    isStrict: values.strict ?? isCi,
  };
}

/** @param {string[]} args */
function parse(args) {
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const options = { engines: flag, all: flag, cluster: flag, strict: flag };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new Problem(`${error.message}\n${USAGE.trimEnd()}`);
  }
}
