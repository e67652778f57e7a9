/**
 * Sites that come and go, by a random history and a model: what one counts, only that one shows, and nothing of one that is gone comes back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { longTest } from '../../support/part.mjs';
import { count, later, make, MINUTE_MS, refusal, shown, sites, start } from './site.mjs';

/** @typedef {{ token: string, counts: Record<string, number>, state: 'active' | 'suspended' | 'going' }} Model */

const NAMES = ['shop', 'shop2', 'sho', 'shop-a'];
const ITEMS = ['/a', '/b', '/c'];
/** More than a deletion takes: two minutes, a look of five, and a run for each step. */
const DELETION_MINUTES = 9;

/** Numbers from 0 to 1 that a seed makes again. @param {number} seed */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {import('node:test').TestContext} t @param {number} seed @param {number} steps */
async function history(t, seed, steps) {
  t.diagnostic(`seed ${seed}`);
  const deployment = await start(t);
  const random = randomOf(seed);
  const pick = (/** @type {any[]} */ of) => of[Math.floor(random() * of.length)];
  /** @type {Map<string, Model>} */
  const model = new Map();
  /** Of sites that are gone. @type {string[]} */
  const old = [];
  for (let step = 0; step < steps; step += 1) {
    const name = pick(NAMES);
    const of = model.get(name);
    const at = `seed ${seed}, step ${step}, ${name}`;
    const chance = random();
    if (!of) {
      assert.deepEqual(refusal(await deployment.top('articles/all', '', name)), [404, 'unknown-site'], at);
      model.set(name, { token: (await make(deployment, name)).write, counts: {}, state: 'active' });
    } else if (chance < 0.5) {
      const item = pick(ITEMS);
      const expected = { active: 200, suspended: 403, going: 410 }[of.state];
      assert.equal((await count(deployment, name, of.token, { action: 'view', item })).status, expected, at);
      if (of.state === 'active') of.counts[item] = (of.counts[item] ?? 0) + 1;
    } else if (chance < 0.6) {
      const others = [...old, ...[...model].filter(([other]) => other !== name).map(([, { token }]) => token)];
      if (of.state === 'active' && others.length > 0) {
        assert.equal((await count(deployment, name, pick(others), { action: 'view', item: '/stolen' })).status, 401, at);
      }
    } else if (chance < 0.7) {
      const state = of.state === 'active' ? 'suspended' : 'active';
      const { status } = await sites(deployment, 'PUT', `/${name}/state`, { state });
      assert.equal(status, of.state === 'going' ? 410 : 200, at);
      if (of.state !== 'going') of.state = state;
    } else if (chance < 0.8) {
      assert.equal((await sites(deployment, 'DELETE', `/${name}`)).status, 202, at);
      of.state = 'going';
    } else if (chance < 0.85) {
      for (let minute = 0; minute < DELETION_MINUTES; minute += 1) {
        later(deployment);
        await deployment.worker.scheduled();
      }
      for (const [other, { token, state }] of model) {
        if (state !== 'going') continue;
        model.delete(other);
        old.push(token);
      }
    } else {
      later(deployment, Math.floor(random() * 2 * MINUTE_MS));
    }
    for (const [other, { counts, state }] of model) {
      const answer = await deployment.freshTop('articles/all', '', other);
      if (state === 'going') assert.deepEqual(refusal(answer), [410, 'site-going'], at);
      else
        assert.deepEqual(
          shown(answer).sort(),
          Object.entries(counts)
            .map(([item, score]) => `${item} ${score}`)
            .sort(),
          `${at}: ${other}`,
        );
    }
  }
}

test('sites come and go', (t) => history(t, 7, 60));

longTest('sites come and go, in long histories', async (t) => {
  for (let seed = 1; seed <= 5; seed += 1) await history(t, seed, 300);
});
