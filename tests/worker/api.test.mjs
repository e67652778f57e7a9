/**
 * The HTTP reference tells the truth: its requests are sent in their order, and its answers are what comes back. The pages follow each
 * other as docs/http.md lists them.
 *
 * A pair of http blocks is a request and its answer; `<!-- clock: … -->` moves the clocks there; `…` in an answer stands for
 * anything. Headers that an answer does not name are not compared.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { signActor } from '../../packages/edgeboard/serve/actor-token.mjs';
import { inProject } from '../../scripts/project.mjs';
import { startDeployment, RESP, WRITE_TOKEN } from '../support/deployment.mjs';
import { tomlBlocks, varsOf } from '../support/toml.mjs';
import { startWorker } from '../support/worker.mjs';

const PAGE = 'docs/http.md';
const TEXT = readFileSync(inProject(PAGE), 'utf8');
const PAGES = [PAGE, ...[...TEXT.matchAll(/^\| \[[^\]]+\]\((http\/[\w-]+\.md)\) \|/gm)].map(([, page]) => `docs/${page}`)];
const METRICS_TOKEN = 'a-token-for-metrics';
const ADMIN_TOKEN = 'a-token-for-admins';
const ACTOR_SECRET = 'a-secret-of-the-site';
const SITES_SECRET = 'a-secret-of-which-others-are-derived';
/** Until the last of the page's moments is over. @param {string} actor */
const tokenOf = (actor) => signActor({ secret: ACTOR_SECRET, site: 'demo', actor, expiry: Date.parse('2030-01-01') / 1000 });
const STEPS = PAGES.flatMap(stepsOf);

/**
 * @typedef {{ clock: string }} Moment
 * @typedef {{ place: string, method: string, path: string, headers: Record<string, string>, body?: string, status: number,
 *   expected: Record<string, string>, json?: unknown, text?: string }} Exchange
 */

for (const transport of RESP) {
  describe(`docs/http.md over ${transport}`, () => {
    /** @type {import('../support/deployment.mjs').Deployment} */
    let deployment;
    before(async () => {
      deployment = await startDeployment({
        transport,
        sites: varsOf(tomlBlocks(PAGE)[0]).SITES,
        vars: { ADMIN_TOKEN, METRICS_TOKEN, ACTOR_SECRET, SITES_SECRET },
        hasBucket: true,
      });
    });
    after(() => deployment.stop());

    for (const step of STEPS) {
      if ('clock' in step) {
        test(`it is ${step.clock}`, async () => {
          const at = Date.parse(step.clock);
          // The caches live by the worker's clock, which may be wrong.
          for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
          // Nobody kept the windows while the clock was moved.
          await deployment.worker.scheduled();
        });
      } else {
        test(`${step.place}: ${step.method} ${step.path} → ${step.status}`, () => check(deployment, step));
      }
    }
  });
}

test('every page of the reference is listed', () => {
  const pages = readdirSync(inProject('docs/http')).map((name) => `docs/http/${name}`);
  assert.deepEqual([...PAGES].sort(), [PAGE, ...pages].sort());
});

test('every route has an example', async (t) => {
  const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES: varsOf(tomlBlocks(PAGE)[0]).SITES } });
  t.after(() => worker.stop());
  const { paths } = /** @type {any} */ (await (await worker.fetch('/openapi.json')).json());
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  assert.ok(routes.length > 20, 'the routes are found');
  const pages = ['/', '/admin', '/beacon.js', '/v/{file}', '/board.js', '/board-texts.js', '/openapi.json'];
  const without = routes.filter(({ path, method }) => {
    const route = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    return (
      !pages.includes(path) && !STEPS.some((step) => !('clock' in step) && step.method === method && route.test(step.path.split('?')[0]))
    );
  });
  assert.deepEqual(without, []);
});

/** What takes an outage, a wrong clock, some minutes of upkeep, a queue, seasons alone, sections, a configuration error, or more than a page holds, and what a header says; other tests have these. */
const WITHOUT_EXAMPLE = [
  'board-archived',
  'redis-unavailable',
  'database-unavailable',
  'dataset-unavailable',
  'no-database',
  'no-sites-secret',
  'contended',
  'clock-differs',
  'not-restored',
  'outcome-unknown',
  'script-failed',
  'configuration-invalid',
  'too-many-attempts',
  'too-many-requests',
  'binding-missing',
  'too-many-sockets',
  'too-many-viewers',
  'body-too-large',
  'too-many-events',
  'list-full',
  'too-many-sections',
  'unknown-item',
  'too-many-new',
  'out-of-season',
  'seq-missing',
  'unreadable',
  'internal',
];

