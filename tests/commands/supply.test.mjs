/** What is installed is what a lock file names, and the system is changed by nobody who was not asked. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { mayInstall } from '../../packages/edgeboard/setup/system-packages.mjs';
import { inProject } from '../../scripts/project.mjs';
import { withoutIntegrity } from '../../scripts/setup/packages.mjs';
import { mayUseUnlocked } from '../../scripts/setup/unlocked.mjs';

const LOCK = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8'));

for (const platform of ['linux', 'darwin', 'win32']) {
  for (const arch of ['x64', 'arm64']) {
    test(`every npm package that ${platform} ${arch} installs has a digest`, () => {
      assert.deepEqual(withoutIntegrity(LOCK, { platform, arch }), []);
    });
  }
}

test('a package without a digest is found, on the machines that would install it', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/own': { link: true },
      'node_modules/verified': { integrity: 'sha512-x' },
      'node_modules/everywhere': {},
      'node_modules/elsewhere': { os: ['sunos'] },
    },
  };
  assert.deepEqual(withoutIntegrity(lock, { platform: 'linux', arch: 'x64' }), ['node_modules/everywhere']);
});

test('what is not locked is used by an explicit flag only', () => {
  for (const [value, allowed] of /** @type {[string | undefined, boolean][]} */ ([
    [undefined, false],
    ['', false],
    ['0', false],
    ['1', true],
  ])) {
    assert.equal(mayUseUnlocked({ EDGEBOARD_UNLOCKED: value }, 'a tool cannot be built'), allowed, value);
  }
});

test('without a terminal the system is changed in CI or by a flag only', async (t) => {
  const wasTerminal = process.stdin.isTTY;
  process.stdin.isTTY = false;
  t.after(() => (process.stdin.isTTY = wasTerminal));
  for (const [env, allowed] of /** @type {[NodeJS.ProcessEnv, boolean][]} */ ([
    [{}, false],
    [{ CI: 'false' }, false],
    [{ EDGEBOARD_INSTALL: '0' }, false],
    [{ CI: 'true' }, true],
    [{ EDGEBOARD_INSTALL: '1' }, true],
  ])) {
    assert.equal(await mayInstall(env, 'a program', 'install it'), allowed, JSON.stringify(env));
  }
});
