/**
 * `npm run docs`: the documents as a site, with navigation and search.
 */
import { command } from '../packages/edgeboard/command.mjs';
import { run } from '../packages/edgeboard/processes.mjs';
import { NODE } from './project.mjs';
import { Problem, say } from '../packages/edgeboard/report.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureVitePress, SITE } from './setup/site.mjs';

const USAGE = `
Usage: npm run docs [-- --dev] [-- --base /PATH/]

Makes the site of README.md and docs/ below site/dist, for any web server. The first run installs VitePress below site/.

Options:
  --dev          serves the site here instead, and follows changes of the documents
  --base /PATH/  the path at which the site will be served; / by default
`;

/** @param {string[]} args */
async function main(args) {
  const { isDev, base } = read(args);
  await ensurePackages();
  const vitepress = await ensureVitePress();
  await run(NODE, [vitepress, isDev ? 'dev' : 'build', SITE, '--base', base], { folder: SITE });
  if (!isDev) say('the site is in site/dist');
}

/** @param {string[]} args */
function read(args) {
  let [isDev, base] = [false, '/'];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--dev') isDev = true;
    else if (arg === '--base') base = rest.shift() ?? '';
    else throw new Problem(`unknown option ${arg}\n\n${USAGE.trim()}`);
  }
  if (!/^\/([\w.-]+\/)*$/.test(base)) throw new Problem(`--base ${base} is no path that begins and ends with /`);
  return { isDev, base };
}

command(import.meta, { usage: USAGE, main });
