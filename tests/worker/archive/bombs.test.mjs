/**
 * Objects of the archive that somebody else wrote: they unpack to more than a worker can hold, or to nothing that is of the archive.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { COPIED, FORGOTTEN, NOW, ranked, shown, start } from './site.mjs';

const FEW = { a: 5, b: 3, c: 1 };
const MB = 1024 * 1024;

test('an object that unpacks to a hundred megabytes is not read', async () => {
  const to = await start();
  try {
    to.setClocks(NOW);
    await to.fill(FEW);
    for (const clock of [COPIED, FORGOTTEN]) {
      to.setClocks(clock);
      await to.archive();
    }
    assert.deepEqual(await to.stored(), [0, 0]);
    const [part = ''] = (await to.objects.names()).filter((name) => name.includes('/members/'));
    const bucket = /** @type {any} */ (await to.deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
    const kept = await (await bucket.get(part))?.arrayBuffer();
    assert.ok(kept);

    const line = Buffer.from('{"id":"a","score":1}\n');
    const bombs = { zeros: Buffer.alloc(100 * MB), members: Buffer.alloc(100 * MB, line), none: Buffer.from('not of the archive') };
    for (const [what, bytes] of Object.entries(bombs)) {
      await bucket.put(part, gzipSync(bytes));
      const { status, body } = await to.day('&limit=10');
      assert.deepEqual([what, status, body.code], [what, 503, 'database-unavailable']);
    }
    await bucket.put(part, 'not packed');
    assert.equal((await to.day('&limit=11')).status, 503);
    const logged = to.deployment.worker.log.map(({ message }) => message).join('\n');
    assert.match(logged, /more than 33554432 bytes/);

    // The worker goes on, and so does the archive when the object is as it was.
    await bucket.put(part, kept);
    assert.deepEqual(shown((await to.day('&limit=12')).body), ranked(FEW));
  } finally {
    await to.stop();
  }
});
