/**
 * Schemathesis, which tries an API out by its description: SCHEMATHESIS, or the version of PyPI that schemathesis.txt pins, in a
 * virtual environment below .tools.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ask, findProgram, run } from '../../packages/edgeboard/processes.mjs';
import { say } from '../../packages/edgeboard/report.mjs';
import { ensureProgram, locate } from '../../packages/edgeboard/setup/programs.mjs';
import { inProject } from '../project.mjs';

const FOLDER = inProject('.tools/schemathesis');
const INSTALLED = join(FOLDER, 'bin/schemathesis');
/** What was installed, and where: the programs of a virtual environment do not run elsewhere. */
const STAMP = join(FOLDER, 'installed.txt');
/** `uv pip compile --universal --generate-hashes --no-annotate --no-header --python-version 3.11` makes it of `schemathesis==…`. */
const REQUIREMENTS = inProject('scripts/setup/schemathesis.txt');
const LOCATED = { variable: 'SCHEMATHESIS', find };

/** Fails before Python 3.11, and on Debian without its package of virtual environments. */
const IS_ENOUGH = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';
/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const PYTHON = {
  name: 'Python',
  packages: { 'apt-get': ['python3-venv'], dnf: ['python3'], apk: ['python3'], brew: ['python3'] },
  find() {
    const python = findProgram('python3');
    return python && ask(python, ['-c', IS_ENOUGH]) !== undefined ? python : undefined;
  },
  missing: 'the tests need Python 3.11 or newer with its venv (Debian: python3-venv), or SCHEMATHESIS as the path of the program',
};

/** Its path, if it is there. */
export const locateSchemathesis = () => locate(LOCATED);

/** @returns {Promise<string>} its path */
export async function ensureSchemathesis() {
  const found = locateSchemathesis();
  if (found) return found;
  const python = await ensureProgram(PYTHON);
  say('installing Schemathesis below .tools');
  rmSync(FOLDER, { recursive: true, force: true });
  await run(python, ['-m', 'venv', FOLDER], { quiet: true });
  const install = ['-m', 'pip', 'install', '--disable-pip-version-check', '--require-hashes', '--requirement', REQUIREMENTS];
  await run(join(FOLDER, 'bin/python'), install, { quiet: true });
  writeFileSync(STAMP, stamp());
  return INSTALLED;
}

function find() {
  const isInstalled = statSync(STAMP, { throwIfNoEntry: false }) && readFileSync(STAMP, 'utf8') === stamp();
  return isInstalled ? INSTALLED : undefined;
}

const stamp = () => `${FOLDER}\n${readFileSync(REQUIREMENTS, 'utf8')}`;
