/** What is done to a whole board or a period of it. */
import { button, byId, counted, element, offer, onSubmit, row, say, selectOf, shown, textOf } from './page.js';
import { onPick, picked, showPeriod, showRanking } from './ranking.js';
import { ask, download, noted, onBegin } from './session.js';
import { whenSure } from './sure.js';

/** What a select says for all windows. */
const WHOLE = 'the whole board';

onBegin(() => {
  for (const id of ['periods', 'reset-figures']) byId(id).replaceChildren();
  for (const id of ['periods-note', 'reset-note']) byId(id).textContent = '';
});

onPick(() => {
  const { board, windows } = picked();
  offer(selectOf('reset', 'window'), [WHOLE, ...windows]);
  offer(selectOf('rebuild', 'window'), ['all rolling windows', ...windows.filter((name) => name.startsWith('last-'))]);
  for (const form of ['over', 'export']) offer(selectOf(`${form}-periods`, 'window'), windows);
  for (const of of document.querySelectorAll('.of-board')) of.textContent = board;
  for (const id of ['periods', 'reset-figures']) byId(id).replaceChildren();
  for (const id of ['periods-note', 'reset-note']) byId(id).textContent = '';
});

/** Pages of periods that are over, as they were frozen. @param {string} cursor */
async function showPeriods(cursor = '') {
  const [{ board }, window] = [picked(), textOf('over-periods', 'window')];
  const { body } = await ask(`boards/${board}/${window}/periods`, { query: { limit: '20', cursor }, isOpen: true });
  const lines = body.periods.map((/** @type {any} */ of) => {
    const { id, total, revision, winner } = of;
    const actions = element('span');
    actions.className = 'actions';
    actions.append(
      button('Show', id, () => showPeriod(window, id)),
      button('Freeze anew…', id, () => freeze(window, id)),
    );
    const won = winner ? `${winner.id} (${winner.score.toLocaleString()})` : 'nobody';
    return row(id, won, total.toLocaleString(), String(revision), shown(of.frozen_at), actions);
  });
  const list = byId('periods');
  if (!cursor) list.replaceChildren();
  list.append(...lines);
  byId('periods-note').textContent = list.childElementCount === 0 ? 'No period is frozen yet.' : '';
  if (body.next) byId('periods-note').append(button('More', '', () => showPeriods(body.next)));
}

/** @param {string} window @param {string} period */
function freeze(window, period) {
  const { board } = picked();
  const text = `${board}/${window} of ${period} is frozen as Redis or the archive has it now. What was frozen of it is replaced.`;
  return whenSure({ what: 'Freeze it anew', text }, async () => {
    const { done, changed, source } = await noted(`boards/${board}/freeze`, { method: 'POST', query: { window, period } });
    await showPeriods();
    if (!done) return `${period} has to wait: freeze it again.`;
    return changed ? `${period} was frozen anew, of ${source}.` : `${period} was frozen so before.`;
  });
}

onSubmit('over-periods', (what) => {
  if (what !== 'freeze') return showPeriods();
  const period = textOf('over-periods', 'period');
  if (!period) throw new Error('Write which period is to be frozen.');
  return freeze(textOf('over-periods', 'window'), period);
});

/** What a reset would take. */
async function lookAtReset() {
  const { board } = picked();
  const window = windowOf('reset', WHOLE);
  const query = { window, dry_run: '1' };
  const { entries, periods, rebuilt } = await noted(`boards/${board}/reset`, { method: 'POST', query });
  byId('reset-figures').replaceChildren(
    ...periods.map((/** @type {any} */ { unit, from, to, held, entries }) =>
      row(unit, from === to ? from : `${from} to ${to}`, held.toLocaleString(), entries.toLocaleString()),
    ),
  );
  const anew = rebuilt.length > 0 ? ` Made anew of what stays: ${rebuilt.join(', ')}.` : '';
  byId('reset-note').textContent = `${counted(entries, 'entry', 'entries')} would go.${anew}`;
  return { board, window, entries };
}

onSubmit('reset', async (what) => {
  const { board, window, entries } = await lookAtReset();
  if (what === 'dry') return 'Nothing was reset.';
  const which = window ? `the window ${window} of the board ${board}` : `the board ${board}`;
  const text = `Gone at once for every reader, for good: ${counted(entries, 'entry', 'entries')} of ${which}.`;
  return whenSure({ what: 'Reset', text, name: board }, async () => {
    say('It takes up to 20 seconds.');
    const reset = await noted(`boards/${board}/reset`, { method: 'POST', query: { window } });
    await Promise.all([showRanking(), lookAtReset()]);
    return `Reset: ${counted(reset.entries, 'entry', 'entries')} of ${which}.`;
  });
});

onSubmit('rebuild', async () => {
  const { board } = picked();
  const { done } = await noted(`boards/${board}/rebuild`, {
    method: 'POST',
    query: { window: windowOf('rebuild', 'all rolling windows') },
  });
  return done ? 'The windows are made anew.' : 'Upkeep goes on with it.';
});

onSubmit('export-periods', async (ending) => {
  const [{ board }, window] = [picked(), textOf('export-periods', 'window')];
  const period = textOf('export-periods', 'period');
  const name = await download(`boards/${board}/export/${window}.${ending}`, { query: { period } });
  return `${name} was saved.`;
});

/** The window that is chosen; nothing where all are. @param {string} form @param {string} all */
function windowOf(form, all) {
  const { value } = selectOf(form, 'window');
  return value === all ? '' : value;
}
