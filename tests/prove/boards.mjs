/**
 * Thousands of boards of a template: made, counted on, read, idle for a week, ended, archived, and deleted, while events come on another one.
 * What each step costs, that idle boards cost nothing, and that nothing comes back.
 */
import assert from 'node:assert/strict';

import { startDeployment } from '../support/deployment.mjs';
import { say } from '../../packages/edgeboard/report.mjs';
import { table } from './document.mjs';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.parse('2026-11-20T12:00:00Z');
const TOKEN = 'a-token-for-owners';
const AT_ONCE = 50;
const ACTORS = ['ann', 'bob', 'cas'];
/** Runs of upkeep in which a step is over, at most. */
const MOST_RUNS = 2_000;
const LEVEL = {
  template: true,
  members: 'actors',
  weights: { finish: 1 },
  windows: ['day', 'last-3-days', 'all'],
  max_boards: 10_000,
  archive: true,
  fresh: '1s',
};
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, finish: {} },
  limits: { beacons: 0, misses: 0 },
  boards: { articles: { weights: { view: 1 }, windows: ['day', 'all'] }, level: LEVEL },
};

/** @typedef {import('../support/deployment.mjs').Deployment} Deployment */
/** @typedef {{ step: string, seconds: number, commands: number, bytes: number, runs?: number, slowestMs?: number }} Step bytes of Redis behind it */
/** @typedef {{ commands: number, medianMs: number, slowestMs: number }} Hour sixty runs */
/** @typedef {{ boards: number, steps: Step[], idle: { without: Hour, all: Hour }, remaining: string[], wrong: string[] }} Boards */

/** @param {{ boards: number }} options @returns {Promise<Boards>} */
export async function proveBoards({ boards }) {
  const deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN: TOKEN },
    hasDatabase: false,
    hasBucket: true,
  });
  try {
    return await prove(
      deployment,
      Array.from({ length: boards }, (_, i) => `level:${i}`),
    );
  } finally {
    await deployment.stop();
  }
}

