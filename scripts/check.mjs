/**
 * `npm run check`: everything about the code that is known without running it, the quickest first. `npm run format` writes
 * the layout that it asks for.
 */
import { command } from '../packages/edgeboard/command.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { findCoinedNames } from './check/names.mjs';
import { inProject } from './project.mjs';
import { ensureLuacheck } from './setup/luacheck.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureRust } from './setup/rust.mjs';

const USAGE = `
Usage: npm run check
       npm run format

Checks the layout of the code and what linters and types say of it; format lays it out instead.

Environment:
  LUACHECK  the luacheck to use
`;

const BIOME = inProject('node_modules/.bin/biome');
const TSC = inProject('node_modules/.bin/tsc');

/** @param {string[]} args */
async function main(args) {
  await ensureRust();
  await ensurePackages();
  await (args.includes('--write') ? format() : check());
}

async function format() {
  const { formatLua } = await luaFormatter();
  await run('cargo', ['fmt', '--all']);
  await run(BIOME, ['format', '--write']);
  formatLua({ write: true });
  say('the code is laid out');
}

async function check() {
  const luacheck = await ensureLuacheck();

  say('checking the layout');
  await run('cargo', ['fmt', '--all', '--check']);
  const { formatLua } = await luaFormatter();
  const unformatted = formatLua({ write: false });
  if (unformatted.length > 0) throw new Problem(`not laid out, npm run format does it: ${unformatted.join(' ')}`);

  say('checking names');
  const coined = findCoinedNames();
  if (coined.length > 0) throw new Problem(coined.join('\n'));

  say('checking JavaScript');
  await run(BIOME, ['check', '--error-on-warnings']);
  await makeClientTypes();
  await run(TSC, ['--project', inProject('tsconfig.json')]);

  say('checking Lua');
  await run(luacheck, ['--quiet', 'lua']);

  say('checking Rust');
  await run('cargo', ['clippy', '--all-targets', '--', '-D', 'warnings']);
  await run('cargo', ['clippy', '--target', 'wasm32-unknown-unknown', '--', '-D', 'warnings']);

  say('all checks passed');
}

/** They are made, and what imports them is checked with them. */
async function makeClientTypes() {
  const { makeTypes } = await import('./client/types.mjs');
  makeTypes();
}

/** It needs the npm packages, so it is loaded when they are there. */
function luaFormatter() {
  return import('./check/lua-format.mjs');
}

command(import.meta, { usage: USAGE, main });
