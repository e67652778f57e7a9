/**
 * A run that ends after any of its round trips to Redis leaves something from which the next one goes on, and what is counted in between is kept.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { KEPT } from './kept.mjs';
import { COPIED, FORGOTTEN, many, MINUTE_MS, NOW, ranked, shown, start } from './site.mjs';
import { killAtEachStep } from '../../support/killed.mjs';

/** @typedef {Awaited<ReturnType<typeof start>>} Started */
/** @typedef {import('./site.mjs').Scores} Scores */

for (const kept of KEPT)
  describe(`a run that is killed at each step, over a ${kept}`, () => {
    const scores = many(11_000);
    /** @type {{ name: string, at: number, before: (to: Started) => Promise<void>, after: Scores }[]} */
    const jobs = [
      { name: 'copying', at: COPIED, before: async () => {}, after: scores },
      { name: 'forgetting', at: FORGOTTEN, before: async () => {}, after: scores },
      {
        name: 'correcting',
        at: FORGOTTEN,
        before: async (to) => {
          to.setClocks(FORGOTTEN);
          await to.archive();
          await to.send([
            { action: 'like', item: 'm5', actor: 'ann', at: NOW },
            { action: 'view', item: 'new', at: NOW },
          ]);
        },
        after: { ...scores, m5: (scores.m5 ?? 0) + 2, new: 1 },
      },
    ];
    for (const { name, at, before, after: whole } of jobs) {
      /** @type {Scores} */
      const after = { ...whole, m7: (whole.m7 ?? 0) + 1 };
      test(name, async () => {
        const storage = await mkdtemp(join(tmpdir(), 'archive-'));
        const to = await start({ kept, storage });
        try {
          const steps = await killAtEachStep(to.deployment.link, {
            async before() {
              await to.deployment.reset();
              await to.objects.remove(...(await to.objects.names()));
              to.setClocks(NOW);
              await to.fill(scores);
              // The board counts from now on, however long the next steps take: else its day would be one that Redis lost.
              await to.send([{ action: 'view', item: 'm0', at: NOW }]);
              await to.fill({ m0: scores.m0 ?? 0 });
              await before(to);
              to.setClocks(at);
            },
            run: to.upkeep,
            async after(killedAt) {
              // The next run waits until the one that was killed cannot be at it. What a job wrote to the bucket last may be unknown to Redis.
              const known = (await to.isAtWork()) ? await to.snapshot() : undefined;
              to.setClocks(at + MINUTE_MS);
              await to.archive();
              if (known) await to.restore(known);
              await to.send([{ action: 'view', item: 'm7', at: NOW }]);
              to.setClocks(at + 2 * MINUTE_MS);
              await to.archive();
              to.setClocks(FORGOTTEN + 3 * MINUTE_MS);
              await to.archive();
              assert.deepEqual(await to.stored(), [0, 0], `killed at ${killedAt}`);
              const { body } = await to.day('&limit=1000');
              assert.equal(body.total, Object.keys(after).length, `killed at ${killedAt}`);
              assert.deepEqual(shown(body), ranked(after).slice(0, 1000), `killed at ${killedAt}`);
              for (const id of ['m5', 'm10999']) assert.equal((await to.member(id)).body.score, after[id], `killed at ${killedAt}`);
              assert.equal((await to.objects.names()).length, 4, `killed at ${killedAt}: a manifest and three parts`);
            },
          });
          assert.ok(steps > 6, `${steps} steps`);
        } finally {
          await to.stop();
          await rm(storage, { recursive: true, force: true });
        }
      });
    }
  });
