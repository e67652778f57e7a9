/** What the packages, the template and the documents call each other, and which versions they have. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import { COMMAND, CREATE } from '../../packages/names.mjs';
import { inProject } from '../../scripts/project.mjs';
import { packagesToPublish, requireOneVersion } from '../../scripts/release/packages.mjs';

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(inProject(path), 'utf8'));

test('the packages have the names of the constant, and one version', () => {
  const packages = packagesToPublish();
  for (const name of [COMMAND, CREATE])
    assert.ok(
      packages.some((one) => one.name === name && one.folder.endsWith(`/${name}`)),
      name,
    );
  requireOneVersion(packages, { isReleased: false });
  const wrong = () => requireOneVersion(packages, { isReleased: true, tag: 'v99.0.0' });
  assert.throws(wrong, /^Problem: the tag is v99\.0\.0, and Cargo\.toml has /);
});

test('the packages name the repository, which their provenance must be of', () => {
  const [, repository] = /^repository = "(.+)"$/m.exec(readFileSync(inProject('Cargo.toml'), 'utf8')) ?? [];
  for (const { folder } of packagesToPublish()) {
    const directory = relative(inProject(), folder);
    assert.deepEqual(read(`${directory}/package.json`).repository, { type: 'git', url: `git+${repository}.git`, directory });
  }
});

test('the packages have a page for npm and the texts of their licenses', () => {
  for (const { folder, name } of packagesToPublish()) {
    assert.ok(read(`${relative(inProject(), folder)}/package.json`).files.includes('LICENSE-*'), name);
    assert.ok(readFileSync(join(folder, 'README.md'), 'utf8').startsWith(`# ${name}\n`), name);
  }
});

test('the template depends on the package of its version', () => {
  const { version } = read('packages/edgeboard/package.json');
  assert.deepEqual(read('packages/create-edgeboard/template/package.json').dependencies, { [COMMAND]: `^${version}` });
});

test('the package depends on the versions that the repository is tested with', () => {
  const { devDependencies } = read('package.json');
  for (const [name, version] of Object.entries(read('packages/edgeboard/package.json').dependencies)) {
    assert.equal(version, devDependencies[name], name);
  }
});

test('the documents say how to begin', () => {
  for (const path of ['README.md', 'docs/package.md']) {
    assert.ok(readFileSync(inProject(path), 'utf8').includes(`npm create ${COMMAND} my-rankings`), path);
  }
});
