/**
 * Members, prefixes and actors are taken out of what is archived as well.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { COPIED, FORGOTTEN, NOW, ranked, shown, start } from './site.mjs';

test('removing a member takes it out of the archive', async () => {
  const to = await start({ board: { members: 'items' } });
  try {
    to.setClocks(NOW);
    await to.fill({ a: 3, b: 2, c: 1 });
    to.setClocks(COPIED);
    await to.archive();
    assert.equal((await to.remove('b')).body.done, true);
    to.setClocks(FORGOTTEN);
    await to.archive();
    assert.equal((await to.remove('a')).body.done, true);
    assert.deepEqual(shown((await to.day()).body), [['c', 1]]);
    for (const name of await to.objects.names()) assert.doesNotMatch(await to.objects.read(name), /"[ab]"/);
  } finally {
    await to.stop();
  }
});

test('removing a prefix takes all of it out of the archive', async () => {
  const to = await start({ board: { members: 'items' } });
  try {
    to.setClocks(NOW);
    const junk = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`/junk*/${i}`, 1 + (i % 50)]));
    const others = { a: 60, '/junk/1': 30, 'x/junk*/': 1 };
    await to.fill({ ...junk, ...others });
    to.setClocks(COPIED);
    await to.archive();
    assert.equal((await to.removePrefix('/junk*/')).body.done, true);
    to.setClocks(FORGOTTEN);
    for (let runs = 0; runs < 2; runs += 1) {
      const { body } = await to.day();
      assert.deepEqual([shown(body), body.total], [ranked(others), 3]);
      for (const name of await to.objects.names()) assert.doesNotMatch(await to.objects.read(name), /"\/junk\*/);
      await to.archive();
    }
  } finally {
    await to.stop();
  }
});

test('erasing an actor takes it out of the archive', async () => {
  const to = await start({ board: { members: 'actors' } });
  try {
    to.setClocks(NOW);
    await to.fill({ ann: 3, ben: 2, cas: 1 });
    to.setClocks(COPIED);
    await to.archive();
    assert.equal((await to.erase('ben')).status, 204);
    to.setClocks(FORGOTTEN);
    await to.archive();
    assert.equal((await to.erase('cas')).status, 204);
    assert.deepEqual(shown((await to.day()).body), [['ann', 3]]);
    assert.equal((await to.erase('ann')).status, 204);
    assert.deepEqual(shown((await to.day()).body), []);
    for (const name of await to.objects.names()) assert.doesNotMatch(await to.objects.read(name), /ann|ben|cas/);
  } finally {
    await to.stop();
  }
});
