/** Whole imports into a stand-in for the service that fails, refuses or is something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { freePort } from '../support/port.mjs';
import { readSummary, runImport, writeFiles } from './command.mjs';
import { countBy } from './generator.mjs';
import { ITEMS, itemsOf, LOG, setUp } from './stubbed.mjs';

for (const status of [429, 502, 503, 504]) {
  test(`${status} is tried again after what Retry-After asks for`, async (t) => {
    const faults = [{ status, headers: { 'retry-after': '7' } }];
    const { stub, argv } = await setUp(t, { faults });
    const { status: exit, waits } = await runImport([...argv, '-'], { stdin: LOG.text });
    assert.equal(exit, 0);
    assert.deepEqual(waits, [7_000]);
    assert.deepEqual(itemsOf(stub), ITEMS);
  });
}

test('waits grow when the service asks for nothing, and the ids stay', async (t) => {
  const { stub, argv } = await setUp(t, { faults: Array(7).fill({ status: 503 }) });
  const { status, waits } = await runImport([...argv, '--concurrency', '1', '-'], { stdin: LOG.text });
  assert.equal(status, 0);
  for (const [index, max] of [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
    assert.ok(waits[index] >= max / 2 && waits[index] <= max, `${waits}`);
  }
  for (const { ids } of stub.requests.slice(0, 8)) assert.deepEqual(ids, stub.requests[0].ids);
  assert.deepEqual(itemsOf(stub), ITEMS);
});

test('an answer that got lost comes back as duplicates and counts once', async (t) => {
  const { stub, argv } = await setUp(t, { faults: ['lost'] });
  const { status, stdout } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 0);
  assert.equal(readSummary(stdout).duplicate, 100);
  assert.deepEqual(itemsOf(stub), ITEMS);
});

test('an outage of a minute is outlasted, although each answer asks for one second only', async (t) => {
  const outage = { status: 503, headers: { 'retry-after': '1' }, body: { code: 'redis-unavailable' } };
  const { stub, argv } = await setUp(t, { faults: [outage] });
  let waited = 0;
  const { status, stderr } = await runImport([...argv, '--concurrency', '1', '-'], {
    stdin: LOG.text,
    onWait: (ms) => {
      waited += ms;
      if (waited < 60_000) stub.faults = [outage];
    },
  });
  assert.equal(status, 0, stderr);
  assert.ok(waited >= 60_000, `${waited}`);
  assert.deepEqual(itemsOf(stub), ITEMS);
});

test('a longer one ends the import with the way to go on, and running again sends the rest', async (t) => {
  const detail = 'Redis is out';
  const down = { status: 503, body: { code: 'unavailable', detail } };
  const { stub, argv } = await setUp(t);
  stub.faults = [undefined, undefined, ...Array(1_000).fill(down)];
  const { status, stdout, stderr, waits } = await runImport([...argv, '--concurrency', '1', '-'], { stdin: LOG.text });

  assert.equal(status, 1);
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waited > 280_000 && waited <= 300_000, `${waited}`);
  assert.match(stderr, /^import: stopped: \S+\/v1\/demo\/events answered 503 unavailable: Redis is out, for \d{3} s$/m);
  assert.match(stderr, /\b200 of their \d+ events answered for\. Run the same command again .* nothing counts twice within/);
  assert.equal(readSummary(stdout).accepted, 200);
  assert.match(stdout, /^ +100 sent without an answer/m);

  stub.faults = [];
  const again = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(again.status, 0);
  assert.equal(readSummary(again.stdout).duplicate, 200);
  assert.deepEqual(itemsOf(stub), ITEMS);
});

test('a service that is not there is said to be', async () => {
  const argv = ['--site', 'demo', '--action', 'view', '--endpoint', `http://127.0.0.1:${await freePort()}`];
  const { status, stderr } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 1);
  assert.match(stderr, /did not answer \(ECONNREFUSED\), for \d{3} s$/m);
});

test('a wrong token stops the import at once with what the service says', async (t) => {
  const fault = { status: 401, body: { code: 'unauthorized', detail: 'the token is not the one of this site' } };
  const { stub, argv } = await setUp(t, { faults: Array(20).fill(fault) });
  const { status, stdout, stderr, waits } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 1);
  assert.deepEqual(waits, []);
  assert.equal(stub.events.size, 0);
  assert.equal(stub.requests.length, 1);
  assert.deepEqual([readSummary(stdout).sent, readSummary(stdout).refused], [100, 100]);
  assert.doesNotMatch(stdout, /without an answer/);
  assert.doesNotMatch(stderr, /Run the same command again/);
  assert.match(stderr, /answered 401 unauthorized: the token is not the one of this site$/m);
  assert.doesNotMatch(stdout + stderr, /write-token/);
});

const ADVICE = {
  'a site that is not there': {
    fault: { status: 404, body: { code: 'unknown-site', detail: 'no site is called "demo"' } },
    says: /answered 404 unknown-site: no site is called "demo"\n--site takes the NAME of a table \[vars\.SITES\.NAME\]/,
  },
  'a server that is no edgeboard': {
    fault: { status: 404, body: '<html>' },
    says: /answered 404\n--endpoint takes the address of an edgeboard, without \/v1\.$/m,
  },
  'a token that is not right': {
    fault: { status: 401, body: { code: 'unauthorized', detail: 'the token is not the WRITE_TOKEN' } },
    says: /answered 401 unauthorized: the token is not the WRITE_TOKEN\nSet WRITE_TOKEN in the environment to the/,
  },
};
for (const [name, { fault, says }] of Object.entries(ADVICE)) {
  test(`${name} is reported as that, with what to do`, async (t) => {
    const { argv } = await setUp(t, { faults: Array(20).fill(fault) });
    const { status, stderr, waits } = await runImport([...argv, '-'], { stdin: LOG.text });
    assert.equal(status, 1);
    assert.deepEqual(waits, []);
    assert.match(stderr, says);
  });
}

test('a redirect is not followed, so the token goes nowhere else', async (t) => {
  const fault = { status: 302, headers: { location: 'https://elsewhere.example/' } };
  const { stub, argv } = await setUp(t, { faults: Array(20).fill(fault) });
  const { status, stderr } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 1);
  assert.equal(stub.events.size, 0);
  assert.match(stderr, /answered 302: redirected to https:\/\/elsewhere\.example\/$/m);
});

test('something else that answers 200 is not taken for the service', async (t) => {
  const { argv } = await setUp(t, { faults: Array(20).fill({ status: 200, body: 'hello' }) });
  const { status, stderr } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 1);
  assert.match(stderr, /answered 200, but not as an edgeboard does/);
});

test('events that it rejects are summed up by code, and the rest counts', async (t) => {
  const refuse = (/** @type {{ item: string, at: string }} */ { item, at }) =>
    item === '/' ? 'unknown-item' : at.startsWith('2015-05-20') ? 'in-the-future' : undefined;
  const { stub, argv } = await setUp(t, { refuse });
  const { status, stdout } = await runImport([...argv, '-'], { stdin: LOG.text });

  const codes = countBy(
    LOG.requests.map(({ path, time }) => refuse({ item: path, at: new Date(time).toISOString() })),
    (code) => code,
  );
  assert.equal(status, 0);
  assert.equal(stub.events.size, codes.get(undefined));
  assert.equal(readSummary(stdout).refused, LOG.requests.length - Number(codes.get(undefined)));
  assert.match(stdout, new RegExp(`^ +${codes.get('unknown-item')} unknown-item \\(the first: / is not welcome\\)$`, 'm'));
  assert.match(stdout, new RegExp(`^ +${codes.get('in-the-future')} in-the-future \\(`, 'm'));
});

