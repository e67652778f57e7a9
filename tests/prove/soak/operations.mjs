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
 * @param {import('./curation.mjs').Curation} options.curation
 * @param {Record<string, import('./model.mjs').Model>} options.models
 * @param {import('./site.mjs').Site} options.site
 * @param {() => number} options.random
 * @returns {Operations}
 */
export function createOperations({ world, life, curation, models, site, random }) {
  const { boards, options } = site;
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

  const curated = () => curation.names[pick(curation.names.length)];

  /** Puts a member on a list, or takes it off. @param {'hidden' | 'pinned'} list */
  async function curate(list) {
    const [name, id] = [curated(), resolve(item())];
    const members = curation.of(name)[list];
    // A member that is kept off is not shown, pinned or not, and the archive knows no pins.
    if (list === 'pinned' && (name === 'kept' || curation.of(name).off.has(id))) return;
    await ask(pathOf(name, list, id), { method: members.has(id) ? 'DELETE' : 'PUT' });
    if (!members.delete(id)) members.add(id);
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
      const [name, id] = [curated(), resolve(item())];
      await ask(pathOf(name, 'members', id), { method: 'DELETE' });
      models[name].remove(id);
      curation.remove(name, id);
      tick();
    },
    async 'let in'() {
      const name = curation.names.find((board) => curation.of(board).off.size > 0);
      if (name === undefined) return;
      const [id] = curation.of(name).off;
      await ask(pathOf(name, 'members', id), { method: 'PUT' });
      models[name].letIn(id);
      curation.of(name).off.delete(id);
      tick();
    },
    hide: () => curate('hidden'),
    pin: () => curate('pinned'),
    async alias() {
      const [old, to] = [resolve(item()), resolve(item())];
      if (old === to || [old, to].some(curation.isOffSomewhere) || !life.areAlike(old, to)) return;
      await ask(`/v1/demo/items/${encodeURIComponent(old)}/alias`, { method: 'POST', body: JSON.stringify({ to }) });
      life.alias(old, to);
      curation.alias(old, to);
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
    async 'other ties'() {
      const ties = [undefined, 'first', 'last'][pick(3)];
      await world.configure({ newer: site.configure(false, { ties }), older: site.configure(true, { ties }) });
    },
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
  /** @type {Operations} */
  const ofQueue = {
    /** Others who send to the queue do not know that it keeps no order, and write what nobody knows. */
    async 'dead letters'() {
      const likes = [1, 2].map(() => ({ action: 'like', item: resolve(item()), actor: actor() }));
      const first = life.nextSequences(likes.length);
      const views = [{ action: 'view', item: item() }];
      const events = [likes[0], { action: 'unheard-of', item: item() }, ...views, likes[1]];
      const at = await world.queue({ site: 'demo', id: `letter-${first}`, events });
      life.countElsewhere(views, at);
      world.tick(30_000);
      await ask('/v1/demo/admin/dead/replay', { method: 'POST', body: JSON.stringify({ all: true, seq: first }) });
      life.countElsewhere(
        likes.map((like, i) => ({ ...like, seq: first + i })),
        at,
      );
      await ask('/v1/demo/admin/dead', { method: 'DELETE' });
    },
  };
  const isQueued = options.ingest === 'queue';
  return { ...all, ...(isQueued && ofQueue), ...(options.journal && ofJournal), ...(options.sections && ofSections) };
}
