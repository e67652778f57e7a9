/**
 * What counts once, of visitors without an actor.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { contentsOf, keysThatHold } from '../../support/contents.mjs';
import { entriesOf, RESP, WRITE_TOKEN } from '../../support/deployment.mjs';
import { overhear } from '../../support/overheard.mjs';
import { DAY_MS, HOUR_MS } from '../../support/windows.mjs';
import { NOW, PER_UNIT, serve, UNITS } from './site.mjs';

/**
 * What the worker sends of a visitor: digests of address and agent, and of the address's networks, keyed with the deployment's only secret.
 *
 * @param {Buffer} octets
 * @param {string} agent
 */
function fingerprintOf(octets, agent) {
  const hmac = (/** @type {string | Buffer} */ key, /** @type {(string | Buffer)[]} */ ...parts) =>
    parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest();
  const key = hmac(WRITE_TOKEN, 'edgeboard visitors');
  const of = (/** @type {string} */ what, /** @type {Buffer} */ network, /** @type {string} */ text) =>
    hmac(key, what, 'demo', Buffer.from([0, octets.length === 8 ? 1 : 0]), network, text);
  const networks = octets.length === 8 ? [8, 7, 6].map((length) => octets.subarray(0, length)) : [octets];
  const digests = networks.map((network) => of('address ', network, '').toString('base64url', 0, 9));
  return [of('visitor ', octets, agent).toString('base64url', 0, 16), ...digests].join('.');
}

const TODAY = Date.parse('2026-07-15T00:00:00Z') / DAY_MS;

