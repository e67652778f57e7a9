/**
 * What docs/operations/costs.md tells of costs, between two comments.
 */
import { readFileSync } from 'node:fs';

import { inProject } from '../../scripts/project.mjs';

export const DOCUMENT = inProject('docs/operations/costs.md');
export const BEGIN = '<!-- written by npm run bench -- --only costs --document -->';
export const END = '<!-- end of what is written -->';

/**
 * Commands per event.
 *
 * @param {string} title of the group
 * @param {string} name of the request
 * @returns {number} NaN when it tells none
 */
export function documentedCommands(title, name) {
  const [, after = ''] = readFileSync(DOCUMENT, 'utf8').split(`**${title}**\n\n`);
  const [rows] = after.split('\n\n');
  const row = rows.split('\n').find((found) => found.startsWith(`| ${name} |`));
  return Number(row?.split(' | ')[1]);
}

export function documentedIdleMonth() {
  const found = /An idle month: ([\d,]+) commands/.exec(readFileSync(DOCUMENT, 'utf8'))?.[1];
  return Number(found?.replaceAll(',', ''));
}
