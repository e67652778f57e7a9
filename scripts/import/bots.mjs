/**
 * Whether a user agent declares itself as a bot. The list of them is that of the npm package isbot.
 */
import { existsSync } from 'node:fs';

import { inProject } from '../project.mjs';
import { ensurePackages } from '../setup/packages.mjs';

/** @returns {Promise<(agent: string) => boolean>} */
export async function loadBotTest() {
  if (!existsSync(inProject('node_modules/isbot'))) await ensurePackages();
  const { isbot } = await import('isbot');
  return isbot;
}
