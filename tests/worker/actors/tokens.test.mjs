/**
 * Who acts, as browsers may say: with a token that the site's server signed, and without one.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { entriesOf, RESP } from '../../support/deployment.mjs';
import { EARLIER_SECRET, NOW_S, ORIGIN, serve, tokenOf } from './site.mjs';

const view = { action: 'view', item: '/posts/1' };
const like = { action: 'like', item: '/posts/1' };
const headers = { origin: ORIGIN };

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);

    /**
     * Sends a beacon and checks its status, the notice in its header, and whom the board of actors then has.
     *
     * @param {object} body
     * @param {[status: number, notice: string | null, people: [string, number][], articles?: [string, number][]]} expected
     * @param {string} [site]
     */
    async function check(body, [status, notice, people, articles], site = 'demo') {
      const answer = await on.deployment.beacon(body, { site, headers });
      assert.deepEqual([answer.status, answer.headers.get('edgeboard-actor')], [status, notice], answer.text);
      assert.deepEqual(entriesOf(await on.deployment.freshTop('people/all', '', site)), people);
      if (articles) assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/all', '', site)), articles);
      return answer;
    }

    test('three anonymous requests put nobody on the board of actors, and their items count', async () => {
      for (const count of [1, 2, 3]) await check({ ...view, actor: 'forged' }, [204, 'ignored', [], [['/posts/1', count]]]);
    });

    test('and where browsers are believed they do, as before', async () => {
      for (const count of [1, 2, 3]) await check({ ...view, actor: 'forged' }, [204, null, [['forged', count]]], 'any');
      const warnings = on.deployment.worker.log.filter(({ message }) => message.includes('actors-any'));
      assert.equal(warnings.length, 1, 'the log says so once');
      assert.match(warnings[0].message, /the site any has actors/);
    });

    test('a token names the actor of the events that name nobody else', async () => {
      const token = tokenOf('u7');
      await check({ ...view, token }, [204, null, [['u7', 1]]]);
      await check({ events: [view, { ...view, actor: 'u7' }], token }, [204, null, [['u7', 3]]]);
      await check({ events: [view, { ...view, actor: 'u8' }], token }, [204, 'ignored', [['u7', 4]], [['/posts/1', 5]]]);
      await check({ ...view, token: tokenOf('u7', { site: 'any' }), actor: 'u8' }, [204, 'ignored', [], [['/posts/1', 1]]], 'any');
      await check({ ...view, token: null }, [204, null, [['u7', 4]]]);
    });

    test('an actor may have any name that ids have', async () => {
      for (const actor of ['{x}:y', 'é', '.dots.', 'a'.repeat(256)]) {
        await on.deployment.reset();
        await check({ ...view, token: tokenOf(actor) }, [204, null, [[actor, 1]]]);
      }
    });

    test('two secrets hold while one replaces the other', async () => {
      await check({ ...view, token: tokenOf('u7', { secret: EARLIER_SECRET }) }, [204, null, [['u7', 1]]]);
    });

    test('an expired token is nobody’s, a minute after it says so, and its batch counts', async () => {
      const since = (/** @type {number} */ seconds) => {
        const expiry = Math.floor(on.deployment.edgeClock.now() / 1000) - seconds;
        return { ...view, actor: 'u7', token: tokenOf('u7', { expiry }) };
      };
      await check(since(50), [204, null, [['u7', 1]]]);
      await check(since(62), [204, 'expired', [['u7', 1]], [['/posts/1', 2]]]);
    });

    test('what the site’s server did not sign is nobody’s', async () => {
      const token = tokenOf('u7');
      const [version, expiry, actor, mac] = token.split('.');
      const forged = [
        [version, String(NOW_S * 2), actor, mac],
        [version, expiry, Buffer.from('u8').toString('base64url'), mac],
        [version, expiry, actor, `${mac.slice(0, -2)}AA`],
        [version, expiry, actor, ''],
        [version, expiry, actor],
        [],
      ].map((parts) => parts.join('.'));
      const others = [tokenOf('u7', { secret: 'a-secret-of-another' }), tokenOf('u7', { site: 'other' }), tokenOf('u7', { secret: '' })];
      let count = 0;
      for (const wrong of [...forged, ...others, 'x'.repeat(10_000)]) {
        await check({ ...view, actor: 'u7', token: wrong }, [204, 'invalid', [], [['/posts/1', ++count]]]);
      }
      await check({ ...view, token }, [204, 'invalid', []], 'other');
      await check({ ...view, token: tokenOf('u7', { secret: '', site: 'unsigned' }) }, [204, 'invalid', []], 'unsigned');
      const answer = await on.deployment.beacon({ ...view, token: 7 }, { headers });
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid-actor']);
      assert.match(answer.body.detail, /token = \(not shown\) is not allowed/);
    });

    test('with a token browsers may send what is signed, and undo it; it counts once until then', async () => {
      const token = tokenOf('u7');
      const undo = { ...like, undo: true };
      await check({ ...like, token }, [204, null, [['u7', 2]], [['/posts/1', 2]]]);
      await check({ ...like, token }, [204, null, [['u7', 2]]]);
      await check({ events: [{ ...like, item: '/posts/2' }], token }, [204, null, [['u7', 4]]]);
      await check({ ...undo, token }, [204, null, [['u7', 2]], [['/posts/2', 2]]]);
      await check({ ...undo, token }, [204, null, [['u7', 2]]]);
      await check({ events: [like, undo, like], token }, [204, null, [['u7', 4]]]);
      await check({ ...undo, token: tokenOf('u8') }, [204, null, [['u7', 4]]]);
    });

    test('a server’s like and a browser’s are the same', async () => {
      await on.deployment.events({ ...like, actor: 'u7' });
      await check({ ...like, token: tokenOf('u7') }, [204, null, [['u7', 2]]]);
      await check({ ...like, undo: true, token: tokenOf('u7') }, [204, null, []]);
    });

    test('without a valid one they may not, and the answer says why', async () => {
      const expired = tokenOf('u7', { expiry: NOW_S - 3600 });
      const token = tokenOf('u7');
      for (const [body, code, detail] of /** @type {[object, string, RegExp][]} */ ([
        [like, 'action-not-public', /browsers may not send like without a valid token/],
        [{ ...like, actor: 'u7' }, 'action-not-public', /without a valid token/],
        [{ ...like, token: expired }, 'action-not-public', /without a valid token/],
        [{ ...like, token, actor: 'u8' }, 'action-not-public', /without a valid token/],
        [{ action: 'comment', item: 'x', token }, 'action-not-public', /browsers may not send comment$/],
        [{ ...like, undo: true }, 'action-not-public', /without a valid token/],
        [{ action: 'save', item: 'x', undo: true, token }, 'undo-not-possible', /browsers may not undo; the site's servers may/],
        [{ ...view, undo: true, token }, 'undo-not-possible', /browsers may not undo/],
      ])) {
        for (const site of ['demo', 'any']) {
          const answer = await on.deployment.beacon(body, { site, headers });
          assert.equal(answer.body?.code, code, JSON.stringify(body));
          assert.match(answer.body.detail, detail);
        }
      }
      assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/all')), []);
    });

    test('the pixel carries no actor', async () => {
      const pixel = (/** @type {string} */ site) =>
        on.deployment.fetch(`/v1/${site}/beacon.gif?action=view&item=x&actor=u7`, { headers: { referer: `${ORIGIN}/` } });
      for (const [site, notice, people] of /** @type {const} */ ([
        ['demo', 'ignored', []],
        ['any', null, [['u7', 1]]],
      ])) {
        const answer = await pixel(site);
        assert.deepEqual([answer.status, answer.headers.get('edgeboard-actor')], [200, notice]);
        assert.deepEqual(entriesOf(await on.deployment.freshTop('people/all', '', site)), people);
      }
      const refused = await on.deployment.fetch('/v1/demo/beacon.gif?action=view&item=x&token=x', { headers: { referer: `${ORIGIN}/` } });
      assert.equal(refused.body.code, 'unknown-parameter');
    });

    test('a page of a listed origin reads the notice', async () => {
      const answer = await on.deployment.beacon({ ...view, actor: 'u7' }, { headers });
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Edgeboard-Actor/);
      assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN);
    });

    test('servers need none, and a token among their events is not a field', async () => {
      const answer = await on.deployment.events({ events: [{ ...view, actor: 'u7' }] });
      assert.deepEqual(answer.body, { accepted: 1, duplicate: 0, rejected: [] });
      assert.equal((await on.deployment.events({ events: [view], token: 'x' })).body.code, 'unknown-field');
    });
  });
}
