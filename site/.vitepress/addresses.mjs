/**
 * Which files are pages, and at which paths of the site.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PAGES } from './pages.mjs';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** The groups of the navigation: names, and files below the project's folder. */
export const GROUPS = PAGES.map(({ group, pages }) => ({
  group,
  pages: pages.map((entry) => {
    const [name, path] = Array.isArray(entry) ? entry : [undefined, entry];
    const file = path.startsWith('/') ? path.slice(1) : `docs/${path}`;
    return { name: name ?? headingOf(file), file };
  }),
}));

const FILES = new Set(GROUPS.flatMap(({ pages }) => pages.map(({ file }) => file)));

/** @param {string} file */
export const isPage = (file) => FILES.has(file);

/** The path of a file on the site: the README is its first page, and docs/ is left out. @param {string} file */
export function addressOf(file) {
  if (file === 'README.md') return 'index.md';
  return file.startsWith('docs/') ? file.slice('docs/'.length) : file.toLowerCase();
}

/** @param {string} file */
function headingOf(file) {
  const heading = /^# (.*)$/m.exec(readFileSync(join(PROJECT, file), 'utf8'))?.[1];
  if (!heading) throw new Error(`${file} has no heading`);
  return heading.replaceAll('`', '');
}
