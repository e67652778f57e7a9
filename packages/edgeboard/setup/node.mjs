/**
 * The Node that the commands run on, and the newer one that wrangler may need. The repository gets the latter with its packages.
 */
import { dirname } from 'node:path';

import { inFolder, workAt } from '../place.mjs';
import { isExecutable, run } from '../processes.mjs';
import { Problem, say } from '../report.mjs';

const OLDEST = '20.12';
/** What wrangler's package.json asks for. */
const WRANGLERS = '22.12';
const NEWER = 'node@22.23.3';

export function requireNode() {
  if (isAtLeast(OLDEST)) return;
  throw new Problem(`edgeboard needs Node ${OLDEST} or newer, this is ${process.versions.node}: https://nodejs.org/`);
}

/** Has wrangler run on a Node that is new enough: this one, or one that npm puts below .tools. */
export async function ensureWranglersNode() {
  if (isAtLeast(WRANGLERS)) return;
  const folder = inFolder('.tools/node');
  const node = `${folder}/node_modules/.bin/node`;
  if (!isExecutable(node)) {
    say(`wrangler needs Node ${WRANGLERS}, this is ${process.versions.node}; npm gets ${NEWER} for it, below .tools (half a minute, once)`);
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, NEWER], { quiet: true });
  }
  workAt({ node, first: [dirname(node)] });
}

/** @param {string} version */
function isAtLeast(version) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = version.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
