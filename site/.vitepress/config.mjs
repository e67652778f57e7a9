/**
 * The site of the documents, made by VitePress of docs/ and the files beside it. Its search is an index that the browser loads.
 */
import { cpSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { addressOf, GROUPS, isPage, PROJECT } from './addresses.mjs';
import { followLinks } from './links.mjs';

/** Folders without pages, which would take long to search and to watch. */
const ELSEWHERE = [
  '.ci',
  '.git',
  '.tools',
  '.wrangler',
  'bench',
  'build',
  'crates',
  'lua',
  'node_modules',
  'packages',
  'scripts',
  'site',
  'src',
  'target',
  'tests',
];

const sidebar = GROUPS.map(({ group, pages }) => ({
  text: group,
  collapsed: false,
  items: pages.map(({ name, file }) => ({ text: name, link: `/${addressOf(file)}` })),
}));

/** @type {import('vitepress').UserConfig} */
export default {
  title: 'edgeboard',
  description: 'Rankings from clicks, at the edge',
  lang: 'en',
  srcDir: '..',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  srcExclude: ELSEWHERE.map((folder) => `${folder}/**`),
  rewrites: (file) => (isPage(file) ? addressOf(file) : file),
  ignoreDeadLinks: [/^\/monitoring\//, /^http:\/\/localhost/],
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      md.core.ruler.push('edgeboard-file', ({ env }) => {
        env.file = relative(PROJECT, env.realPath ?? env.path);
      });
      followLinks(md);
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
  vite: {
    // The pages lie outside of this folder, and must find its packages.
    resolve: { alias: [{ find: /^vue(?=\/|$)/, replacement: fileURLToPath(new URL('../node_modules/vue', import.meta.url)) }] },
    server: { watch: { ignored: ELSEWHERE.map((folder) => `${PROJECT}${folder}/**`) } },
  },
  buildEnd({ outDir }) {
    cpSync(`${PROJECT}docs/monitoring`, `${outDir}/monitoring`, { recursive: true });
  },
};

/** The anchor of a heading, as GitHub makes it. @param {string} heading */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