/** @param {Deployment} deployment @param {string[]} names @returns {Promise<Boards>} */
async function prove(deployment, names) {
  const { redis } = deployment;
  /** @type {string[]} */
  const wrong = [];
  /** @type {Step[]} */
  const steps = [];
  let [at, views] = [NOON, 0];

  async function view() {
    views += 1;
    const events = [{ action: 'view', item: '/a', id: `view-${views}` }];
    const { status, text } = await answered(() => deployment.events({ events }));
    assert.equal(status, 200, text);
  }
  /** A scheduled run at a later instant, with an event before it. Answers how long it took. @param {number} later */
  async function run(later) {
    at += later;
    for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
    await view();
    const began = performance.now();
    await deployment.worker.scheduled();
    return performance.now() - began;
  }
  /** Runs until nothing is left. @param {() => Promise<boolean>} isDone @param {number} [later] */
  async function runUntil(isDone, later = MINUTE_MS) {
    let [runs, slowestMs] = [0, 0];
    for (; !(await isDone()); runs += 1) {
      assert.ok(runs < MOST_RUNS, 'it ends');
      slowestMs = Math.max(slowestMs, await run(later));
    }
    return { runs, slowestMs };
  }
  /** @param {string} step @param {() => Promise<{ runs?: number, slowestMs?: number } | void>} work */
  async function measure(step, work) {
    const began = performance.now();
    /** @type {{ runs?: number, slowestMs?: number }} */
    let more = {};
    const counts = await deployment.commandsDuring(async () => {
      more = (await work()) ?? {};
    });
    const seconds = (performance.now() - began) / 1000;
    const memory = /used_memory:(\d+)/.exec(await redis.command('INFO', 'memory'));
    say(`${step}: ${seconds.toFixed(1)} s`);
    steps.push({ step, seconds, commands: sum(counts), bytes: Number(memory?.[1] ?? 0), ...more });
  }
  const init = (/** @type {string} */ method, /** @type {object | undefined} */ body = undefined) => ({
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    body: body && JSON.stringify(body),
  });
  /** Asks of each board. @param {string} method @param {number} status @param {string} [behind] @param {object} [body] */
  async function ask(method, status, behind = '', body = undefined) {
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const asked = names.slice(from, from + AT_ONCE).map(async (name) => {
        const answer = await answered(() => deployment.fetch(`/v1/demo/admin/boards/${name}${behind}`, init(method, body)));
        assert.equal(answer.status, status, answer.text);
      });
      await Promise.all([...asked, view()]);
    }
  }
  /** Whether each board shows all. @param {string} of */
  async function read(of) {
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const asked = names.slice(from, from + AT_ONCE).map((name) => deployment.fetch(`/v1/demo/boards/${name}/all`));
      for (const { body } of await Promise.all(asked)) {
        const shown = body.entries?.map((/** @type {any} */ { id, score }) => `${id} ${score}`).join();
        if (shown !== 'cas 1,bob 1,ann 1') wrong.push(`${of}: ${body.board} shows ${shown}`);
      }
    }
  }
  /** The states of all boards, and how many are in each. */
  async function states() {
    /** @type {Record<string, number>} */
    const counts = {};
    for (let cursor = ''; cursor !== null; ) {
      const { body } = await deployment.fetch(`/v1/demo/admin/templates/level?limit=1000${cursor && `&cursor=${cursor}`}`, init('GET'));
      for (const { state } of body.boards) counts[state] = (counts[state] ?? 0) + 1;
      cursor = body.next;
    }
    return counts;
  }
  const are = (/** @type {string} */ state) => async () => (await states())[state] === names.length;
  /** @returns {Promise<Hour>} */
  async function hour() {
    /** @type {number[]} */
    const runsMs = [];
    const counts = await deployment.commandsDuring(async () => {
      for (let minute = 0; minute < 60; minute += 1) runsMs.push(await run(MINUTE_MS));
    });
    runsMs.sort((one, other) => one - other);
    return { commands: sum(counts), medianMs: runsMs[30], slowestMs: runsMs[59] };
  }

  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(at);
  await hour();
  const without = await hour();
  await measure('made', () => ask('PUT', 201, '', { title: 'A level', ends_at: null }));
  await measure('counted on by three actors', async () => {
    for (let from = 0; from < names.length; from += 10) {
      const events = ACTORS.map((actor) => ({ action: 'finish', actor, boards: names.slice(from, from + 10) }));
      const { body, text } = await deployment.events({ events });
      assert.equal(body.accepted, ACTORS.length, text);
    }
  });
  await measure('read', () => read('counted'));
  await measure('listed, by 1,000', async () => void assert.ok(await are('open')()));
  const counted = at;
  await measure('a week, until all are idle', () => runUntil(async () => at >= counted + 10 * 24 * HOUR_MS, HOUR_MS));
  const idleAll = await hour();
  await measure('ended', () => ask('PUT', 200, '', { title: 'A level', ends_at: new Date(at).toISOString() }));
  await measure('archived', async () => {
    await ask('PUT', 202, '/archive');
    return runUntil(are('archived'));
  });
  await measure('keys deleted', () => runUntil(async () => (await redis.command('ZCARD', 'eb:{demo}:boards:going')) === 0));
  const keys = /** @type {string[]} */ (await redis.command('KEYS', 'eb:{demo:level:*'));
  if (keys.length > 0) wrong.push(`archived boards have ${keys.length} keys, such as ${keys[0]}`);
  await measure('read from the archive', () => read('archived'));
  await measure('deleted', async () => {
    await ask('DELETE', 202);
    return runUntil(async () => Object.keys(await states()).length === 0);
  });
  const { body: late } = await deployment.events({ events: [{ action: 'finish', actor: 'ann', boards: [names[0]] }] });
  if (late.rejected[0]?.code !== 'unknown-board') wrong.push(`an event of a deleted board: ${JSON.stringify(late)}`);
  const remaining = /** @type {string[]} */ (await redis.command('KEYS', '*level*'));
  const bucket = /** @type {any} */ (await deployment.worker.miniflare.getR2Bucket('ARCHIVE'));
  const { objects } = await bucket.list({ prefix: 'eb/demo/level:' });
  remaining.push(...objects.map((/** @type {{ key: string }} */ { key }) => key));
  const articles = await deployment.freshTop('articles/all');
  if (articles.body.entries[0].score !== views) wrong.push(`${views} events came meanwhile, and ${articles.body.entries[0].score} counted`);
  const idle = { without, all: idleAll };
  return { boards: names.length, steps, idle, remaining: remaining.filter((key) => key !== 'eb:{demo:level}:state'), wrong };
}

/** An answer of Redis: what is asked for may be asked for again, as a 503 or 504 of a busy machine says. @template {{ status: number }} T @param {() => Promise<T>} ask */
async function answered(ask) {
  const answer = await ask();
  return [503, 504].includes(answer.status) ? await ask() : answer;
}

/** All commands, those in scripts included. @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((all, count) => all + count, 0);

/** @param {Boards} found */
export function renderBoards({ boards, steps, idle }) {
  const many = (/** @type {number} */ n, digits = 0) => n.toLocaleString('en', { maximumFractionDigits: digits });
  const rows = steps.map(({ step, seconds, commands, bytes, runs, slowestMs }) => [
    step,
    many(seconds, 1),
    many(commands / boards, 1),
    many(bytes / 1e6, 1),
    runs === undefined ? '' : many(runs),
    slowestMs === undefined ? '' : many(slowestMs),
  ]);
  const head = ['boards are', 's', 'commands a board', 'MB of Redis then', 'runs', 'longest run, ms'];
  const runs = (/** @type {Hour} */ { medianMs, slowestMs }) => `${many(medianMs, 1)} ms (at most ${many(slowestMs, 1)} ms)`;
  const text = `An hour of runs takes ${many(idle.all.commands)} commands with ${many(boards)} idle boards, and ${many(idle.without.commands)} without any. \
A run takes ${runs(idle.all)} with them, and ${runs(idle.without)} without.`;
  return `${table(head, rows)}\n\n${text}`;
}

/** @param {Boards} found @returns {string[]} */
export function wrongInBoards({ idle, remaining, wrong }) {
  const all = wrong.slice(0, 10);
  if (remaining.length > 0) all.push(`${remaining.length} keys and objects are left, such as ${remaining[0]}`);
  const [among, without] = [idle.all.commands, idle.without.commands];
  if (among > 2 * without) all.push(`an hour takes ${among} commands with all boards, and ${without} without any`);
  return all;
}