test('when nothing counts, the status says so', async (t) => {
  const { argv } = await setUp(t, { refuse: () => 'unknown-action' });
  const { status, stderr } = await runImport([...argv, '-'], { stdin: LOG.text });
  assert.equal(status, 3);
  assert.equal(stderr, 'import: nothing was counted; the summary says why\n');

  const dry = await runImport([...argv, '--dry-run', '--include', '/nowhere', '-'], { stdin: LOG.text });
  assert.equal(dry.status, 3);
  assert.equal(dry.stderr, 'import: nothing would be sent; the summary says why\n');

  const empty = await runImport([...argv, '-']);
  assert.deepEqual([empty.status, empty.stderr], [3, 'import: nothing was counted: - has no line\n']);
  const files = writeFiles(t, { 'access.log': '', 'access.log.1': '' });
  const rotated = await runImport([...argv, '--dry-run', ...files]);
  assert.deepEqual([rotated.status, rotated.stderr], [3, `import: nothing would be sent: ${files.join(', ')} have no line\n`]);
});

test('a file that cannot be read stops the import after what was read', async (t) => {
  const { stub, argv } = await setUp(t);
  const whole = gzipSync(LOG.text);
  const { status, stderr } = await runImport([...argv, '-'], { stdin: whole.subarray(0, whole.length - 9) });
  assert.equal(status, 1);
  assert.match(stderr, /^import: stopped: stdin: unexpected end of file$/m);
  assert.ok(stub.events.size <= LOG.requests.length);
});

test('a missing file stops it before anything is sent', async (t) => {
  const { stub, argv } = await setUp(t);
  const [file] = writeFiles(t, { 'access.log': LOG.text });
  const { status, stderr } = await runImport([...argv, file, `${file}.missing`]);
  assert.equal(status, 1);
  assert.equal(stderr, `import: there is no file ${file}.missing\n`);
  assert.equal(stub.requests.length, 0);
});
