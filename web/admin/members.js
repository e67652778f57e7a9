/** What can be done to a member. An id that is nobody is refused before anything is done. */
import { counted, fieldOf, textOf } from './page.js';
import { admin, ask, current, noted } from './session.js';
import { whenSure } from './sure.js';

/** @typedef {{ board: string, members: string, windows: string[] }} Board */

/** @type {(() => unknown)[]} */
const watchers = [];
/** Calls something after a member was changed. @param {() => unknown} watcher */
export const onChange = (watcher) => watchers.push(watcher);
const changed = () => Promise.all(watchers.map((watcher) => watcher()));

const encode = encodeURIComponent;
const quoted = (/** @type {string} */ id) => `“${id}”`;

/** @param {string} id @param {string} where @returns {never} */
function refuse(id, where) {
  throw new Error(`${quoted(id)} is nobody: ${where}. Nothing was done.`);
}

/** How many entries a member has on the boards of all periods. @param {string} board @param {string} id @returns {Promise<number>} */
async function entriesOf(board, id) {
  const { entries } = await admin(`boards/${board}/members/${encode(id)}`, { method: 'DELETE', query: { dry_run: '1' } });
  return entries;
}

/**
 * Hides or pins a member.
 *
 * @param {'hidden' | 'pinned'} list
 * @param {string} board
 * @param {string} id
 * @param {boolean} isShown it stands in the ranking that is shown
 */
export async function add(list, board, id, isShown) {
  if (!isShown && (await entriesOf(board, id)) === 0) refuse(id, `it is on no period of ${board}`);
  await admin(`boards/${board}/${list}/${encode(id)}`, { method: 'PUT' });
  await changed();
  return `${id} is ${list} on ${board}.`;
}

/** @param {'hidden' | 'pinned'} list @param {string} board @param {string} id */
export async function takeBack(list, board, id) {
  const { ids } = await admin(`boards/${board}/${list}`);
  if (!ids.includes(id)) throw new Error(`${quoted(id)} is not ${list} on ${board}. Nothing was done.`);
  await admin(`boards/${board}/${list}/${encode(id)}`, { method: 'DELETE' });
  await changed();
  return `${id} is ${list} no more on ${board}.`;
}

/** @param {string} board @param {string} id */
export async function remove(board, id) {
  const entries = await entriesOf(board, id);
  if (entries === 0) refuse(id, `it is on no period of ${board}`);
  const lost = counted(entries, 'entry', 'entries');
  const text = `${quoted(id)} loses its ${lost} on all periods of ${board}, and is kept off it. Its scores cannot be brought back.`;
  return whenSure({ what: 'Remove for good', text }, async () => {
    const { done } = await noted(`boards/${board}/members/${encode(id)}`, { method: 'DELETE' });
    await changed();
    return done ? `${id} was removed from ${board}.` : `${id}: something is left; remove it again.`;
  });
}

/** The members that are kept off a board. @param {string} board @param {string} [cursor] */
export const removedOf = (board, cursor = '') => admin(`boards/${board}/removed`, { query: { cursor } });

/** @param {string} board @param {{ id?: string, prefix?: string }} of */
export async function letIn(board, { id, prefix }) {
  const path = prefix === undefined ? `boards/${board}/members/${encode(id ?? '')}` : `boards/${board}/members`;
  await noted(path, { method: 'PUT', query: prefix === undefined ? {} : { prefix } });
  await changed();
  return `${id ?? `${prefix}…`} is let in again on ${board}, and begins anew.`;
}

/** @param {string} board @param {string} id */
export async function letInById(board, id) {
  for (let cursor = ''; ; ) {
    const page = await removedOf(board, cursor);
    if (page.removed.some((/** @type {any} */ of) => of.id === id)) return letIn(board, { id });
    if (!page.cursor) throw new Error(`${quoted(id)} is not kept off ${board}. Nothing was done.`);
    cursor = page.cursor;
  }
}

/**
 * Whether an item or an actor is on a board, or has details.
 *
 * @param {Board[]} boards
 * @param {'items' | 'actors'} kind
 * @param {string} id
 */
async function isSomebody(boards, kind, id) {
  // Boards of authors have actors.
  const of = boards.filter(({ members }) => (members === 'items') === (kind === 'items'));
  for (const { board } of of) if ((await entriesOf(board, id)) > 0) return true;
  const { status } = await ask(`${kind}/${encode(id)}`, { isOpen: true, but: [404] });
  return status === 200;
}

