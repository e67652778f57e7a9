#!/usr/bin/env node
/**
 * `edgeboard COMMAND`: what each does stands in commands/.
 */
import { version } from '../about.mjs';
import { command } from '../command.mjs';
import { boards } from '../commands/boards.mjs';
import { check } from '../commands/check.mjs';
import { deploy } from '../commands/deploy.mjs';
import { dev } from '../commands/dev.mjs';
import { doctor } from '../commands/doctor.mjs';
import { secrets } from '../commands/secrets.mjs';
import { sites } from '../commands/sites.mjs';
import { importAsProcess } from '../import/process.mjs';
import { Problem } from '../report.mjs';
import { requireNode } from '../setup/node.mjs';

/** @type {Record<string, { about: string, usage: string, main: (args: string[]) => Promise<void> }>} */
const COMMANDS = { dev, check, deploy, secrets, doctor, boards, sites };
/** It ends by itself when it is interrupted, with a summary. */
const IMPORT = 'import';

const USAGE = `
Usage: npx edgeboard COMMAND [OPTION…]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`)
  .join('\n')}
  ${IMPORT.padEnd(8)} sends a web server's access log as events

npx edgeboard COMMAND --help says more, npx edgeboard --version which version this is. All work on the wrangler.toml of the folder that they
are started in.
`;

/** @param {string[]} args */
async function main([name, ...args]) {
  if (name === '--version') return console.log(version);
  requireNode();
  const named = COMMANDS[name];
  if (named) return named.main(args);
  const allowed = [...Object.keys(COMMANDS), IMPORT].join(', ');
  throw new Problem(`${name ?? 'no command'} is not allowed; allowed: ${allowed}`, { exitCode: 2 });
}

if (process.argv[2] === IMPORT) await importAsProcess(process.argv.slice(3), { call: 'npx edgeboard import' });
else command(import.meta, { usage: ([name]) => COMMANDS[name]?.usage ?? USAGE, main });
