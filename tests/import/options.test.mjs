/** What the command line may say, and what is said back when it says something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseOptions, UsageError } from '../../packages/edgeboard/import/options.mjs';
import { runImport } from './command.mjs';

const ENV = { WRITE_TOKEN: 'write-token' };
/**
 * Options, not help.
 *
 * @param {Parameters<typeof parseOptions>} given
 */
function parse(...given) {
  const options = parseOptions(...given);
  assert.ok(!('help' in options));
  return options;
}

const NEEDED = ['--site', 'demo', '--action', 'view'];

test('defaults', () => {
  assert.deepEqual(parseOptions([...NEEDED, 'access.log'], ENV), {
    site: 'demo',
    action: 'view',
    events: false,
    files: ['access.log'],
    endpoint: 'http://localhost:8787',
    token: 'write-token',
    filters: { statuses: [], methods: [], include: [], exclude: [], from: -Infinity, until: Infinity },
    assets: false,
    bots: false,
    visitors: true,
    dryRun: false,
    batch: 100,
    concurrency: 4,
  });
});

test('everything at once', () => {
  const argv = [
    ...['--site=demo', '--action=view', '--endpoint', 'https://example.net/rank/', '--batch', '7', '--concurrency=2'],
    ...[
      '--status',
      '2XX,304',
      '--status',
      '404',
      '--method',
      'get,HEAD',
      '--include',
      '/a*',
      '--exclude',
      '/b$/',
      '--from=2026-11-20T12:00:00Z',
      '--until=2026-11-20T12:10:00+01:00',
      '--dry-run',
      '--assets',
      '--bots',
      '--no-visitors',
    ],
    ...['a.log', '-', 'b.log.gz'],
  ];
  assert.deepEqual(parseOptions(argv, {}), {
    site: 'demo',
    action: 'view',
    events: false,
    files: ['a.log', '-', 'b.log.gz'],
    endpoint: 'https://example.net/rank',
    token: undefined,
    filters: {
      statuses: ['2xx', '304', '404'],
      methods: ['GET', 'HEAD'],
      include: [/^\/a.*$/s],
      exclude: [/b$/],
      from: Date.parse('2026-11-20T12:00:00Z'),
      until: Date.parse('2026-11-20T11:10:00Z'),
    },
    assets: true,
    bots: true,
    visitors: false,
    dryRun: true,
    batch: 7,
    concurrency: 2,
  });
});

test('event files say their own actions, and are sent in their order', () => {
  const { action, events, concurrency } = parse(['--site', 'demo', '--events', 'x'], ENV);
  assert.deepEqual([action, events, concurrency], [undefined, true, 1]);
  assert.equal(parse(['--site', 'demo', '--events', '--action', 'view', '--concurrency', '4', 'x'], ENV).concurrency, 4);
});

test('the endpoint comes from the option, else from EDGEBOARD_URL', () => {
  const env = { ...ENV, EDGEBOARD_URL: 'https://env.example/' };
  assert.equal(parse([...NEEDED, '-'], env).endpoint, 'https://env.example');
  assert.equal(parse([...NEEDED, '--endpoint', 'https://option.example', '-'], env).endpoint, 'https://option.example');
});

/** @type {[argv: string[], message: string | RegExp][]} */
const WRONG = [
  [['--sight', 'demo'], 'unknown option --sight'],
  [['-x'], 'unknown option -x'],
  [['--token', 'secret'], 'no option --token: set WRITE_TOKEN in the environment instead'],
  [['--action', 'view', 'x'], '--site is missing'],
  [['--site', 'demo', 'x'], '--action is missing'],
  [['--site', '--action', 'view'], '--site needs a value'],
  [['--site'], '--site needs a value'],
  [['--site='], '--site needs a value'],
  [['--site', 'Demo', 'x'], /^--site Demo: a name has/],
  [['--site', 'demo', '--action', 'a'.repeat(33), 'x'], /^--action a{33}: a name has/],
  [['--dry-run=yes'], '--dry-run takes no value'],
  [['--site', 'demo', '--events', '--status', '2xx', 'x'], '--status is about access logs, and --events reads none'],
  [[...NEEDED], 'no FILE given (- is standard input)'],
  [[...NEEDED, '-', '-'], '- can be read only once'],
  [[...NEEDED, 'x', '--batch', '0'], '--batch 0: not a whole number from 1 to 100'],
  [[...NEEDED, 'x', '--batch', '101'], '--batch 101: not a whole number from 1 to 100'],
  [[...NEEDED, 'x', '--concurrency', '1e1'], '--concurrency 1e1: not a whole number from 1 to 64'],
  [[...NEEDED, 'x', '--status', '2xx,6xx'], '--status 6xx: neither a status such as 304 nor a class such as 2xx'],
  [[...NEEDED, 'x', '--method', 'GET '], '--method GET : not a method such as GET'],
  [[...NEEDED, 'x', '--include', '/(/'], /^--include \/\(\/: Invalid regular expression/],
  [[...NEEDED, 'x', '--endpoint', 'localhost:8787'], '--endpoint localhost:8787: not a plain http:// or https:// URL'],
  [[...NEEDED, 'x', '--endpoint', 'http://a/?b'], '--endpoint http://a/?b: not a plain http:// or https:// URL'],
];

for (const [argv, message] of WRONG) {
  test(`refuses ${argv.join(' ')}`, () => {
    assert.throws(() => parseOptions(argv, ENV), { constructor: UsageError, message });
  });
}

test('EDGEBOARD_URL is checked under its own name', () => {
  assert.throws(() => parseOptions([...NEEDED, 'x'], { ...ENV, EDGEBOARD_URL: 'nowhere' }), {
    message: /^EDGEBOARD_URL nowhere: /,
  });
});

test('WRITE_TOKEN is needed, but not by a dry run', () => {
  assert.throws(() => parseOptions([...NEEDED, 'x'], {}), { message: 'WRITE_TOKEN is not set in the environment' });
  assert.equal(parse([...NEEDED, 'x', '--dry-run'], {}).token, undefined);
});

test('a WRITE_TOKEN that cannot be sent is refused without being shown', () => {
  const message = 'WRITE_TOKEN holds a character that no header can, perhaps a line end';
  assert.throws(() => parseOptions([...NEEDED, 'x'], { WRITE_TOKEN: 'secret\n' }), { message });
});

test('wrong usage ends with status 2 and says where help is', async () => {
  const { status, stdout, stderr } = await runImport(['--frobnicate']);
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.equal(stderr, 'import: unknown option --frobnicate\nTry: npm run import -- --help\n');
});

test('--help names every option and the replay window', async () => {
  const { status, stdout } = await runImport(['--help'], { env: {} });
  assert.equal(status, 0);
  for (const option of [
    'site',
    'action',
    'endpoint',
    'events',
    'status',
    'method',
    'include',
    'exclude',
    'from',
    'until',
    'assets',
    'bots',
    'no-visitors',
    'dry-run',
    'batch',
    'concurrency',
  ]) {
    assert.match(stdout, new RegExp(`^  --${option} `, 'm'));
  }
  assert.match(stdout, /replay_window: importing again later counts again/);
});
