/**
 * What happens on the site of the proof of copies: batches with events that come late and undos, and rare operations. Each is noted in the
 * history, by the instant at which it was done.
 */
import { sendUntilKept } from '../soak/asking.mjs';
import { bodyOf, comeAt, createAliases, drawEvent } from '../soak/events.mjs';
import { spansOfReset } from '../soak/model.mjs';
import { BOARDS } from './site.mjs';

const HOUR_MS = 3_600_000;
const LONGEST_AGO_MS = 30 * HOUR_MS;
const ITEMS = 25;
const ACTORS = 12;
const ACTIONS = { view: 0.5, like: 0.35, comment: 0.15 };

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {ReturnType<typeof import('./history.mjs').createHistory>} options.history
 * @param {import('../soak/calendar.mjs').Calendar} options.calendar
 * @param {number} options.from before the first event
 * @param {string} options.name of the run: a part of the ids
 * @param {() => number} options.random
 */
export function createLife({ world, history, calendar, from, name: run, random }) {
  const { ask, tick, now, note } = world;
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  /** @type {Record<string, number>} */
  const operations = {};
  const aliases = createAliases();
  const { resolve } = aliases;
  /** Items and actors that are not used any more: deleted, removed, erased. @type {Set<string>} */
  const retired = new Set();
  /** @type {Set<string>} */
  const hidden = new Set();
  /** Periods that a reset took when they were over: they are read from the archive as before. @type {Set<string>} */
  const readFromArchive = new Set();
  let [batches, events, isBackedUp, resetAt] = [0, 0, false, 0];
  /** @type {number | undefined} */
  let lostAt;

  const pickOf = (/** @type {string} */ prefix, /** @type {number} */ n) => {
    for (;;) {
      const id = `${prefix}${pick(n)}`;
      if (!retired.has(resolve(id)) && !retired.has(id)) return id;
    }
  };
  /** @param {Record<string, import('./history.mjs').Model>} models @param {(model: import('./history.mjs').Model) => void} apply */
  const each = (models, apply) => {
    for (const model of Object.values(models)) apply(model);
  };
  const item = () => pickOf('/p/', ITEMS);
  /** After a loss others act: what those did before may be unknown. */
  const actor = () => pickOf(lostAt === undefined ? 'u' : 'v', ACTORS);

  /** When a late event was. */
  function before() {
    const at = now() - pick(LONGEST_AGO_MS);
    // A Redis that lost something does not know resets: what is of before one would count. And what a reset window refused is missing in
    // longer periods that are made of it.
    return at < Math.max(from, resetAt) ? NaN : at;
  }

  async function sendBatch() {
    tick();
    const at = () => (random() < 0.4 ? before() : NaN);
    const nobody = (/** @type {import('../soak/events.mjs').Event} */ { action }) => (action === 'view' ? 0.5 : 0);
    const drawn = Array.from({ length: 1 + pick(6) }, () => drawEvent({ random, actions: ACTIONS, item, actor, at, nobody }));
    batches += 1;
    events += drawn.length;
    const sent = bodyOf(drawn);
    for (const event of sent) note(JSON.stringify(event));
    await sendUntilKept(world.deployment.worker, '/v1/demo/events', { id: `copies-${run}-${batches}`, events: sent });
    const came = comeAt(drawn, now(), aliases.resolve);
    history.add({
      at: now(),
      apply(models) {
        for (const event of came) for (const [name, model] of Object.entries(models)) model.count(event, Object.keys(BOARDS[name].windows));
      },
    });
    tick();
  }

  /** Rare operations, each by the route that does it. @type {Record<string, () => Promise<void>>} */
  const rare = {
    async reset() {
      // A backup of before a reset brings back what it took.
      if (isBackedUp) return;
      const name = Object.keys(BOARDS)[pick(2)];
      const window = random() < 0.5 ? undefined : Object.keys(BOARDS[name].windows)[pick(3)];
      const { reset_at } = await ask(`/v1/demo/admin/boards/${name}/reset${window ? `?window=${window}` : ''}`, { method: 'POST' });
      const at = Date.parse(reset_at);
      resetAt = at;
      for (const [unit, [first, last]] of spansOfReset(BOARDS[name], calendar, at, window))
        for (let period = first; period < last; period += 1) readFromArchive.add(`${name}/${unit}/${period}`);
      history.add({ at, stays: 'archive', apply: (models) => models[name].reset(at, window) });
    },
    async remove() {
      const id = resolve(item());
      await ask(`/v1/demo/admin/boards/articles/members/${encodeURIComponent(id)}`, { method: 'DELETE' });
      retired.add(id);
      history.add({ at: now(), stays: 'archive', apply: (models) => models.articles.remove(id) });
    },
    async delete() {
      const id = resolve(item());
      await ask(`/v1/demo/items/${encodeURIComponent(id)}`, { method: 'DELETE' });
      retired.add(id);
      history.add({ at: now(), stays: 'everywhere', apply: (models) => models.articles.remove(id) });
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
      const { models } = history.whole();
      const isBoth = Object.values(models).some((model) => model.isDoneToBoth(old, to) || model.isDoneToBoth(to, old));
      if (old === to || hidden.has(old) || hidden.has(to) || isBoth) return;
      await ask(`/v1/demo/items/${encodeURIComponent(old)}/alias`, { method: 'POST', body: JSON.stringify({ to }) });
      aliases.add(old, to);
      history.add({
        at: now(),
        stays: 'everywhere',
        apply: (models) => each(models, (model) => model.alias(old, to)),
      });
    },
    async erase() {
      const id = actor();
      await ask(`/v1/demo/actors/${id}`, { method: 'DELETE' });
      retired.add(id);
      history.add({ at: now(), stays: 'archive', apply: (models) => each(models, (model) => model.erase(id)) });
    },
    async revoke() {
      const [id, since, until] = [actor(), now() - pick(20 * HOUR_MS), now()];
      const begins = Math.max(since, lostAt ?? 0);
      tick();
      const body = JSON.stringify({ actor: id, from: new Date(begins).toISOString(), until: new Date(until).toISOString() });
      await ask('/v1/demo/admin/revoke', { method: 'POST', body });
      history.add({
        at: now(),
        apply: (models) => each(models, (model) => model.revoke(id, begins, until)),
      });
    },
    'worker killed': () => world.kill(),
  };

  /** One of them, with a second before and after it. */
  async function doRare() {
    const names = Object.keys(rare);
    const what = names[pick(names.length)];
    note(what);
    tick();
    await rare[what]();
    operations[what] = (operations[what] ?? 0) + 1;
    tick();
  }

  return {
    operations,
    hidden,
    readFromArchive,
    sendBatch,
    doRare,
    get events() {
      return events;
    },
    /** What Redis has now is what a loss brings back. */
    isBackedUp: () => void (isBackedUp = true),
    /** @param {number} at */
    isLost: (at) => void (lostAt = at),
  };
}
