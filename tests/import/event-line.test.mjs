/** Lines of event files, and the events that they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createEventReader } from '../../packages/edgeboard/import/event-line.mjs';
import { MAX_LINE_BYTES } from '../../packages/edgeboard/import/log-line.mjs';

const AT = 1_795_176_001_250;
const VIEW = { id: 'e1', action: 'view', item: '/posts/1', at: AT };
const NONE = { statuses: [], methods: [], include: [], exclude: [], from: -Infinity, until: Infinity };
const FILTERED = { skipped: 'filter' };

/** One character per byte, as files are read. @param {unknown} json */
const lineOf = (json) => Buffer.from(JSON.stringify(json)).toString('latin1');

/** What becomes of lines. @param {unknown[]} lines @param {object} [options] */
function read(lines, options = {}) {
  const reader = createEventReader({ site: 'demo', filters: NONE, ...options });
  return lines.flatMap((line) => reader(typeof line === 'string' ? line : lineOf(line)));
}

test('an event goes as it is', () => {
  const like = { id: 'l', action: 'like', item: '/café', actor: 'ann', at: '2026-11-20T12:00:00Z', undo: true, seq: 7 };
  const value = { id: 'v', action: 'finish', actor: 'ann', at: AT, value: 61.2, meta: { track: 'x' } };
  const many = { ...VIEW, count: 4_294_967_295, visitor: { address: '192.0.2.1' } };
  assert.deepEqual(
    read([VIEW, like, value, many]),
    [VIEW, like, value, many].map((event) => ({ event })),
  );
});

test('a message is its events, known by their ids, or by its own', () => {
  const { id, ...nameless } = VIEW;
  assert.deepEqual(read([{ site: 'demo', events: [VIEW, { ...VIEW, id: 'e2' }] }]), [{ event: VIEW }, { event: { ...VIEW, id: 'e2' } }]);
  assert.deepEqual(read([{ id: 'b', events: [nameless, VIEW, nameless] }]), [
    { event: { ...VIEW, id: 'b/0' } },
    { event: VIEW },
    { event: { ...VIEW, id: 'b/2' } },
  ]);
});

test('what has no id gets one of its line, each time the same', () => {
  const { id, ...nameless } = VIEW;
  const ids = () => read([nameless, nameless, { events: [nameless, nameless] }]).map((read) => 'event' in read && read.event.id);
  assert.equal(new Set(ids()).size, 4, 'equal lines are several events');
  assert.deepEqual(ids(), ids());
});

test('messages of other sites, periods and totals are left out', () => {
  const others = [
    { site: 'other', events: [VIEW] },
    { site: 'demo', period: { board: 'articles' } },
    { site: 'demo', totals: { board: 'articles' } },
  ];
  assert.deepEqual(
    read(others),
    others.map(() => FILTERED),
  );
});

/** @type {[options: object, isSkipped: boolean][]} */
const CHOICES = [
  [{ action: 'view' }, false],
  [{ action: 'like' }, true],
  [{ filters: { ...NONE, include: [/^\/posts/] } }, false],
  [{ filters: { ...NONE, exclude: [/^\/posts/] } }, true],
  [{ filters: { ...NONE, from: AT } }, false],
  [{ filters: { ...NONE, from: AT + 1 } }, true],
  [{ filters: { ...NONE, until: AT } }, true],
];
for (const [options, isSkipped] of CHOICES)
  test(`chosen by ${JSON.stringify(options)}`, () => {
    const at = new Date(AT).toISOString();
    assert.deepEqual(
      read([VIEW, { ...VIEW, at }], options),
      isSkipped ? [FILTERED, FILTERED] : [{ event: VIEW }, { event: { ...VIEW, at } }],
    );
  });

/** @type {[line: unknown, fault: RegExp][]} */
const UNSOUND = [
  ['view /posts/1', /^not a JSON object$/],
  ['[]', /^not a JSON object$/],
  ['{"item":"\xff"}', /^not a JSON object$/],
  [{ events: VIEW }, /^events is not a list$/],
  [{ id: '/posts/1', score: 42 }, /^an event without an action$/],
  [{ events: ['view'] }, /^an event without an action$/],
  [{ events: [null] }, /^an event without an action$/],
  [{ action: 'view', item: 'x' }, /^an event without an instant: at is RFC 3339 or Unix milliseconds$/],
  [{ ...VIEW, at: 'yesterday' }, /^an event without an instant/],
  [{ ...VIEW, ago: 5, at: null }, /^an event without an instant/],
  [{ ...VIEW, more: 'x'.repeat(MAX_LINE_BYTES) }, /^longer than 131072 bytes$/],
];
for (const [line, fault] of UNSOUND)
  test(`does not read ${JSON.stringify(line).slice(0, 100)}`, () => {
    const [outcome] = read([line]);
    assert.match('unparsable' in outcome ? outcome.unparsable : 'it was read', fault);
  });
