/**
 * The sites that hostile requests are sent to.
 */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { CALENDAR, startDeployment, WRITE_TOKEN } from '../../support/deployment.mjs';

/**
 * `[what, method and path, status, code, init]`; a POST without a body sends `view`.
 *
 * @typedef {[what: string, request: string, status: number, code: string, init?: RequestInit]} Refused
 */

export const ORIGIN = 'https://demo.example';
const SITE = {
  origins: [ORIGIN],
  actors: 'any',
  actions: { view: { public: true }, like: {} },
  boards: {
    articles: { weights: { view: 1, like: 2 }, windows: CALENDAR },
    people: { members: 'actors', weights: { view: 1 }, windows: ['day'] },
  },
};
export const SITES = { demo: SITE, other: SITE, open: { ...SITE, origins: ['*'] }, sandboxed: { ...SITE, origins: ['null'] } };
export const MAX_BODY = 64 * 1024;
export const view = { action: 'view', item: '/posts/1' };
export const events = (/** @type {unknown[]} */ ...list) => JSON.stringify({ events: list });
export const bearer = { authorization: `Bearer ${WRITE_TOKEN}` };

/** What `Allow` names, by path. */
const ALLOW = { beacon: 'POST', events: 'POST' };

/**
 * Starts the deployment of a suite, and gives what its tests ask it.
 *
 * @param {import('../../support/deployment.mjs').Transport} transport
 */
export function serve(transport) {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  /** @type {string} */
  let dump;
  /** Everything in Redis. */
  const everything = async () => {
    const keys = (await deployment.redis.command('KEYS', '*')).sort();
    return JSON.stringify(
      await Promise.all(
        keys.map(async (/** @type {string} */ key) => [key, (await deployment.redis.commandBuffers('DUMP', key)).toString('hex')]),
      ),
    );
  };
  before(async () => {
    deployment = await startDeployment({ transport, sites: SITES });
    deployment.clock.set('2026-11-20T12:00:00Z');
    for (const site of ['demo', 'other']) await deployment.beacon({ ...view, actor: 'u1', id: 'first' }, { site });
    dump = await everything();
  });
  after(() => deployment?.stop());

  /** @param {Refused} refused */
  async function check([, request, status, code, init]) {
    const [method, path] = request.split(' ');
    const body = method === 'POST' && init?.body === undefined ? events(view) : undefined;
    const url = path.startsWith('/') ? path : `/v1/demo/${path}`;
    /** @type {import('../../support/deployment.mjs').Answer | undefined} */
    let answer;
    const { calls = 0 } = await deployment.commandsDuring(async () => {
      answer = await deployment.fetch(url, { method, ...(body && { body }), ...init });
    });
    assert.deepEqual([answer?.status, answer?.body?.code], [status, code], answer?.text.slice(0, 500));
    assert.equal(answer?.headers.get('content-type'), 'application/problem+json');
    const isNoRanking = status === 404 && /^boards\/[^/]+\/./.test(path);
    assert.match(answer?.headers.get('cache-control') ?? '', isNoRanking ? /^public, max-age=2$/ : /^no-store$/);
    assert.equal(answer?.body.status, status);
    assert.ok(answer?.body.title && answer?.body.detail);
    assert.ok(answer.text.length < 1_000, 'what was sent is not sent back');
    assert.equal(calls, 0, 'Redis is not asked');
    assert.equal(await everything(), dump, 'nothing is written');
    const allow = answer?.headers.get('allow');
    if (status === 405) assert.equal(allow, ALLOW[/** @type {'beacon'} */ (path)] ?? 'GET');
    else assert.equal(allow, null);
    assert.equal(answer?.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
    if (status === 403) assert.equal(answer?.headers.get('access-control-allow-origin'), null);
  }

  return {
    get deployment() {
      return deployment;
    },
    check,
  };
}
