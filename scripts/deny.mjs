/**
 * `npm run deny`: which crates may be used, by deny.toml: their licenses, where they come from, and no two versions of one.
 */
import { command } from '../packages/edgeboard/command.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { CARGO_DENY, ensureCargoDeny } from './setup/cargo-tools.mjs';
import { ensureRust } from './setup/rust.mjs';

const USAGE = `
Usage: npm run deny

Checks the crates that edgeboard is built of against deny.toml. Known vulnerabilities are looked for when their list can be
reached: npm run deny -- advisories

Environment:
  EDGEBOARD_UNLOCKED  1: build tools from other versions than those that are locked, when these cannot be had
`;

/** What needs no network but the registry. */
const CHECKS = ['bans', 'licenses', 'sources'];

/** @param {string[]} args more checks */
async function main(args) {
  await ensureRust();
  await ensureCargoDeny();
  await run(CARGO_DENY, ['check', ...CHECKS, ...args]);
}

command(import.meta, { usage: USAGE, main });