/** @param {Board[]} boards @param {string} id */
export async function deleteItem(boards, id) {
  if (!(await isSomebody(boards, 'items', id))) refuse(id, 'it is on no board of items, and has no details');
  const text = `The item ${quoted(id)} and what is known of it is deleted, on every board of items. Its events count there no more.`;
  return whenSure({ what: 'Delete the item', text, name: id }, async () => {
    const { status } = await ask(`items/${encode(id)}`, { method: 'DELETE', query: { by: current().by } });
    await changed();
    return status === 202 ? `${id}: something is left, which upkeep ends.` : `${id} was deleted.`;
  });
}

/**
 * Does something with all boards, with a piece of them after the other.
 *
 * @param {(query: Record<string, string>) => Promise<Record<string, any>>} step answers the body, which says where it goes on
 * @returns {Promise<boolean>} whether nothing is left
 */
async function toTheEnd(step) {
  for (let cursor = ''; ; ) {
    const { done = true, cursor: next } = await step({ cursor });
    if (done || !next || next === cursor) return done;
    cursor = next;
  }
}

/** Makes an item another one. @param {Board[]} boards @param {string} id @param {string} to */
export async function makeAlias(boards, id, to) {
  const path = `items/${encode(id)}/alias`;
  const { body } = await ask(path, { method: 'POST', body: { to }, query: { dry_run: '1' } });
  if (body.entries === 0 && !(await isSomebody(boards, 'items', id))) refuse(id, 'it is on no board of items, and has no details');
  const isThere = await isSomebody(boards, 'items', to);
  const had = `All that ${quoted(id)} has, ${counted(body.entries, 'entry', 'entries')} on boards, becomes that of ${quoted(to)}`;
  const text = `${had}${isThere ? '' : ', which is nobody yet'}. They cannot be told apart again.`;
  return whenSure({ what: 'Make it the other one', text }, async () => {
    const { status } = await ask(path, { method: 'POST', body: { to }, query: { by: current().by } });
    await changed();
    return status === 202 ? `${id}: something is left, which upkeep ends.` : `${id} is ${to} now.`;
  });
}

/** Erases an actor with all that is known. @param {Board[]} boards */
export async function eraseActor(boards) {
  const [id, token] = [textOf('erase', 'id'), fieldOf('erase', 'write').value];
  // The last days, and what can be undone, which is known for longer.
  const looks = /** @type {Record<string, string>[]} */ ([{}, { details: '1', limit: '1' }]);
  const answers = await Promise.all(looks.map((query) => ask(`actors/${encode(id)}/activity`, { token, query, but: [404] })));
  // Without a log nothing tells that somebody did nothing.
  const mayTell = answers.every(({ status }) => status === 200);
  const isActive = mayTell && answers.some(({ body }) => (body.days ?? body.entries).length > 0);
  const isKnown = isActive || (await isSomebody(boards, 'actors', id));
  if (mayTell && !isKnown) refuse(id, 'no board, no details and no activity name such an actor');
  const unsure = isKnown ? '' : ' No board and no details name such an actor, and the site keeps no log that would tell more.';
  const text = `Everything about the actor ${quoted(id)} is erased: scores, details, activity and what it liked.${unsure}`;
  return whenSure({ what: 'Erase the actor', text, name: id }, async () => {
    const isDone = await toTheEnd(async (query) => (await ask(`actors/${encode(id)}`, { method: 'DELETE', token, query })).body);
    fieldOf('erase', 'write').value = '';
    await changed();
    return isDone ? `${id} was erased.` : `${id}: something is left; erase again.`;
  });
}

/** Takes back what an actor or an item did. @param {boolean} isDry */
export async function revoke(isDry) {
  const [culprit, id] = [textOf('revoke', 'culprit'), textOf('revoke', 'id')];
  const [from, until] = ['from', 'until'].map((name) => `${textOf('revoke', name)}:00Z`);
  const body = { [culprit]: id, from, until };
  let events = 0;
  const step = (/** @type {boolean} */ dry_run) => async (/** @type {Record<string, string>} */ query) => {
    const revoked = await noted('revoke', { method: 'POST', body: { ...body, dry_run }, query });
    events += revoked.events;
    return revoked;
  };
  await toTheEnd(step(true));
  if (events === 0) refuse(id, `nothing of this ${culprit} is noted in that time`);
  if (isDry) return `${counted(events, 'event')} would be taken back.`;
  const text = `Taken off every window, as if it had never been: ${counted(events, 'event')} of the ${culprit} ${quoted(id)}.`;
  return whenSure({ what: 'Take it back', text }, async () => {
    events = 0;
    const isDone = await toTheEnd(step(false));
    await changed();
    return `Taken back: ${counted(events, 'event')}.${isDone ? '' : ' More are left: do it again.'}`;
  });
}
