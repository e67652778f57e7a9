/** Whole imports into a stand-in for the service: what is counted, and how often. */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { readSummary, runImport, writeFiles } from './command.mjs';
import { countBy, generateLog } from './generator.mjs';
import { ITEMS, itemsOf, LOG, setUp } from './stubbed.mjs';

describe('what is sent', () => {
  test('every line once, with its item, instant and visitor', async (t) => {
    const { stub, argv } = await setUp(t);
    const [file] = writeFiles(t, { 'access.log': LOG.text });
    const { status, stdout, stderr } = await runImport([...argv, file]);

    assert.equal(status, 0);
    assert.equal(stderr, '');
    assert.deepEqual(readSummary(stdout), {
      'lines read': 1_500,
      unparsable: LOG.unparsable,
      'filtered out': 0,
      'assets left out': LOG.assets.length,
      'of bots left out': LOG.bots.length,
      sent: LOG.requests.length,
      accepted: LOG.requests.length,
      duplicate: 0,
      refused: 0,
    });
    assert.deepEqual(itemsOf(stub), ITEMS);
    assert.deepEqual(
      countBy(stub.events.values(), ({ at }) => Date.parse(at)),
      countBy(LOG.requests, ({ time }) => time),
    );
    assert.deepEqual(
      countBy(stub.events.values(), ({ visitor }) => JSON.stringify(visitor)),
      countBy(LOG.requests, ({ host, agent }) => JSON.stringify(isIP(host) ? { address: host, agent } : undefined)),
    );
    for (const { visitor, ...event } of stub.events.values()) {
      assert.deepEqual(Object.keys(event).sort(), ['action', 'at', 'id', 'item']);
      assert.match(event.at, /^2015-05-\d\dT\d\d:\d\d:\d\dZ$/);
    }
    for (const { path, authorization } of stub.requests) {
      assert.equal(path, '/v1/demo/events');
      assert.equal(authorization, 'Bearer write-token');
    }
  });

  test('batches are full but for the last, and no more are on their way than allowed', async (t) => {
    const { stub, argv } = await setUp(t);
    await runImport([...argv, '--batch', '40', '--concurrency', '3', '-'], { stdin: LOG.text });
    const sizes = countBy(stub.requests, ({ ids }) => ids.length);
    const rest = LOG.requests.length % 40;
    assert.ok(rest > 0);
    assert.deepEqual(
      sizes,
      new Map([
        [40, Math.floor(LOG.requests.length / 40)],
        [rest, 1],
      ]),
    );
    assert.ok(stub.busiest <= 3);
  });

  test('one request at a time keeps the order of the lines', async (t) => {
    const { stub, argv } = await setUp(t);
    await runImport([...argv, '--concurrency', '1', '-'], { stdin: LOG.text });
    assert.equal(stub.busiest, 1);
    assert.deepEqual(
      [...stub.events.values()].map(({ item }) => item),
      LOG.requests.map(({ path }) => path),
    );
  });

  test('the largest batch there can be fits into a request', async (t) => {
    const { stub, argv } = await setUp(t);
    const line = `::1 - - [17/May/2015:10:05:03 +0000] "GET /${'\\"'.repeat(255)} HTTP/1.1" 200 5`;
    const action = 'a'.repeat(32);
    const { stdout } = await runImport([...argv, '--action', action, '-'], {
      stdin: Buffer.from(`${line}\n`.repeat(100)),
    });
    assert.equal(readSummary(stdout).accepted, 100);
    assert.ok(stub.requests[0].bytes <= 64 * 1024);
  });

  test('long user agents are cut, and batches end where a request is full', async (t) => {
    const { stub, argv } = await setUp(t);
    const agent = `Mozilla/5.0 ${'é'.repeat(506)}${'"x'.repeat(2_000)}`;
    const written = agent.replaceAll('"', String.raw`\"`);
    const line = `::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "${written}"\n`;
    const { stdout } = await runImport([...argv, '-'], { stdin: Buffer.from(line.repeat(100)) });
    assert.equal(readSummary(stdout).accepted, 100);
    assert.equal(stub.requests.length, 2);
    for (const { bytes } of stub.requests) assert.ok(bytes <= 64 * 1024, `${bytes}`);
    for (const { visitor } of stub.events.values()) assert.deepEqual(visitor, { address: '::1', agent: agent.slice(0, 518) });
  });

  test('assets and bots are sent when they are asked for', async (t) => {
    const { stub, argv } = await setUp(t);
    const { stdout } = await runImport([...argv, '--assets', '-'], { stdin: LOG.text });
    const { 'assets left out': assets, 'of bots left out': bots } = readSummary(stdout);
    assert.equal(assets, 0);
    assert.equal(bots, LOG.bots.length);
    assert.equal(stub.events.size, LOG.requests.length + LOG.assets.length);

    await runImport([...argv, '--assets', '--bots', '-'], { stdin: LOG.text });
    const all = [...LOG.requests, ...LOG.assets, ...LOG.bots];
    assert.deepEqual(
      itemsOf(stub),
      countBy(all, ({ path }) => path),
    );
  });

  test('visitors stay at home when that is asked for', async (t) => {
    const { stub, argv } = await setUp(t);
    await runImport([...argv, '--no-visitors', '-'], { stdin: LOG.text });
    assert.equal(stub.events.size, LOG.requests.length);
    for (const event of stub.events.values()) assert.deepEqual(Object.keys(event).sort(), ['action', 'at', 'id', 'item']);
  });

  test('filters leave lines out', async (t) => {
    const { stub, argv } = await setUp(t);
    const filters = ['--status', '2xx', '--method', 'GET,HEAD', '--include', '/posts/*', '--exclude', '*/7%20*'];
    const { stdout } = await runImport([...argv, ...filters, '-'], { stdin: LOG.text });

    const isWanted = (/** @type {import('./generator.mjs').Request} */ { status, method, path }) =>
      (status === 200 || status === 206) && method !== 'POST' && path.startsWith('/posts/') && !path.includes('/7%20');
    const wanted = LOG.requests.filter(isWanted);
    assert.deepEqual(
      itemsOf(stub),
      countBy(wanted, ({ path }) => path),
    );
    const unwanted = [...LOG.requests, ...LOG.assets, ...LOG.bots].filter((request) => !isWanted(request));
    assert.equal(readSummary(stdout)['filtered out'], unwanted.length);
    assert.equal(readSummary(stdout)['assets left out'], 0);
  });

  test('lines whose item the service could not take are refused here, with the reason', async (t) => {
    const { stub, argv } = await setUp(t);
    const line = (/** @type {string} */ target) => `::1 - - [17/May/2015:10:05:03 +0000] "GET ${target} HTTP/1.1" 200 5\n`;
    const targets = ['/good', '*', `/${'a'.repeat(256)}`, `/${'b'.repeat(256)}`, String.raw`/caf\xe9`, String.raw`/tab\t`];
    const { status, stdout } = await runImport([...argv, '-'], { stdin: Buffer.from(targets.map(line).join('')) });

    assert.equal(status, 0);
    assert.deepEqual([...itemsOf(stub).keys()], ['/good']);
    assert.equal(readSummary(stdout).refused, 5);
    for (const reason of ['2 item-too-long', '1 no-path', '1 item-not-utf-8', '1 item-control-character']) {
      assert.match(stdout, new RegExp(`^ +${reason}$`, 'm'));
    }
  });

  test('a dry run sends nothing and shows the top paths', async (t) => {
    const { stub, argv } = await setUp(t);
    const { status, stdout } = await runImport([...argv, '--dry-run', '-'], { env: {}, stdin: LOG.text });

    assert.equal(status, 0);
    assert.equal(stub.requests.length, 0);
    assert.deepEqual(readSummary(stdout), {
      'lines read': 1_500,
      unparsable: LOG.unparsable,
      'filtered out': 0,
      'assets left out': LOG.assets.length,
      'of bots left out': LOG.bots.length,
      'events to send': LOG.requests.length,
      refused: 0,
    });
    const top = [...ITEMS].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 10);
    const shown = [...stdout.matchAll(/^ +(\d+) (\/.*)$/gm)].map(([, count, path]) => [path, Number(count)]);
    assert.deepEqual(shown, top);
    assert.match(stdout, new RegExp(`^Top 10 of ${ITEMS.size} paths:$`, 'm'));
  });

  test('the first three unparsable lines are shown, without what a terminal would obey', async (t) => {
    const { argv } = await setUp(t);
    const stdin = Buffer.from('::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5\n\x1b[2J\n\xff\na\nb\n', 'latin1');
    const { status, stdout } = await runImport([...argv, '-'], { stdin });
    assert.equal(status, 0);
    const shown = stdout.split('\n').filter((row) => row.includes('stdin:'));
    assert.deepEqual(
      shown.map((row) => row.trim()),
      ['2: … \\x1b[2J', '3: … \\xff', '4: … a'].map((row) => `stdin:${row.replace('…', 'neither Common nor Combined Log Format:')}`),
    );
  });
});

