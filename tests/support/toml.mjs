/**
 * The TOML blocks of the documentation, read as wrangler reads them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { unstable_readConfig as readConfig } from 'wrangler';

import { inProject } from '../../scripts/project.mjs';

/** The blocks of a document, in order. @param {string} path below the project's folder */
export function tomlBlocks(path) {
  const text = readFileSync(inProject(path), 'utf8');
  return [...text.matchAll(/^```toml\n(.*?)^```/gms)].map(([, toml]) => toml);
}

/** The variables that a block describes. @param {string} toml @returns {Record<string, any>} */
export function varsOf(toml) {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-toml-'));
  try {
    const config = join(folder, 'wrangler.toml');
    writeFileSync(config, `name = "edgeboard"\ncompatibility_date = "2026-11-17"\n${toml}`);
    return readConfig({ config }).vars;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
