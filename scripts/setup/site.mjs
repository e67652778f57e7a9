/**
 * VitePress, which makes the site of the documents: packages of their own below site/, so that `npm start` and `npm test` of a fresh
 * clone get to work without their 100 MB.
 */
import { inProject } from '../project.mjs';
import { ensurePackages } from './packages.mjs';

export const SITE = inProject('site');
export const VITEPRESS = inProject('site/node_modules/vitepress/bin/vitepress.js');

/** What a test that needs it names, where it cannot be installed. */
export const NAME = 'VitePress';

/** @returns {Promise<string>} its path */
export async function ensureVitePress() {
  await ensurePackages('site');
  return VITEPRESS;
}
