/**
 * What the package `edgeboard` has besides its own files: the built worker, the migrations, and what a version needs of a configuration,
 * as the repository's own has it.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readConfiguration } from '../../packages/edgeboard/configuration/read.mjs';
import { inProject } from '../project.mjs';

const BUILT = ['index.js', 'edgeboard_bg.wasm', 'commit.js'];
/** What users neither choose nor keep up to date. */
const NEEDS = ['compatibility_date', 'no_bundle', 'rules', 'triggers', 'durable_objects', 'migrations', 'ratelimits'];
export const WORKER = inProject('packages/edgeboard/worker');

/** Needs a build. @param {string} [folder] */
export function fillPackage(folder = WORKER) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of BUILT) cpSync(inProject('build', name), join(folder, name));
  cpSync(inProject('migrations'), join(folder, 'migrations'), { recursive: true });
  const { raw } = readConfiguration(inProject('wrangler.toml'));
  const needs = Object.fromEntries(NEEDS.map((key) => [key, raw[key]]));
  writeFileSync(join(folder, 'needs.json'), `${JSON.stringify(needs, null, 2)}\n`);
}
