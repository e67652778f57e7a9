/** The packages that npm publishes: the folders of packages/ whose package.json is not private. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';

/** @typedef {{ folder: string, name: string, version: string }} Package */

/** @returns {Package[]} */
export function packagesToPublish() {
  const folders = readdirSync(inProject('packages'))
    .sort()
    .map((name) => inProject('packages', name));
  return folders.flatMap((folder) => {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name, version, private: isPrivate } = JSON.parse(readFileSync(file, 'utf8'));
    return isPrivate ? [] : [{ folder, name, version }];
  });
}

/**
 * @param {Package[]} packages
 * @param {{ isReleased: boolean, tag?: string }} options what is released has its part of the changelog, and its tag
 */
export function requireOneVersion(packages, { isReleased, tag }) {
  const version = /^version = "(.+)"$/m.exec(readFileSync(inProject('Cargo.toml'), 'utf8'))?.[1];
  const others = packages.filter((other) => other.version !== version);
  if (others.length > 0) {
    throw new Problem(`${others.map((other) => `${other.name} is ${other.version}`).join(', ')}, and Cargo.toml has ${version}`);
  }
  const changes = readFileSync(inProject('CHANGELOG.md'), 'utf8');
  if (!isReleased) return;
  if (tag !== `v${version}`) throw new Problem(`the tag is ${tag}, and Cargo.toml has ${version}: it must be v${version}`);
  if (!changes.includes(`\n## ${version}`)) throw new Problem(`CHANGELOG.md has no part ## ${version}`);
}
