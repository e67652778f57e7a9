/**
 * Simulated days over a change of clocks: events, rare operations and clocks that step back, through two workers of which one has an older
 * configuration, while replies are lost. Every window is compared with a model at many instants.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDeployment, unlimited, WRITE_TOKEN } from '../../support/deployment.mjs';
import { createRandom, readComplete } from '../../support/windows.mjs';
import { startWorker } from '../../support/worker.mjs';
import { table } from '../document.mjs';
import { createCalendar } from './calendar.mjs';
import { createBoardModel } from './model.mjs';
import { BOARDS, drawSite, NEWER } from './site.mjs';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const STEP_MS = 17 * MINUTE_MS;
const TOKEN = 'a-token-for-owners';
const LOST_REPLIES = 0.08;
/** Of a score of a half-life: events without an instant are known to the second, and scores are of the last tick. */
const HOT_TOLERANCE = 2e-3;
/** Below that, of the greatest one, a faded member may be gone. */
const FADED = 1e-6;
const TRIES = 60;
const ITEMS = 40;
const ACTORS = 15;
const ONCE_MS = DAY_MS - 60 * MINUTE_MS;

/** @typedef {{ seed: number, options: object, steps: number, events: number, operations: Record<string, number>, compared: number, differences: string[], seconds: number }} Soak */

