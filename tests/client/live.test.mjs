/** Live rankings as an async iterator: over a stream, and where there is none. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createClient } from '../../packages/client/src/index.js';
import { live } from '../../packages/client/src/live.js';
import { startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';

const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'] } } };
const NAMES = /** @type {const} */ (['articles', 'all']);

describe('live', () => {
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    // Past Miniflare's own worker, which tells the worker of nobody's address.
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, isAskedItself: false });
  });
  after(() => deployment?.stop());

  const optionsOf = () => ({ url: deployment.worker.url, site: 'demo', token: WRITE_TOKEN });
  /** @param {string} item */
  const view = (item) => createClient(optionsOf()).send([{ action: 'view', item }]);

  test('a ranking comes at once, and each time that it changes', async () => {
    await view('/first');
    /** @type {number[]} */
    const readers = [];
    /** @type {string[][]} */
    const seen = [];
    for await (const ranking of live(optionsOf(), ...NAMES, { limit: 2, onReaders: (n) => readers.push(n) })) {
      seen.push(ranking.entries.map(({ id }) => id));
      if (seen.length === 3) break;
      await view(`/${seen.length}`);
      await view(`/${seen.length}`);
    }
    assert.equal(seen.length, 3);
    assert.deepEqual(seen[0], ['/first']);
    assert.ok(seen.every((ids) => ids.length <= 2));
    assert.deepEqual(readers.slice(0, 1), [1]);
  });

  test('a stream that is cut is opened again; what is known is not told again', async () => {
    let opened = 0;
    /** @type {typeof fetch} */
    const cut = async (address, init) => {
      opened += 1;
      const response = await fetch(address, init);
      if (opened > 1 || !response.body) return response;
      const [first] = [await response.body.getReader().read()];
      return new Response(new Blob([first.value ?? '']).stream(), { status: 200 });
    };
    const versions = [];
    for await (const { version } of live({ ...optionsOf(), fetch: cut }, ...NAMES)) {
      versions.push(version);
      if (versions.length === 2) break;
      await view('/cut');
    }
    assert.equal(new Set(versions).size, 2);
    assert.ok(opened >= 2);
  });

  test('without a stream it is asked now and then', async () => {
    /** @type {string[]} */
    const asked = [];
    /** @type {typeof fetch} */
    const refused = async (address, init) => {
      asked.push(new URL(String(address)).pathname);
      const problem = JSON.stringify({ status: 503, code: 'too-many-viewers', detail: '' });
      return String(address).includes('/live') ? new Response(problem, { status: 503 }) : fetch(address, init);
    };
    for await (const { board } of live({ ...optionsOf(), fetch: refused }, ...NAMES)) {
      assert.equal(board, 'articles');
      break;
    }
    assert.deepEqual(asked, ['/v1/demo/boards/articles/all/live', '/v1/demo/boards/articles/all']);
  });

  test('a signal ends it; a ranking that does not exist is an error', async () => {
    const controller = new AbortController();
    let count = 0;
    for await (const _ of live(optionsOf(), ...NAMES, { signal: controller.signal })) {
      count += 1;
      controller.abort();
    }
    assert.equal(count, 1);
    await assert.rejects(live(optionsOf(), 'nothing', 'all').next(), { code: 'unknown-board' });
  });
});