describe('importing again', () => {
  /**
   * Imports once plainly and once as given; the second import must find nothing new.
   *
   * @param {import('node:test').TestContext} t
   * @param {Again} again
   *
   * @typedef {{ argv?: string[], stdin?: Buffer, duplicate?: number }} Again
   */
  async function checkNothingNew(t, again) {
    const { stub, argv } = await setUp(t);
    await runImport([...argv, '-'], { stdin: LOG.text });
    const { status, stdout } = await runImport([...argv, ...(again.argv ?? []), '-'], {
      stdin: again.stdin ?? LOG.text,
    });

    assert.equal(status, 0);
    assert.equal(readSummary(stdout).accepted, 0);
    assert.equal(readSummary(stdout).duplicate, again.duplicate ?? LOG.requests.length);
    assert.deepEqual(itemsOf(stub), ITEMS);
  }

  /** @type {Record<string, Again>} */
  const AGAIN = {
    'the same bytes': {},
    'a compressed copy': { stdin: gzipSync(LOG.text) },
    'a copy with other line ends': {
      stdin: Buffer.from(LOG.text.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
    },
    'other batches': { argv: ['--batch', '7'] },
    'more at a time': { argv: ['--concurrency', '16', '--batch', '13'] },
    'fewer of the lines': {
      argv: ['--status', '404'],
      duplicate: LOG.requests.filter(({ status }) => status === 404).length,
    },
  };
  for (const [name, again] of Object.entries(AGAIN)) {
    test(`${name}: all duplicates`, (t) => checkNothingNew(t, again));
  }

  test('a log that has grown: only what is new counts', async (t) => {
    const { stub, argv } = await setUp(t);
    const lines = LOG.text.toString('latin1').split(/(?<=\n)/);
    await runImport([...argv, '-'], { stdin: Buffer.from(lines.slice(0, 777).join(''), 'latin1') });
    const before = stub.events.size;
    const { stdout } = await runImport([...argv, '-'], { stdin: LOG.text });

    assert.equal(readSummary(stdout).duplicate, before);
    assert.equal(readSummary(stdout).accepted, LOG.requests.length - before);
    assert.deepEqual(itemsOf(stub), ITEMS);
  });

  test('a file and its compressed copy in one import count once', async (t) => {
    const { stub, argv } = await setUp(t);
    const files = writeFiles(t, { 'access.log': LOG.text, 'copy.gz': gzipSync(LOG.text) });
    const { stdout } = await runImport([...argv, ...files]);
    assert.equal(readSummary(stdout).duplicate, LOG.requests.length);
    assert.deepEqual(itemsOf(stub), ITEMS);
  });

  test('different files count each for itself', async (t) => {
    const other = generateLog({ seed: 2, lines: 300, from: '2016-01-01T00:00:00Z', to: '2016-01-02T00:00:00Z' });
    const { stub, argv } = await setUp(t);
    const { stdout } = await runImport([...argv, ...writeFiles(t, { a: LOG.text, b: other.text })]);
    assert.equal(readSummary(stdout).accepted, LOG.requests.length + other.requests.length);
    assert.deepEqual(
      itemsOf(stub),
      countBy([...LOG.requests, ...other.requests], ({ path }) => path),
    );
  });

  test('the same log for another action counts again', async (t) => {
    const { stub, argv } = await setUp(t);
    await runImport([...argv, '-'], { stdin: LOG.text });
    await runImport([...argv, '--action', 'like', '-'], { stdin: LOG.text });
    assert.equal(stub.events.size, 2 * LOG.requests.length);
  });
});
