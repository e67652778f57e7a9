/**
 * `npm run release`: packs what npm publishes.
 *
 * 1. All packages have one version, that of the worker, which the changelog and the tag name.
 * 2. The worker builds; licenses of what is bundled are collected.
 * 3. Each folder of packages/ that is not private is packed into packages/dist/.
 * 4. What is packed starts, from tarballs in an empty folder.
 * 5. SHA256SUMS has the digests.
 * 6. The packages are published with provenance, which only a workflow of GitHub can state. Not with --dry-run. Those that npm has
 *    already are left, so a release that stopped is gone on with.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { command } from '../packages/edgeboard/command.mjs';
import { ask, run } from '../packages/edgeboard/processes.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { build } from './build.mjs';
import { inProject } from './project.mjs';
import { fillPackage, WORKER } from './release/fill.mjs';
import { collectLicenses, licensesOfRust, ownLicenses } from './release/licenses.mjs';
import { packagesToPublish, requireOneVersion } from './release/packages.mjs';
import { requireStarts } from './release/starts.mjs';
import { setup } from './setup.mjs';

const DIST = inProject('packages/dist');

const USAGE = `
Usage: npm run release [-- --dry-run]

Builds and packs the npm packages into packages/dist, with SHA256SUMS, and checks that what is packed starts. Then it publishes them with
provenance, in a workflow of GitHub.

  --dry-run  everything but publishing
`;

/** @param {string[]} args */
async function main(args) {
  const isDry = args[0] === '--dry-run';
  if (args.length > Number(isDry)) throw new Problem(`${args[Number(isDry)]} is not allowed; allowed: --dry-run`, { exitCode: 2 });
  if (!isDry && !process.env.GITHUB_ACTIONS) throw new Problem('only a workflow of GitHub publishes; here: npm run release -- --dry-run');
  const packages = packagesToPublish();
  requireOneVersion(packages, { isReleased: !isDry, tag: process.env.GITHUB_REF_NAME });
  await setup();
  await build();
  say('filling the packages');
  fillPackage();
  writeFileSync(join(WORKER, 'LICENSES.txt'), collectLicenses());
  copyFileSync(licensesOfRust(), join(WORKER, 'LICENSES-rust.html'));
  for (const { folder } of packages) ownLicenses(folder);

  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  /** @type {Map<string, string>} */
  const tarballs = new Map();
  for (const { folder, name, version } of packages) {
    say(`packing ${name}`);
    await run('npm', ['pack', '--pack-destination', DIST], { folder, quiet: true });
    tarballs.set(name, join(DIST, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`));
  }
  say('starting what is packed');
  await requireStarts(tarballs);
  const paths = [...tarballs.values()];
  const lines = paths.map((path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`);
  writeFileSync(join(DIST, 'SHA256SUMS'), lines.join(''));
  console.log(lines.join('').trimEnd());
  if (isDry) return say('packages/dist has what would be published');
  for (const { name, version } of packages) {
    const isThere = ask('npm', ['view', `${name}@${version}`, 'version']) === version;
    if (isThere) say(`npm has ${name} ${version} already`);
    else await run('npm', ['publish', '--provenance', '--access', 'public', String(tarballs.get(name))]);
  }
}

command(import.meta, { usage: USAGE, main });
