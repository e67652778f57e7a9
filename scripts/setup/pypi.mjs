/**
 * Programs of PyPI, each in a virtual environment of its own below .tools, with the versions and digests that a file pins.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ask, findProgram, run } from '../../packages/edgeboard/processes.mjs';
import { say } from '../../packages/edgeboard/report.mjs';
import { ensureProgram } from '../../packages/edgeboard/setup/programs.mjs';
import { inProject } from '../project.mjs';

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

/**
 * A program that `scripts/setup/NAME.txt` pins. `uv pip compile --universal --generate-hashes --no-annotate --no-header --python-version
 * 3.11` makes the file of `NAME==…`.
 *
 * @param {{ name: string, says: string }} program `says`: what it is called in messages
 */
export function ofPypi({ name, says }) {
  const folder = inProject('.tools', name);
  const requirements = inProject(`scripts/setup/${name}.txt`);
  const installed = join(folder, 'bin', name);
  /** What was installed, and where: the programs of a virtual environment do not run elsewhere. */
  const stamp = join(folder, 'installed.txt');
  const due = () => `${folder}\n${readFileSync(requirements, 'utf8')}`;
  return {
    /** Its path, if it is there. */
    find() {
      return statSync(stamp, { throwIfNoEntry: false }) && readFileSync(stamp, 'utf8') === due() ? installed : undefined;
    },
    /** @returns {Promise<string>} its path */
    async install() {
      const python = await ensureProgram(PYTHON);
      say(`installing ${says} below .tools`);
      rmSync(folder, { recursive: true, force: true });
      await run(python, ['-m', 'venv', folder], { quiet: true });
      const install = ['-m', 'pip', 'install', '--disable-pip-version-check', '--require-hashes', '--requirement', requirements];
      await run(join(folder, 'bin/python'), install, { quiet: true });
      writeFileSync(stamp, due());
      return installed;
    },
  };
}
