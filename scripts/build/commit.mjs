/**
 * The commit that a worker is built of, for `/healthz` and the log. It is a module of its own beside the built ones, so that another
 * commit of the same files needs no other build.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { ask } from '../../packages/edgeboard/processes.mjs';
import { inProject } from '../project.mjs';

const WRITTEN = inProject('build/commit.js');
/** What says it where there is no repository: a deployment's own word, then those of builds on Cloudflare and GitHub. */
const VARIABLES = ['EDGEBOARD_COMMIT', 'WORKERS_CI_COMMIT_SHA', 'GITHUB_SHA'];

/**
 * The commit, with `-changed` where files differ from it; `unknown` where nothing says it.
 *
 * @param {Record<string, string | undefined>} [env]
 * @param {(args: string[]) => string | undefined} [git] what it prints, or undefined where it fails
 */
export function findCommit(env = process.env, git = (args) => ask('git', args)) {
  const given = VARIABLES.map((name) => env[name]).find((text) => /^[\w.-]{1,64}$/.test(text ?? ''));
  if (given) return given;
  const commit = git(['rev-parse', '--short=12', 'HEAD'])?.trim();
  if (!/^[0-9a-f]{12,}$/.test(commit ?? '')) return 'unknown';
  return git(['status', '--porcelain', '--untracked-files=no'])?.trim() ? `${commit}-changed` : commit;
}

/** Writes it beside the built modules, where it is another one. */
export function keepCommit() {
  const text = `export const COMMIT = ${JSON.stringify(findCommit())};\n`;
  if (existsSync(WRITTEN) && readFileSync(WRITTEN, 'utf8') === text) return;
  mkdirSync(dirname(WRITTEN), { recursive: true });
  writeFileSync(WRITTEN, text);
}
