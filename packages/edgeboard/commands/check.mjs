/**
 * `edgeboard check`: whether the configuration works, in the words of the worker that would be deployed.
 */
import { judgeConfiguration } from '../configuration/judge.mjs';
import { prepare, printed, writeMerged } from '../configuration/prepare.mjs';
import { sitesOf } from '../configuration/read.mjs';
import { requireLongTokens } from '../configuration/tokens.mjs';
import { say } from '../report.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

const USAGE = `
Usage: npx edgeboard check [--print] [--config FILE] [--env NAME]

Says whether the worker takes the configuration, with all that is bound. The exit status is 0 then, else 1.

What this version needs besides is added to what you wrote, and written to .wrangler/deploy, where wrangler's own commands find it.

${NAMED_USAGE}
  --print        print the whole configuration, and check nothing more
`;

/** @param {string[]} args */
async function main(args) {
  const { values } = readOptions(args, { ...NAMED, print: { type: 'boolean' } });
  const prepared = await prepare(values);
  const written = writeMerged(prepared);
  if (values.print) return void process.stdout.write(printed(prepared.merged));
  requireLongTokens(prepared.configuration, {}, process.env);
  say('asking the worker');
  await judgeConfiguration(written);
  const sites = Object.keys(sitesOf(written));
  console.log(`The configuration is right: ${sites.length === 1 ? 'the site' : 'the sites'} ${sites.join(', ')}.`);
}

export const check = { about: 'says whether the configuration works', usage: USAGE, main };
