/** Messages of the queue that could not be counted. */
import { button, byId, counted, element, fieldOf, onClick, row, say, shown } from './page.js';
import { admin, noted, onBegin } from './session.js';
import { whenSure } from './sure.js';

onBegin(() => {
  byId('letters').replaceChildren();
  byId('letters-note').textContent = '';
});

/** Those of sites that are not known, for who has the token of all sites. */
const query = () => ({ unknown: fieldOf('letters-of', 'unknown').checked ? '1' : '' });

/** @param {string} after */
export async function showLetters(after = '') {
  const { letters, next } = await admin('dead', { query: { ...query(), limit: '50', after } });
  const list = byId('letters');
  if (!after) list.replaceChildren();
  list.append(...letters.map(rowOf));
  byId('letters-note').textContent = list.childElementCount === 0 ? 'No letter is dead.' : '';
  if (next) byId('letters-note').append(button('More', '', () => showLetters(next)));
}

/** @param {any} letter */
function rowOf({ id, code, detail, sent_at: sentAt, message }) {
  const actions = element('span');
  actions.className = 'actions';
  actions.append(
    button('Replay…', id, () => replay({ ids: [id] })),
    button('Discard…', id, () => discard(`dead/${id}`, `The letter ${id}`)),
  );
  const text = element('code', typeof message === 'string' ? message : JSON.stringify(message));
  return row(shown(sentAt), code, detail, text, actions);
}

/** @param {{ ids: string[] } | { all: true }} which */
async function replay(which) {
  const dry = await admin('dead/replay', { method: 'POST', query: query(), body: { ...which, dry_run: true } });
  const text = `To be counted, at the instants at which it was sent: ${counted(dry.counted, 'event')}. To stay dead: ${counted(dry.dead.length, 'letter')}.`;
  return whenSure({ what: 'Replay', text }, async () => {
    say('It takes up to 20 seconds.');
    const replayed = await noted('dead/replay', { method: 'POST', query: query(), body: which });
    await showLetters();
    const more = replayed.done ? '' : ' More are left: replay again.';
    return `Counted: ${counted(replayed.counted, 'event')}. Still dead: ${counted(replayed.dead.length, 'letter')}.${more}`;
  });
}

/** @param {string} path @param {string} what */
function discard(path, what) {
  return whenSure({ what: 'Discard', text: `${what} is thrown away, and what it holds is never counted.` }, async () => {
    await noted(path, { method: 'DELETE', query: query() });
    await showLetters();
    return `${what} was thrown away.`;
  });
}

fieldOf('letters-of', 'unknown').addEventListener('change', () => byId('letters-look').click());
onClick('letters-look', () => showLetters());
onClick('letters-replay', () => replay({ all: true }));
onClick('letters-discard', () => discard('dead', 'Every dead letter'));
