/** Boards of templates: which there are, and how they are made, ended, archived and deleted. */
import { button, byId, element, offer, onSubmit, row, selectOf, shown, textOf } from './page.js';
import { admin, noted, onBegin } from './session.js';
import { whenSure } from './sure.js';

/** @typedef {import('./traffic.js').Sample} Sample */

/** @typedef {{ board: string, state: string, title: string | null, starts_at: string | null, ends_at: string | null }} Made */

onBegin(() => {
  byId('templates').hidden = true;
  byId('made').replaceChildren();
  byId('made-note').textContent = '';
});

/** The templates that the site has. A list that is open stays open. @param {Sample[]} samples */
export function showTemplates(samples) {
  const names = samples.filter(({ name }) => name === 'template_boards').map(({ labels }) => labels.template);
  const select = selectOf('made-of', 'template');
  byId('templates').hidden = names.length === 0;
  if (names.join() !== Array.from(select.options, ({ value }) => value).join()) offer(select, names);
}

/** Pages of the boards of the template that is chosen. @param {string} cursor */
async function showMade(cursor = '') {
  const template = textOf('made-of', 'template');
  const { boards, total, max_boards: most, next } = await admin(`templates/${template}`, { query: { limit: '50', cursor } });
  const list = byId('made');
  if (!cursor) list.replaceChildren();
  list.append(...boards.map(rowOf));
  byId('made-note').textContent = `${template} has ${total.toLocaleString()} of ${most.toLocaleString()} boards. `;
  if (next) byId('made-note').append(button('More', '', () => showMade(next)));
}

/** @param {Made} made */
function rowOf(made) {
  const { board, state, title, starts_at: begins, ends_at: ends } = made;
  const actions = element('span');
  actions.className = 'actions';
  if (state === 'open') actions.append(button('End…', board, () => end(made)));
  if (state === 'closed') actions.append(button('Archive…', board, () => archive(board)));
  if (state === 'archived') actions.append(button('Open…', board, () => open(board)));
  if (state !== 'going') actions.append(button('Delete…', board, () => remove(board)));
  return row(board, title ?? '–', state, shown(begins), shown(ends), actions);
}

/** @param {Made} made */
function end({ board, title, starts_at: begins }) {
  const text = `${board} takes no events any more, and is read on.`;
  return whenSure({ what: 'End it', text }, async () => {
    await noted(`boards/${board}`, { method: 'PUT', body: { title, starts_at: begins, ends_at: new Date().toISOString() } });
    await showMade();
    return `${board} has ended.`;
  });
}

/** @param {string} board */
function archive(board) {
  const text = `When all periods of ${board} are over, it is read from the archive, and its keys in Redis are deleted.`;
  return whenSure({ what: 'Archive it', text }, async () => {
    await noted(`boards/${board}/archive`, { method: 'PUT' });
    await showMade();
    return `${board} is being archived.`;
  });
}

/** @param {string} board */
function open(board) {
  const text = `What the archive has of ${board} comes back to Redis, some minutes from now.`;
  return whenSure({ what: 'Open it', text }, async () => {
    await noted(`boards/${board}/archive`, { method: 'DELETE' });
    await showMade();
    return `${board} is being opened.`;
  });
}

/** @param {string} board */
function remove(board) {
  const text = `All that ${board} counted goes for good, some minutes from now. Readers are answered 410 from now on.`;
  return whenSure({ what: 'Delete it', text, name: board }, async () => {
    await noted(`boards/${board}`, { method: 'DELETE' });
    await showMade();
    return `${board} is being deleted.`;
  });
}

onSubmit('made-of', () => showMade());
onSubmit('make', async () => {
  const board = `${textOf('made-of', 'template')}:${textOf('make', 'name')}`;
  const [begins, ends] = ['begins', 'ends'].map((name) => textOf('make', name));
  const at = (/** @type {string} */ utc) => (utc ? new Date(`${utc}Z`).toISOString() : null);
  const body = { title: textOf('make', 'title') || null, starts_at: at(begins), ends_at: at(ends) };
  const { state } = await noted(`boards/${board}`, { method: 'PUT', body });
  await showMade();
  return `${board} is ${state}.`;
});
