/** The ranking of a board, with what can be done beside each member. */
import { add, deleteItem, letIn, letInById, onChange, remove, removedOf, takeBack } from './members.js';
import { button, byId, element, fieldOf, offer, onSubmit, row, say, selectOf, textOf } from './page.js';
import { admin, ask, onBegin } from './session.js';

/** @typedef {import('./members.js').Board} Board */
/** @typedef {{ rank: number, id: string, score: number, pinned?: boolean, details?: Record<string, string> }} Entry */

/** The boards of the site that is shown. @type {Board[]} */
let boards = [];
/** What is shown, and who of them is on a list. */
let page = { entries: /** @type {Entry[]} */ ([]), hidden: [''], pinned: [''], removed: [''] };
/** Which look is the latest: an answer to an earlier one says nothing. */
let looks = 0;
let hasDatabase = true;

onBegin(() => {
  boards = [];
  hasDatabase = true;
  looks += 1;
  for (const id of ['entries', 'lists']) byId(id).replaceChildren();
  byId('ranking-note').textContent = '';
  fieldOf('pick', 'period').value = '';
});

export const boardsOf = () => boards;

/** The board that is picked. @returns {Board} */
export function picked() {
  const board = boards.find(({ board }) => board === selectOf('pick', 'board').value);
  if (!board) throw new Error('the site has no board');
  return board;
}

/** Calls something when another board is picked, or the boards of another site are there. @type {(() => unknown)[]} */
const watchers = [];
/** @param {() => unknown} watcher */
export const onPick = (watcher) => watchers.push(watcher);

export async function showBoards() {
  const { body } = await ask('boards', { isOpen: true });
  boards = body.boards;
  const names = boards.map(({ board }) => board);
  offer(selectOf('pick', 'board'), names);
  offerWindows();
  await showRanking();
}

function offerWindows() {
  offer(selectOf('pick', 'window'), picked().windows);
  for (const watcher of watchers) watcher();
}

/** Shows a period that is over. @param {string} window @param {string} period */
export function showPeriod(window, period) {
  selectOf('pick', 'window').value = window;
  fieldOf('pick', 'period').value = period;
  byId('ranking').scrollIntoView();
  return showRanking();
}

export async function showRanking() {
  looks += 1;
  const look = looks;
  const { board } = picked();
  const [window, period, limit] = ['window', 'period', 'limit'].map((name) => textOf('pick', name));
  const top = async (/** @type {boolean} */ hasDetails) =>
    ask(`boards/${board}/${window}`, { query: { limit, period, details: hasDetails ? '1' : '' }, isOpen: true, but: [404] });
  let answer = await top(hasDatabase);
  if (answer.body.code === 'no-database') {
    hasDatabase = false;
    answer = await top(false);
  }
  const lists = await Promise.all(['hidden', 'pinned'].map(async (list) => (await admin(`boards/${board}/${list}`)).ids));
  const kept = await removedOf(board);
  if (look !== looks) return;
  if (answer.status !== 200) throw new Error(answer.body.detail);
  const off = kept.removed.map((/** @type {any} */ of) => of.id);
  page = { entries: answer.body.entries, hidden: lists[0], pinned: lists[1], removed: off };
  const { period: of, total, complete } = answer.body;
  const lacks = complete ? '' : ' It is being repaired: members are missing.';
  byId('ranking-note').textContent = `${board}/${window} of ${of.id}: ${total.toLocaleString()} members.${lacks}`;
  byId('entries').replaceChildren(...page.entries.map(rowOf));
  byId('lists').replaceChildren(...listsOf(board, kept));
}

/** @param {Entry} entry */
function rowOf({ rank, id, score, details }) {
  const title = details?.title ?? details?.name ?? '';
  const line = row(String(rank), title, id, score.toLocaleString(), actionsOf(id));
  line.dataset.id = id;
  return line;
}

/** Readers' caches have who was hidden or removed for some seconds more. @param {string} id */
function actionsOf(id) {
  const { board, members } = picked();
  const actions = element('span');
  actions.className = 'actions';
  const off = page.removed.includes(id) ? 'removed' : page.hidden.includes(id) ? 'hidden' : '';
  if (off) {
    actions.append(element('em', off));
    return actions;
  }
  const isPinned = page.pinned.includes(id);
  actions.append(
    button('Hide', id, () => add('hidden', board, id, true)),
    isPinned ? button('Unpin', id, () => takeBack('pinned', board, id)) : button('Pin', id, () => add('pinned', board, id, true)),
    button('Remove…', id, () => remove(board, id)),
  );
  if (members !== 'items') actions.append(button('Erase…', id, () => prepareErasure(id)));
  else if (hasDatabase) actions.append(button('Delete item…', id, () => deleteItem(boards, id)));
  return actions;
}

/** The form asks for the token that erasure takes. @param {string} id */
function prepareErasure(id) {
  /** @type {HTMLDetailsElement} */ (byId('erase-part')).open = true;
  fieldOf('erase', 'id').value = id;
  fieldOf('erase', 'write').focus();
  return `Erasing ${id} takes the WRITE_TOKEN.`;
}

/** @param {string} board @param {{ removed: { id?: string, prefix?: string }[], cursor: string | null }} kept */
function listsOf(board, kept) {
  const removed = kept.removed.map((of) => {
    const name = of.id ?? `${of.prefix}…`;
    return element(
      'li',
      `${name} `,
      button('Let in again', name, () => letIn(board, of)),
    );
  });
  if (kept.cursor) removed.push(element('li', 'and more'));
  const of = (/** @type {'hidden' | 'pinned'} */ list, /** @type {string} */ undo) =>
    page[list].map((id) =>
      element(
        'li',
        `${id} `,
        button(undo, id, () => takeBack(list, board, id)),
      ),
    );
  const lists = { hidden: of('hidden', 'Show again'), pinned: of('pinned', 'Unpin'), removed };
  return Object.entries(lists).map(([list, lines]) => {
    const [head, items] = [element('h3', `${list} on ${board}`), element('ul', '', ...lines)];
    return element('section', '', head, lines.length > 0 ? items : element('p', 'nobody'));
  });
}

selectOf('pick', 'board').addEventListener('change', () => {
  fieldOf('pick', 'period').value = '';
  offerWindows();
});
onSubmit('pick', () => {
  say('');
  return showRanking();
});
formChanges();

/** A choice is shown at once; a period when it is written. */
function formChanges() {
  for (const name of ['board', 'window', 'limit']) {
    selectOf('pick', name).addEventListener('change', () => {
      if (name === 'window') fieldOf('pick', 'period').value = '';
      selectOf('pick', name).form?.requestSubmit();
    });
  }
}

/** Those who are not on the page. */
onSubmit('change', (what) => {
  const { board } = picked();
  const id = textOf('change', 'id');
  const isShown = page.entries.some((entry) => entry.id === id);
  const works = /** @type {Record<string, () => unknown>} */ ({
    hide: () => add('hidden', board, id, isShown),
    show: () => takeBack('hidden', board, id),
    pin: () => add('pinned', board, id, isShown),
    unpin: () => takeBack('pinned', board, id),
    remove: () => remove(board, id),
    'let-in': () => letInById(board, id),
    delete: () => deleteItem(boards, id),
  });
  return works[what]();
});
onChange(showRanking);
