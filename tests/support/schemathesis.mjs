/** The Schemathesis that makes requests of the API's description. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const INSTALLED = fileURLToPath(new URL('../../.tools/schemathesis/bin/schemathesis', import.meta.url));

/** @returns {string} its path: SCHEMATHESIS, or where scripts/setup.mjs puts it */
export function findSchemathesis() {
  const program = process.env.SCHEMATHESIS || INSTALLED;
  if (existsSync(program)) return program;
  throw new Error(`no Schemathesis at ${program}: node scripts/setup.mjs installs it`);
}