test('every code of a problem, and of an event that is not counted, has an example', () => {
  const [, table] =
    /<!-- problems -->(.*?)<!-- \/problems -->/s.exec(readFileSync(inProject('docs/http/problems.md'), 'utf8')) ??
    assert.fail('no table of problems');
  const codes = [...table.matchAll(/^\| \d+ \| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  assert.ok(codes.length > 40, 'the codes are found');
  const shown = STEPS.flatMap((step) =>
    'clock' in step ? [] : [...JSON.stringify(step.json ?? {}).matchAll(/"code":"([^"]+)"/g)].map(([, code]) => code),
  );
  const missing = codes.filter((code) => !shown.includes(code));
  assert.deepEqual(
    missing.filter((code) => !WITHOUT_EXAMPLE.includes(code)),
    [],
  );
});

/**
 * @param {import('../support/deployment.mjs').Deployment} deployment
 * @param {Exchange} exchange
 */
async function check(deployment, { method, path, headers, body, status, expected, json, text }) {
  const answer = await deployment.fetch(path, { method, headers, body });
  assert.equal(answer.status, status, answer.text);
  for (const [name, value] of Object.entries(expected)) {
    assert.ok(matches(answer.headers.get(name) ?? '', value), `${name}: ${answer.headers.get(name)}, not ${value}`);
  }
  if (text !== undefined) assert.ok(matches(answer.text.trim().replaceAll('\r', ''), text), answer.text);
  if (json === undefined) return;
  assert.deepEqual(alike(answer.body, json), json, answer.text);
}

/** `actual`, with what `…` stands for replaced by it. @param {any} actual @param {any} expected @returns {any} */
function alike(actual, expected) {
  if (typeof expected === 'string' && expected.includes('…')) return matches(String(actual), expected) ? expected : actual;
  if (Array.isArray(actual)) return actual.map((value, i) => alike(value, expected?.[i]));
  if (actual === null || typeof actual !== 'object') return actual;
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, alike(value, expected?.[name])]));
}

/** @param {string} text @param {string} pattern */
function matches(text, pattern) {
  const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`, 's').test(text);
}

/** @param {string} page @returns {(Moment | Exchange)[]} */
function stepsOf(page) {
  const text = readFileSync(inProject(page), 'utf8');
  /** @type {(Moment | Exchange)[]} */
  const steps = [];
  /** @type {RegExpMatchArray | undefined} */
  let request;
  for (const found of text.matchAll(/<!-- clock: (\S+) -->|```http\n(.*?)```/gs)) {
    if (found[1]) {
      steps.push({ clock: found[1] });
    } else if (!request) {
      request = found;
    } else {
      const place = `${page}:${text.slice(0, request.index).split('\n').length}`;
      steps.push({ place, ...requestOf(request[2]), ...answerOf(found[2]) });
      request = undefined;
    }
  }
  assert.equal(request, undefined, `every request of ${page} has its answer`);
  return steps;
}

/** @param {string} block */
function requestOf(block) {
  const { first, headers, body } = partsOf(
    block
      .replace('WRITE_TOKEN', WRITE_TOKEN)
      .replace('ADMIN_TOKEN', ADMIN_TOKEN)
      .replace('METRICS_TOKEN', METRICS_TOKEN)
      .replace('TOKEN_OF_ANN', tokenOf('ann'))
      .replace('TOKEN_OF_BOB', tokenOf('bob')),
  );
  const [method, path] = first.split(' ');
  return { method, path, headers, body: body || undefined };
}

/** @param {string} block */
function answerOf(block) {
  const { first, headers, body } = partsOf(block);
  const isJson = /[/+]json/.test(headers['Content-Type'] ?? 'application/json');
  return {
    status: Number(first),
    expected: headers,
    json: isJson && body ? JSON.parse(body) : undefined,
    text: isJson ? undefined : body || undefined,
  };
}

/** @param {string} block */
function partsOf(block) {
  const [head, ...rest] = block.split('\n\n');
  const [first, ...lines] = head.trim().split('\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2)));
  return { first, headers, body: rest.join('\n\n').trim() };
}
