/**
 * Builds the worker into build/: the browser's files, then the crate with them inside.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { command } from '../packages/edgeboard/command.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { keepCommit } from './build/commit.mjs';
import { forgetFingerprints, isBuildDue, takeFingerprint, takeFingerprints } from './build/fingerprint.mjs';
import { buildModule } from './build/module.mjs';
import { buildWeb } from './build/web.mjs';
import { inProject } from './project.mjs';
import { WASM_BINDGEN } from './setup/cargo-tools.mjs';
import { ensureRust } from './setup/rust.mjs';

const WEB = inProject('build/web');
const WASM = inProject('build/edgeboard_bg.wasm');
/** The first one is what the runtime calls. Others of src/edge are bound to the crate, which names them. */
const GLUE = ['index.js', 'counts.js', 'live.js', 'shortcuts.js', 'streams.js', 'watched.js'];

const USAGE = `
Usage: node scripts/build.mjs

Builds the worker into build/, when anything it is built from changed since the last time.
`;

export async function build() {
  if (!isBuildDue() && existsSync(WASM)) return keepCommit();
  if (!existsSync(WASM_BINDGEN)) throw new Problem('what builds the worker is missing: node scripts/setup.mjs installs it');
  await ensureRust();
  say('building the worker');
  const keepFingerprints = takeFingerprints();
  forgetFingerprints();
  await buildWeb(WEB);
  await buildModule({
    crate: inProject(),
    name: 'edgeboard',
    glue: GLUE.map((name) => inProject('src/edge', name)),
    folder: inProject('build'),
    env: { EDGEBOARD_BUILD: takeFingerprint(), EDGEBOARD_WEB_DIR: WEB },
  });
  keepCommit();
  keepFingerprints();
  say(`the worker is ${(gzipSync(readFileSync(WASM)).length / 1000).toFixed(1)} KB gzipped`);
}

/** wrangler runs this before it serves, also where only the configuration is judged. */
async function main() {
  if (!process.env.EDGEBOARD_AS_BUILT) await build();
}

command(import.meta, { usage: USAGE, main });
