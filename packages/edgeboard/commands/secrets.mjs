/**
 * `edgeboard secrets`: which secrets there are, and where. Values are not printed.
 */
import { prepare, writeMerged } from '../configuration/prepare.mjs';
import { askHidden } from '../deploy/ask.mjs';
import { fileOf, keepSecrets, MADE, namesAtCloudflare, readSecrets, requireUsable } from '../deploy/secrets.mjs';
import { askWrangler } from '../deploy/wrangler.mjs';
import { Problem, say } from '../report.mjs';
import { variableNamed } from '../configuration/variables.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

const USAGE = `
Usage: npx edgeboard secrets [NAME] [--config FILE] [--env NAME]

Lists the secrets: which of them Cloudflare has, and which are in .prod.vars. With NAME it asks for a value, keeps it there and gives it to
the deployed worker. To change a token without an interruption, give both, the new one first: NEW,OLD.

${NAMED_USAGE}

Environment:
  NAME  the value, where there is no terminal to ask at
`;

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = readOptions(args, NAMED, { positionals: 1 });
  const [name] = positionals;
  if (name !== undefined && !variableNamed(name))
    throw new Problem(
      `${name} is no secret of the worker; allowed: ${Object.keys(MADE).join(', ')}, REDIS_URL, REDIS_TOKEN, or one of them for one site, such as WRITE_TOKEN_BLOG`,
      { exitCode: 2 },
    );
  const prepared = await prepare(values);
  const { file: config } = writeMerged(prepared);
  const where = ['--config', config];
  const file = fileOf(prepared.configuration.wranglerEnvironment);
  if (name !== undefined) return change(name, file, where);
  const names = (await namesAtCloudflare(where)) ?? new Set();
  const kept = readSecrets(file);
  for (const each of [...new Set([...Object.keys(MADE), ...names, ...Object.keys(kept)])].sort()) {
    const places = [names.has(each) && 'at Cloudflare', kept[each] !== undefined && `in ${file}`].filter(Boolean);
    console.log(`${each.padEnd(16)} ${places.join(', ') || 'not there yet'}`);
  }
}

/** @param {string} name @param {string} file @param {string[]} where */
async function change(name, file, where) {
  const value = process.env[name] || (await askHidden(name, name));
  requireUsable(name, value);
  keepSecrets(file, { [name]: value });
  if (!(await namesAtCloudflare(where))) return console.log(`${name} is in ${file}. The worker gets it when it is deployed.`);
  say(`giving ${name} to the worker`);
  await askWrangler(['secret', 'bulk', ...where], {}, JSON.stringify({ [name]: value }));
  console.log(`${name} is at Cloudflare and in ${file}.`);
}

export const secrets = { about: 'says which secrets there are, and changes one', usage: USAGE, main };
