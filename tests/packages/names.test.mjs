/** What the packages, the template and the documents call each other, and which versions they have. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