/** @param {{ seed: number, days: number, instants: number }} options @returns {Promise<Soak>} */
export async function proveSoak({ seed, days, instants }) {
  const began = Date.now();
  const random = createRandom(seed);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const { zone, from, newer, older, options } = drawSite(pick);
  const calendar = createCalendar(zone);
  const models = Object.fromEntries(Object.entries(BOARDS).map(([name, board]) => [name, createBoardModel(board, calendar)]));
  const storage = await mkdtemp(join(tmpdir(), 'edgeboard-soak-'));
  const vars = { ADMIN_TOKEN: TOKEN };
  const deployment = await startDeployment({ transport: 'redis://', relayed: true, sites: { demo: newer }, vars, storage });
  const { link, clock, edgeClock } = deployment;
  const other = await startWorker({
    clock: edgeClock,
    vars: { REDIS_URL: link.url, WRITE_TOKEN, ADMIN_TOKEN: TOKEN, SITES: unlimited({ demo: older }) },
  });
  const configured = (/** @type {string} */ board, isOlder = false) =>
    Object.keys(BOARDS[board].windows).filter((window) => !isOlder || !NEWER.has(`${board}/${window}`));

  /** @type {Record<string, number>} */
  const operations = {};
  /** @type {string[]} */
  const differences = [];
  /** @type {Map<string, string>} */
  const became = new Map();
  /** @type {Set<string>} */
  const offArticles = new Set();
  /** @type {Set<string>} */
  const hidden = new Set();
  let [batches, events, compared, loses] = [0, 0, 0, false];
  /** What happened, for whoever looks for the reason of a difference. @type {string[]} */
  const history = [];
  const note = (/** @type {string} */ what) => history.push(`${new Date(clock.now()).toISOString()} ${what}`);
  link.loseRepliesWhen(() => loses && random() < LOST_REPLIES);

  const resolve = (/** @type {string} */ item) => {
    let name = item;
    for (let to = became.get(name); to !== undefined; to = became.get(name)) name = to;
    return name;
  };

  /** Asks until it is done: replies are lost. @param {string} path @param {RequestInit} [init] */
  async function ask(path, init = {}) {
    let said = '';
    note(`${init.method} ${path} ${init.body ?? ''}`);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const token = path.startsWith('/v1/demo/actors/') ? WRITE_TOKEN : TOKEN;
      const { status, body, text } = await deployment.fetch(path, { ...init, headers: { authorization: `Bearer ${token}` } });
      if ((status === 200 || status === 204) && body?.done !== false) return body;
      said = `${status} ${text}`;
      assert.ok([200, 202, 500, 503, 504].includes(status), `${path}: ${said}`);
      // Upkeep rests, and a run that was killed has the board for half a minute.
      clock.advance(1000);
      edgeClock.advance(1000);
    }
    return assert.fail(`${path} is not done after ${TRIES} tries: ${said}`);
  }

  /** @param {object[]} batch @param {boolean} isOlder */
  async function send(batch, isOlder) {
    batches += 1;
    const body = JSON.stringify({ id: `soak-${seed}-${batches}`, events: batch });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${WRITE_TOKEN}` };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const init = { method: 'POST', headers, body };
      const answer = isOlder ? await other.fetch('/v1/demo/events', init) : await deployment.worker.fetch('/v1/demo/events', init);
      const text = await answer.text();
      if (answer.status === 200) return;
      assert.ok([503, 504].includes(answer.status), `${answer.status} ${text}`);
    }
    assert.fail('a batch is not acknowledged');
  }

  const upkeep = () => ask('/v1/demo/admin/upkeep', { method: 'POST' });
  const now = () => clock.now();
  const board = () => Object.keys(BOARDS)[pick(Object.keys(BOARDS).length)];
  const item = () => `/p/${pick(ITEMS)}`;
  const actor = () => `u${pick(ACTORS)}`;

  async function sendBatch() {
    const isOlder = random() < 0.4;
    const size = random() < 0.4 ? 1 : 1 + pick(9);
    /** @type {import('./model.mjs').Event[]} */
    const sent = [];
    for (let i = 0; i < size; i += 1) {
      const kind = random();
      const action = kind < 0.5 ? 'view' : kind < 0.8 ? 'like' : kind < 0.9 ? 'comment' : 'finish';
      const isLate = random() < 0.3;
      /** @type {import('./model.mjs').Event} */
      const event = { action, item: item(), at: isLate ? now() - pick(random() < 0.7 ? 5 * 60 * MINUTE_MS : 3 * DAY_MS) : NaN };
      // What counts once is remembered for a day after its period.
      if (action !== 'view' || (random() < 0.5 && !(event.at < now() - ONCE_MS))) event.actor = actor();
      if (action === 'like' && random() < 0.4) event.undo = true;
      if (event.undo) event.at = NaN;
      if (action === 'finish') event.value = 1 + pick(500);
      sent.push(event);
    }
    const body = sent.map(({ at, ...event }) => (Number.isNaN(at) ? event : { ...event, at }));
    await send(body, isOlder);
    for (const event of body) note(`${isOlder ? 'older' : 'newer'} ${JSON.stringify(event)} for ${resolve(event.item)}`);
    const at = now();
    for (const event of sent) {
      const of = { ...event, item: resolve(event.item), at: Number.isNaN(event.at) ? at : event.at };
      for (const [name, model] of Object.entries(models)) model.count(of, configured(name, isOlder));
    }
    events += size;
  }

  /** Rare operations, each by the route that does it. @type {Record<string, () => Promise<void>>} */
  const rare = {
    async reset() {
      const name = board();
      const window =
        random() < 0.5 ? undefined : configured(name).filter((window) => !BOARDS[name].isBest || !window.startsWith('last'))[pick(2)];
      clock.advance(1000);
      const { reset_at } = await ask(`/v1/demo/admin/boards/${name}/reset${window ? `?window=${window}` : ''}`, { method: 'POST' });
      models[name].reset(Date.parse(reset_at), window);
      clock.advance(1000);
    },
    async remove() {
      const [name, id] = ['articles', resolve(item())];
      await ask(`/v1/demo/admin/boards/${name}/members/${encodeURIComponent(id)}`, { method: 'DELETE' });
      models[name].remove(id);
      offArticles.add(id);
      clock.advance(1000);
    },
    async 'let in'() {
      const [id] = offArticles;
      if (id === undefined) return;
      await ask(`/v1/demo/admin/boards/articles/members/${encodeURIComponent(id)}`, { method: 'PUT' });
      models.articles.letIn(id);
      offArticles.delete(id);
      clock.advance(1000);
    },
    async hide() {
      const id = resolve(item());
      const method = hidden.has(id) ? 'DELETE' : 'PUT';
      await ask(`/v1/demo/admin/boards/articles/hidden/${encodeURIComponent(id)}`, { method });
      if (method === 'PUT') hidden.add(id);
      else hidden.delete(id);
    },
    async alias() {
      const [old, to] = [resolve(item()), resolve(item())];
      if (old === to || [old, to].some((id) => offArticles.has(id) || hidden.has(id))) return;
      await ask(`/v1/demo/items/${encodeURIComponent(old)}/alias`, { method: 'POST', body: JSON.stringify({ to }) });
      became.set(old, to);
      for (const model of Object.values(models)) model.alias(old, to);
    },
    async erase() {
      const id = actor();
      await ask(`/v1/demo/actors/${id}`, { method: 'DELETE' });
      for (const model of Object.values(models)) model.erase(id);
    },
    async revoke() {
      if (!('journal' in newer)) return;
      // Each a second away from what is counted before and after.
      clock.advance(1000);
      const [id, from, until] = [actor(), now() - pick(2 * DAY_MS), now()];
      clock.advance(1000);
      const body = JSON.stringify({ actor: id, from: new Date(from).toISOString(), until: new Date(until).toISOString() });
      await ask('/v1/demo/admin/revoke', { method: 'POST', body });
      for (const model of Object.values(models)) model.revoke(id, from, until);
    },
    'a clock back': async () => void clock.advance(-(5_000 + pick(40_000))),
    'scripts flushed': async () => void (await deployment.redis.command('SCRIPT', 'FLUSH')),
    'worker killed': () => deployment.restartWorker(),
  };

  /** Whether a window shows what the model has. @param {string} name @param {string} window @param {number} [period] */
  async function compare(name, window, period) {
    const of = BOARDS[name].windows[window];
    const query = period !== undefined && 'unit' in of ? `?period=${calendar.idOf(of.unit, period)}&limit=1000` : '?limit=1000';
    const { answer } = await readComplete(deployment, `${name}/${window}`, query);
    const at = Date.parse(answer.body.generated_at);
    const expected = models[name].scores(window, at, period);
    for (const id of name === 'articles' ? hidden : []) expected.delete(id);
    const shown = new Map(answer.body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
    const most = Math.max(...expected.values());
    const isHot = 'halfLifeMs' in of;
    // Scores of a half-life stand still for a tick: they are those of an instant that is at most a 64th of it before.
    const sum = (/** @type {Map<string, number>} */ scores) => [...scores.values()].reduce((sum, score) => sum + score, 0);
    const scale = isHot ? Math.min(Math.max(sum(shown) / sum(expected), 1), 2 ** (1 / 64)) : 1;
    compared += 1;
    for (const id of new Set([...expected.keys(), ...shown.keys()])) {
      const [must, is] = [(expected.get(id) ?? 0) * scale, shown.get(id) ?? 0];
      const isRight = isHot ? Math.abs(is - must) <= HOT_TOLERANCE * must + FADED * most : is === must;
      if (!isRight) differences.push(`${new Date(at).toISOString()} ${name}/${window}${query}: ${id} has ${is}, not ${must}`);
    }
    if (!isHot && answer.body.total !== expected.size)
      differences.push(`${new Date(at).toISOString()} ${name}/${window}${query}: total ${answer.body.total}, not ${expected.size}`);
  }

  async function compareAll() {
    loses = false;
    for (const [name, { windows }] of Object.entries(BOARDS)) {
      for (const [window, of] of Object.entries(windows)) {
        await compare(name, window);
        if (!('unit' in of) || 'length' in of || of.unit === 'all') continue;
        const current = calendar.periodOf(of.unit, now());
        const past = current - 1 - pick(of.unit === 'hour' ? 20 : 2);
        if (past >= calendar.periodOf(of.unit, from)) await compare(name, window, past);
      }
    }
  }

  const steps = Math.round((days * DAY_MS) / STEP_MS);
  const looks = new Set(Array.from({ length: instants }, (_, i) => Math.floor(((i + 1) * steps) / instants) - 1));
  let upkeepRests = 0;
  try {
    for (let step = 0; step < steps && differences.length === 0; step += 1) {
      // At seventeen minutes from one another, no instant is within a minute of a period's end.
      const at = from + step * STEP_MS;
      clock.set(at);
      edgeClock.set(at);
      loses = true;
      for (let left = 1 + pick(3); left > 0; left -= 1) await sendBatch();
      if (random() < 0.12) {
        const names = Object.keys(rare);
        const what = names[pick(names.length)];
        note(what);
        await rare[what]();
        operations[what] = (operations[what] ?? 0) + 1;
        if (random() < 0.7) await sendBatch();
      }
      if (upkeepRests > 0) upkeepRests -= 1;
      else if (random() < 0.02) upkeepRests = pick(80);
      else if (random() < 0.7) await upkeep();
      if (looks.has(step)) await compareAll();
    }
  } finally {
    await other.stop();
    await deployment.stop();
    await rm(storage, { recursive: true, force: true });
  }
  if (differences.length > 0) {
    const path = join(tmpdir(), `edgeboard-soak-${seed}.log`);
    await writeFile(path, history.join('\n'));
    differences.push(`what happened is in ${path}`);
  }
  return { seed, options, steps, events, operations, compared, differences, seconds: Math.round((Date.now() - began) / 1000) };
}

/** @param {Soak[]} runs */
export function renderSoak(runs) {
  const rows = runs.map(({ seed, options, events, operations, compared, differences, seconds }) => [
    String(seed),
    Object.values(options).map(String).join(', '),
    events.toLocaleString('en'),
    Object.entries(operations)
      .map(([name, times]) => `${name} ×${times}`)
      .join(', '),
    compared.toLocaleString('en'),
    String(differences.length),
    String(seconds),
  ]);
  return table(['seed', 'site', 'events', 'rare operations', 'windows compared', 'differences', 'seconds'], rows);
}

/** Why it does not hold. @param {Soak[]} runs */
export function wrongInSoak(runs) {
  return runs.flatMap(({ seed, differences }) => differences.map((difference) => `seed ${seed}: ${difference}`));
}
