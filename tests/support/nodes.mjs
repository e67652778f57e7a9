/** The Nodes that the packages are for, as far as they are here: this one, and another one on PATH. */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const MAJORS = ['20', '22'];

/** @type {{ major: string, program: string | undefined }[]} */
export const NODES = MAJORS.map((major) => ({ major, program: programOf(major) }));

/** @param {string} major @returns {string | undefined} its path */
function programOf(major) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const is = (/** @type {string} */ program) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${major}.`);
  return [process.execPath, ...folders.map((folder) => join(folder, 'node'))].find(is);
}
