/**
 * The linter for Lua: LUACHECK, on PATH, or from the system's package manager.
 */
import { findProgram, isExecutable } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { installFromSystem } from '../../packages/edgeboard/setup/system-packages.mjs';

const PACKAGES = { 'apt-get': ['lua-check'], apk: ['luacheck'], brew: ['luacheck'] };

/** @returns {Promise<string>} its path */
export async function ensureLuacheck() {
  const named = process.env.LUACHECK;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Problem(`LUACHECK is ${named}, which is not a program`);
  }
  const found = findProgram('luacheck');
  if (found) return found;
  await installFromSystem('luacheck', PACKAGES);
  const installed = findProgram('luacheck');
  if (installed) return installed;
  throw new Problem('the checks need luacheck: install it (Debian: lua-check) or set LUACHECK to its path');
}
