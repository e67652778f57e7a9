/** Which commit a build says that it is of: with a repository, without one, and where the builder says it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findCommit } from '../../scripts/build/commit.mjs';

const HEAD = '6d7e01a4c2f0';

/** A repository at that commit; of none every question fails. @param {string | undefined} head @param {string} [changes] */
const repository =
  (head, changes = '') =>
  (/** @type {string[]} */ [what]) =>
    head === undefined ? undefined : what === 'rev-parse' ? head : changes;

/** @type {[what: string, env: Record<string, string>, git: (args: string[]) => string | undefined, commit: string][]} */
const CASES = [
  ['a commit', {}, repository(HEAD), HEAD],
  ['files that differ from it', {}, repository(HEAD, ' M src/lib.rs'), `${HEAD}-changed`],
  ['no repository', {}, repository(undefined), 'unknown'],
  ['no commit yet', {}, repository('HEAD'), 'unknown'],
  ['a builder without a repository', { WORKERS_CI_COMMIT_SHA: 'abc123' }, repository(undefined), 'abc123'],
  ['its own word before others', { EDGEBOARD_COMMIT: 'v1.2', GITHUB_SHA: 'abc123' }, repository(HEAD), 'v1.2'],
  ['a word that is none', { EDGEBOARD_COMMIT: 'a "b"' }, repository(HEAD), HEAD],
];

for (const [what, env, git, commit] of CASES) test(what, () => assert.equal(findCommit(env, git), commit));
