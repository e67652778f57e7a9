/**
 * One run is at a board at a time. One that did nothing for half a minute loses the board to another one, and changes nothing after that.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { COPIED, FORGOTTEN, NOW, ranked, shown, start } from './site.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {import('./site.mjs').Scores} Scores */

const LEASE_MS = 31_000;
const SCORES = { a: 9, b: 7, c: 7, d: 1 };

/** That each part which a manifest names is what was written. @param {Started} to @param {string} message */
async function assertWhole({ objects }, message) {
  for (const name of (await objects.names()).filter((each) => each.includes('/manifests/'))) {
    const folder = name.replace('/manifests/', '/members/').replace(/\.json$/, '/');
    for (const { object, sha256 } of JSON.parse(await objects.read(name)).parts) {
      const lines = await objects.read(folder + object);
      assert.equal(createHash('sha256').update(lines).digest('hex'), sha256, message);
    }
  }
}

/** @param {import('./kept.mjs').Kept} kept @param {(to: Started) => Promise<void>} check */
async function withStorage(kept, check) {
  const storage = await mkdtemp(join(tmpdir(), 'archive-'));
  const to = await start({ kept, storage });
  try {
    await check(to);
  } finally {
    await to.stop();
    await rm(storage, { recursive: true, force: true });
  }
}

/**
 * Runs a job that stands still at its first trip to Redis while `meanwhile` happens, then one that does at its second, until one gets to its
 * end before.
 *
 * @param {Started} to
 * @param {object} job
 * @param {() => Promise<void>} job.before
 * @param {() => Promise<void>} job.meanwhile
 * @param {(heldAt: number) => Promise<void>} job.after
 * @returns {Promise<number>} the trip that the last one did not make
 */
async function standStillAtEachStep({ deployment, upkeep }, { before, meanwhile, after }) {
  for (let heldAt = 1; ; heldAt += 1) {
    await before();
    let passed = 0;
    const stands = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
    const goesOn = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
    deployment.link.holdRepliesWhen(() => {
      passed += 1;
      if (passed !== heldAt) return undefined;
      stands.resolve();
      return goesOn.promise;
    });
    const run = upkeep();
    const isHeld = await Promise.race([stands.promise.then(() => true), run.then(() => false)]);
    if (isHeld) await meanwhile();
    goesOn.resolve();
    await run;
    deployment.link.holdRepliesWhen(() => undefined);
    if (!isHeld) return heldAt;
    await after(heldAt);
  }
}

for (const kept of KEPT)
  describe(`a run that stands still, over a ${kept}`, () => {
    /** @type {{ name: string, at: number, before: (to: Started) => Promise<void> }[]} */
    const jobs = [
      { name: 'copying', at: COPIED, before: async () => {} },
      { name: 'forgetting', at: FORGOTTEN, before: async () => {} },
      {
        name: 'correcting',
        at: FORGOTTEN,
        before: async (to) => {
          to.setClocks(FORGOTTEN);
          await to.archive();
          await to.send([{ action: 'like', item: 'd', actor: 'ann', at: NOW }]);
        },
      },
    ];
    for (const { name, at, before } of jobs)
      test(`writes over nothing that another one wrote, ${name}`, () =>
        withStorage(kept, async (to) => {
          /** @type {Scores} */
          let expected = {};
          const steps = await standStillAtEachStep(to, {
            async before() {
              await to.deployment.reset();
              await to.objects.remove(...(await to.objects.names()));
              to.setClocks(NOW);
              await to.fill(SCORES);
              await before(to);
              to.setClocks(at);
              expected = { ...SCORES, d: name === 'correcting' ? 3 : 1 };
            },
            async meanwhile() {
              // The other run ends the job, and one more begins with what comes then. By the edge's clock no time passes.
              for (const item of ['b', 'new']) {
                to.deployment.clock.advance(LEASE_MS);
                await to.archive();
                await to.send([{ action: 'view', item, at: NOW }]);
                expected[item] = (expected[item] ?? 0) + 1;
              }
              to.deployment.clock.advance(LEASE_MS);
              await to.archive();
            },
            async after(heldAt) {
              await assertWhole(to, `held at ${heldAt}`);
              to.setClocks(FORGOTTEN + 5 * LEASE_MS);
              for (let runs = 0; runs < 3; runs += 1) await to.archive();
              assert.deepEqual(await to.stored(), [0, 0], `held at ${heldAt}`);
              const { status, body, text } = await to.day();
              assert.equal(status, 200, text);
              assert.deepEqual(shown(body), ranked(expected), `held at ${heldAt}`);
            },
          });
          assert.ok(steps > 6, `${steps} steps`);
        }));
  });

test("while a run is at a board no other one is, and it is another one's after half a minute", async () => {
  const to = await start();
  try {
    to.setClocks(NOW);
    await to.fill({ a: 2, b: 1 });
    to.setClocks(COPIED);
    // It is killed when it has the board and a job.
    for (let killedAt = 1; !(await to.isAtWork()); killedAt += 1) {
      await to.deployment.reset();
      to.setClocks(NOW);
      await to.fill({ a: 2, b: 1 });
      to.setClocks(COPIED);
      let passed = 0;
      to.deployment.link.loseRepliesWhen(() => {
        passed += 1;
        return passed >= killedAt;
      });
      await to.upkeep();
      to.deployment.link.loseRepliesWhen(() => false);
    }
    const manifests = async () => (await to.objects.names()).filter((name) => name.includes('/manifests/'));
    to.deployment.clock.advance(LEASE_MS - 5_000);
    assert.equal(await to.archive(), 0);
    assert.deepEqual(await manifests(), []);
    to.deployment.clock.advance(5_000);
    assert.equal(await to.archive(), 1);
    assert.equal((await manifests()).length, 1);
    await assertWhole(to, 'taken over');
  } finally {
    await to.stop();
  }
});