for (const transport of RESP) {
  describe(`over ${transport}`, () => {
    const on = serve(transport);
    const { send, check, expiryOf, marks, digests } = on;

    describe('without an actor', () => {
      const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';
      const from = (/** @type {string} */ address, agent = FIREFOX) => ({ headers: { 'cf-connecting-ip': address, 'user-agent': agent } });
      const click = { action: 'per-day', item: 'x' };
      /** @param {[visitor: ReturnType<typeof from>, counts: number][]} visits */
      async function visit(visits, event = click) {
        const seen = async () => entriesOf(await on.deployment.freshTop('articles/all')).find(([id]) => id === event.item)?.[1] ?? 0;
        let expected = await seen();
        for (const [visitor, counts] of visits) {
          assert.equal((await on.deployment.beacon(event, visitor)).status, 204);
          expected += counts;
          assert.equal(await seen(), expected, JSON.stringify(visitor.headers));
        }
      }

      test('a server’s events count each', async () => {
        await send([click, click], ['counted', 'counted']);
        await send([click], ['counted']);
        await check('articles/all', [['x', 3]]);
        assert.deepEqual(await on.deployment.redis.command('KEYS', '*:salt:*'), []);
      });

      test('a visitor is an address and a user agent', async () => {
        await visit([
          [from('192.0.2.1'), 1],
          [from('192.0.2.1'), 0],
          [from('::ffff:192.0.2.1'), 0],
          [from('192.0.2.2'), 1],
          [from('192.0.2.1', 'curl/8'), 1],
          [from('192.0.2.1', 'curl/8'), 0],
          [from('192.0.2.1'), 0],
        ]);
      });

      test('of IPv6 addresses, the first 64 bits', async () => {
        await visit([
          [from('2001:db8:1:2::1'), 1],
          [from('2001:db8:1:2::2'), 0],
          [from('2001:0DB8:0001:0002:ffff:ffff:ffff:ffff'), 0],
          [from('2001:db8:1:3::1'), 1],
          [from('2001:db8:1::'), 1],
          [from('2001:db8:1:2::1', 'curl/8'), 1],
        ]);
      });

      test('in a batch, in a pixel, with ids, and in a hundred requests at once', async () => {
        const { headers } = from('192.0.2.1');
        const ranking = 'articles/all';
        assert.equal((await on.deployment.beacon({ events: [click, click, { ...click, item: 'y' }] }, { headers })).status, 204);
        await check(ranking, [
          ['y', 1],
          ['x', 1],
        ]);
        assert.equal((await on.deployment.fetch('/v1/demo/beacon.gif?action=per-day&item=x', { headers })).status, 200);
        assert.equal(
          (
            await on.deployment.beacon(
              {
                events: [
                  { ...click, id: 'one' },
                  { ...click, id: 'two' },
                ],
              },
              { headers },
            )
          ).status,
          204,
        );
        await Promise.all(Array.from({ length: 100 }, () => on.deployment.beacon({ events: [{ ...click, item: 'z' }] }, { headers })));
        await check(ranking, [
          ['z', 1],
          ['y', 1],
          ['x', 1],
        ]);
      });

      test('an actor is nobody else, wherever it comes from', async () => {
        const by = (/** @type {string} */ actor) => ({ ...click, actor });
        for (const [event, visitor] of /** @type {const} */ ([
          [by('u1'), from('192.0.2.1')],
          [by('u1'), from('192.0.2.2')],
          [by('u2'), from('192.0.2.1')],
          [click, from('192.0.2.1')],
          [click, from('192.0.2.1')],
        ])) {
          assert.equal((await on.deployment.beacon(event, visitor)).status, 204);
        }
        await check('articles/all', [['x', 3]]);
        const [actors, visitors, ...more] = await marks('articles');
        assert.deepEqual([visitors, more], [`${actors}:visitors:${TODAY}`, []]);
        assert.deepEqual([(await digests([actors])).length, (await digests([visitors])).length], [2, 1]);
      });

      test('twenty User-Agents of one address count eight times a day on each board, and others do not suffer', async () => {
        const agents = Array.from({ length: 20 }, (_, i) => `agent-${i}`);
        await visit(agents.map((agent, i) => [from('192.0.2.1', agent), i < 8 ? 1 : 0]));
        await visit([
          [from('192.0.2.2', 'agent-19'), 1],
          [from('192.0.2.1', 'agent-0'), 0],
        ]);
        // A visitor of before may do something else, and another one may not.
        const other = { ...click, item: 'y' };
        await visit(
          [
            [from('192.0.2.1', 'agent-7'), 1],
            [from('192.0.2.1', 'agent-8'), 0],
          ],
          other,
        );
        // Another board counts by itself, and so does another day.
        await on.deployment.beacon({ action: 'mixed', item: 'x' }, from('192.0.2.1', 'agent-19'));
        await check('daily/all', [['x', 1]]);
        on.deployment.clock.set('2026-07-16T03:00:00Z');
        await visit([[from('192.0.2.1', 'agent-19'), 1]]);
      });

      test('the same in one batch of a server, which is told', async () => {
        const visitor = (/** @type {number} */ i) => ({ ...click, visitor: { address: '2001:db8::1', agent: `agent-${i}` } });
        const { body } = await on.deployment.events({ events: Array.from({ length: 10 }, (_, i) => visitor(i)) });
        assert.deepEqual(
          [body.accepted, body.rejected.map((/** @type {any} */ { index, code }) => [index, code])],
          [
            8,
            [
              [8, 'too-many-visitors'],
              [9, 'too-many-visitors'],
            ],
          ],
        );
        await check('articles/all', [['x', 8]]);
        const keys = await on.deployment.redis.command('KEYS', '*:visitors:*');
        const counts = keys.find((/** @type {string} */ key) => !key.includes(':once:'));
        const salt = await expiryOf(saltKey('articles', TODAY));
        assert.equal(await expiryOf(counts), salt, 'they go with the salt');
      });

      test('as many as the site says, or all', async () => {
        for (const [site, expected] of /** @type {const} */ ([
          ['two', 2],
          ['all', 10],
        ])) {
          for (let i = 0; i < 10; i += 1) await on.deployment.beacon(click, { ...from('192.0.2.1', `agent-${i}`), site });
          assert.deepEqual(entriesOf(await on.deployment.freshTop('articles/all', '', site)), [['x', expected]]);
        }
      });

      test('what who listens to Redis hears, address and agent cannot be tried on', async () => {
        const { redis } = on.deployment;
        await redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
        await redis.command('CONFIG', 'SET', 'appendonly', 'yes');
        const address = '192.0.2.171';
        const visitor = { address, agent: FIREFOX };
        const [heard] = await overhear(redis, [
          async () => {
            assert.equal((await on.deployment.beacon(click, from(address))).status, 204);
            assert.equal((await on.deployment.events({ events: [{ ...click, visitor }] })).status, 200);
          },
        ]);
        const slow = await redis.command('SLOWLOG', 'GET', '100');
        const [, dir] = await redis.command('CONFIG', 'GET', 'dir');
        const log = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.aof'));
        assert.ok(log.length > 0, 'there is a log');
        const everything = [JSON.stringify([heard, slow]), ...log.map((name) => readFileSync(join(dir, name), 'latin1'))].join('\n');
        const octets = Buffer.from([192, 0, 2, 171]);
        assert.ok(everything.includes(fingerprintOf(octets, FIREFOX)), 'the keyed digests were heard');
        // What a listener can make of the address, the agent, the site and the salt, which it hears as well.
        const salt = await redis.command('GET', saltKey('articles', TODAY));
        const texts = [address, octets].flatMap((of) => [
          [of],
          [of, FIREFOX],
          [of, '\0demo\0', FIREFOX],
          ['demo', of, FIREFOX],
          ['demo\0', of, '\0', FIREFOX],
        ]);
        for (const parts of [...texts, [FIREFOX], ...texts.map((text) => [salt, ...text])]) {
          for (const hash of ['md5', 'sha1', 'sha256']) {
            const digest = parts.reduce((sum, part) => sum.update(part), createHash(hash)).digest();
            for (const encoding of /** @type {const} */ (['hex', 'base64url'])) {
              assert.ok(!everything.includes(digest.toString(encoding).slice(0, 12)), `${hash} of ${parts}`);
            }
          }
        }
        assert.ok(!everything.includes(address) && !everything.includes('Firefox'));
      });

      test('whose address is not known, each counts', async () => {
        await visit([
          [from('unknown'), 1],
          [from('unknown'), 1],
          [from('192.0.2.1, 192.0.2.2'), 1],
          [from('192.0.2.1:80'), 1],
        ]);
        assert.deepEqual(await on.deployment.redis.command('KEYS', '*:salt:*'), []);
      });

      test('the next day they are others, also for what counts once per week or ever', async () => {
        for (const action of ['per-day', 'per-week', 'per-ever']) {
          const event = { action, item: action };
          on.deployment.clock.set('2026-07-16T02:30:00Z'); // 03:30 in London
          await visit(
            [
              [from('192.0.2.1'), 1],
              [from('192.0.2.1'), 0],
            ],
            event,
          );
          on.deployment.clock.set('2026-07-16T03:00:00Z');
          await visit(
            [
              [from('192.0.2.1'), 1],
              [from('192.0.2.1'), 0],
            ],
            event,
          );
          await visit([[from('192.0.2.1'), 0]], /** @type {any} */ ({ ...event, ago: HOUR_MS })); // yesterday's
        }
      });

      test('a late event of theirs is of the day it happened on', async () => {
        on.deployment.clock.set('2026-07-16T04:00:00Z');
        const late = { ...click, ago: 2 * HOUR_MS };
        await visit(
          [
            [from('192.0.2.1'), 1],
            [from('192.0.2.1'), 0],
          ],
          late,
        );
        await visit([
          [from('192.0.2.1'), 1],
          [from('192.0.2.1'), 0],
        ]);
        await check('articles/day', [['x', 1]]);
      });

      const saltKey = (/** @type {string} */ board, /** @type {number} */ day, site = 'demo') => `eb:{${site}:${board}}:salt:${day}`;

      test('the salt of a day is deleted a day after that day, and another one made the next', async () => {
        for (const [day, noon, ends] of /** @type {[number, string, string][]} */ ([
          [TODAY, NOW, '2026-07-16T03:00:00Z'],
          [TODAY + 1, '2026-07-16T12:30:00Z', '2026-07-17T03:00:00Z'],
          [Date.parse('2026-10-24') / DAY_MS, '2026-10-24T12:30:00Z', '2026-10-25T04:00:00Z'],
        ])) {
          on.deployment.clock.set(noon);
          await visit([[from('192.0.2.1'), 1]]);
          const key = saltKey('articles', day);
          assert.ok((await on.deployment.redis.command('GET', key)).length >= 32, 'a random text');
          assert.equal(await expiryOf(key), Date.parse(ends) + DAY_MS, noon);
          const contents = await contentsOf(on.deployment.redis);
          on.deployment.clock.set(Date.parse(ends) + DAY_MS + 1);
          assert.equal(await on.deployment.redis.command('EXISTS', key), 0);
          assert.deepEqual(await on.deployment.redis.command('KEYS', '*:salt:*'), []);
          assert.deepEqual(
            keysThatHold(await contentsOf(on.deployment.redis), contents.get(key)?.[0] ?? '?'),
            [],
            'and stands nowhere else',
          );
        }
      });

      test('two days, two boards and two sites never have the same salt', async () => {
        await visit([[from('192.0.2.1'), 1]]);
        await visit([[from('192.0.2.1'), 1]], /** @type {any} */ ({ ...click, ago: 12 * HOUR_MS }));
        await on.deployment.beacon({ action: 'mixed', item: 'x' }, from('192.0.2.1'));
        await on.deployment.beacon(click, { ...from('192.0.2.1'), site: 'other' });
        const keys = [
          saltKey('articles', TODAY),
          saltKey('articles', TODAY - 1),
          saltKey('hourly', TODAY),
          saltKey('daily', TODAY),
          saltKey('articles', TODAY, 'other'),
        ];
        assert.deepEqual((await on.deployment.redis.command('KEYS', '*:salt:*')).sort(), keys.sort());
        assert.equal(new Set(await on.deployment.redis.command('MGET', ...keys)).size, keys.length);
      });

      test('also when one batch makes several of them', async () => {
        await on.deployment.beacon({ events: [click, { ...click, ago: 12 * HOUR_MS }] }, from('192.0.2.1'));
        const salts = await on.deployment.redis.command('MGET', saltKey('articles', TODAY), saltKey('articles', TODAY - 1));
        assert.notEqual(salts[0], salts[1]);
      });

      test('so that nothing tells who was on two boards, or on two days', async () => {
        await on.deployment.beacon({ action: 'mixed', item: 'x' }, from('192.0.2.1'));
        await on.deployment.beacon({ events: [click, { ...click, ago: 12 * HOUR_MS }] }, from('192.0.2.1'));
        const keys = await on.deployment.redis.command('KEYS', '*:once:*:visitors:*');
        const visitors = (await digests(keys)).map((/** @type {string} */ digest) => digest.slice(0, 16));
        assert.equal(visitors.length, 4);
        assert.equal(new Set(visitors).size, 4);
      });

      test('what they did is forgotten with the salt at the latest, since nobody can be known by it any more', async () => {
        await on.deployment.beacon({ events: UNITS.map((unit) => ({ action: `per-${unit}`, item: 'x' })) }, from('192.0.2.1'));
        const marks = await on.deployment.redis.command('KEYS', '*:once:*:visitors:*');
        assert.equal(marks.length, UNITS.length);
        const [board] = marks[0].split(':once:');
        const salt = await on.deployment.redis.command('EXPIRETIME', `${board}:salt:${TODAY}`);
        for (const mark of marks) {
          const expires = await on.deployment.redis.command('EXPIRETIME', mark);
          assert.ok(expires > 0 && expires <= salt, `${mark}: ${expires} of ${salt}`);
        }
      });

      test('nothing in Redis, and nothing the worker writes, holds an address, a user agent or its plain fingerprint', async () => {
        const agent = 'a-user-agent-of-its-own/7.3';
        const addresses = [
          ['192.0.2.171', Buffer.from([192, 0, 2, 171])],
          ['2001:db8:aa:bb::171', Buffer.from('20010db800aa00bb', 'hex')],
        ];
        await on.deployment.redis.command('CONFIG', 'SET', 'slowlog-log-slower-than', '-1');
        for (const [address] of addresses) {
          for (const action of [...Object.keys(PER_UNIT), 'mixed', 'glow', 'brief', 'tap']) {
            const visitor = from(String(address), agent);
            assert.equal(
              (
                await on.deployment.beacon(
                  {
                    events: [
                      { action, item: 'x' },
                      { action, item: 'y', ago: 12 * HOUR_MS },
                    ],
                  },
                  visitor,
                )
              ).status,
              204,
            );
            assert.equal((await on.deployment.beacon({ action, item: 'x', actor: 'u1' }, visitor)).status, 204);
          }
        }
        const contents = await contentsOf(on.deployment.redis);
        assert.ok(
          [...contents.keys()].some((key) => key.includes(':visitors:')),
          'visitors are there',
        );
        const written = JSON.stringify(on.deployment.worker.log);
        for (const [address, octets] of addresses) {
          const print = fingerprintOf(Buffer.from(octets), agent);
          const shapes = [String(address), 'user-agent-of-its-own', print, ...print.split('.')];
          for (const hash of ['sha1', 'sha256', 'md5']) shapes.push(createHash(hash).update(String(address)).digest('hex').slice(0, 16));
          for (const text of shapes) {
            assert.deepEqual(keysThatHold(contents, text), [], text);
            assert.ok(!written.includes(text), text);
          }
          // What is there is the fingerprint hashed with the day's salt.
          const salt = contents.get(saltKey('articles', TODAY))?.[0];
          const stored = createHash('sha1')
            .update(`${salt}${print.split('.')[0]}`)
            .digest('hex')
            .slice(0, 16);
          const who = createHash('sha1').update(`visitor:${stored}`).digest('hex').slice(0, 16);
          const marked = contents.get(`eb:{demo:articles}:once:day:${TODAY}:visitors:${TODAY}`) ?? [];
          assert.ok(
            marked.some((digest) => digest.startsWith(who)),
            'one of them',
          );
        }
      });
    });
  });
}
