/**
 * Rare operations, each by the route that does it, and then in the models.
 */

import { isDecaying } from './model.mjs';

const DAY_MS = 24 * 60 * 60_000;

/** @typedef {Record<string, () => Promise<void>>} Operations */

/**
 * @param {object} options
 * @param {import('./world.mjs').World} options.world
 * @param {import('./life.mjs').Life} options.life
 * @param {Record<string, import('./model.mjs').Board>} options.boards
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {{ journal: boolean, sections: boolean }} options.options of the site
 * @param {() => number} options.random
 * @returns {Operations}
 */
export function createOperations({ world, life, boards, models, options, random }) {
  const { ask, tick, now, deployment } = world;
  const { item, actor, resolve } = life;
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const each = (/** @type {(model: import('./model.mjs').Model) => void} */ apply) => Object.values(models).forEach(apply);
  const pathOf = (/** @type {string} */ board, /** @type {string} */ list, /** @type {string} */ id) =>
    `/v1/demo/admin/boards/${encodeURIComponent(board)}/${list}/${encodeURIComponent(id)}`;

  /** One of the boards that are so, and have a window that is so. @param {(window: import('./model.mjs').Window) => boolean} has @param {(board: import('./model.mjs').Board) => boolean} is */
  function nameOf(has, is) {
    const names = Object.keys(boards).filter((name) => is(boards[name]) && Object.values(boards[name].windows).some(has));
    return names[pick(names.length)];
  }

  /** @type {Operations} */
  const all = {
    async reset() {
      const name = Object.keys(boards)[pick(Object.keys(boards).length)];
      const windows = Object.keys(boards[name].windows).filter((window) => !boards[name].policy || !window.startsWith('last'));
      const window = random() < 0.5 ? undefined : windows[pick(2)];
      tick();
      const query = window ? `?window=${window}` : '';
      const { reset_at } = await ask(`/v1/demo/admin/boards/${encodeURIComponent(name)}/reset${query}`, { method: 'POST' });
      models[name].reset(Date.parse(reset_at), window);
      tick();
    },
    async remove() {
      const id = resolve(item());
      await ask(pathOf('articles', 'members', id), { method: 'DELETE' });
      models.articles.remove(id);
      life.off.add(id);
      tick();
    },
    async 'let in'() {
      const [id] = life.off;
      if (id === undefined) return;
      await ask(pathOf('articles', 'members', id), { method: 'PUT' });
      models.articles.letIn(id);
      life.off.delete(id);
      tick();
    },
    async hide() {
      const id = resolve(item());
      const method = life.hidden.has(id) ? 'DELETE' : 'PUT';
      await ask(pathOf('articles', 'hidden', id), { method });
      if (method === 'PUT') life.hidden.add(id);
      else life.hidden.delete(id);
    },
    async alias() {
      const [old, to] = [resolve(item()), resolve(item())];
      if (old === to || [old, to].some((id) => life.off.has(id) || life.hidden.has(id)) || !life.areAlike(old, to)) return;
      await ask(`/v1/demo/items/${encodeURIComponent(old)}/alias`, { method: 'POST', body: JSON.stringify({ to }) });
      life.alias(old, to);
      each((model) => model.alias(old, to));
    },
    async erase() {
      const id = actor();
      await ask(`/v1/demo/actors/${id}`, { method: 'DELETE' });
      each((model) => model.erase(id));
    },
    'a clock back': async () => void deployment.clock.advance(-(5_000 + pick(40_000))),
    'scripts flushed': async () => void (await deployment.redis.command('SCRIPT', 'FLUSH')),
    'worker killed': () => deployment.restartWorker(),
    'Redis killed': () => world.restartRedis(),
    async rebuild() {
      const name = nameOf(
        (window) => !isDecaying(window) && window.length !== undefined,
        (board) => !board.policy,
      );
      await ask(`/v1/demo/admin/boards/${encodeURIComponent(name)}/rebuild`, { method: 'POST' });
    },
  };

  /** @type {Operations} */
  const ofJournal = {
    async revoke() {
      // Each a second away from what is counted before and after.
      tick();
      const [id, from, until] = [actor(), now() - pick(2 * DAY_MS), now()];
      tick();
      const body = JSON.stringify({ actor: id, from: new Date(from).toISOString(), until: new Date(until).toISOString() });
      await ask('/v1/demo/admin/revoke', { method: 'POST', body });
      each((model) => model.revoke(id, from, until));
    },
  };
  /** @type {Operations} */
  const ofSections = {
    async 'another category'() {
      await life.describe(resolve(item()), life.drawFacts());
      await life.sendAgain();
    },
  };
  return { ...all, ...(options.journal && ofJournal), ...(options.sections && ofSections) };
}
