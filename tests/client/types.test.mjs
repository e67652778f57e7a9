/** The client's types: made of the description that the worker serves, and right for what docs/http/ shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { makeTypes, TYPES, typesOf } from '../../scripts/client/types.mjs';
import { inProject } from '../../scripts/project.mjs';
import { startWorker } from '../support/worker.mjs';

const SITES = { demo: { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['day'] } } } };
const TSC = inProject('node_modules/.bin/tsc');
const COMPILER = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2024,dom', '--module', 'nodenext', '--types', ''];
const run = promisify(execFile);

/** A request of a page of the documentation, and its answer. @typedef {{ method: string, address: string, body: string, status: number, answer: string }} Example */

/** The description of the API. @type {any} */
let description;
before(async () => {
  const worker = await startWorker({ vars: { REDIS_URL: 'redis://127.0.0.1:1', SITES } });
  description = await (await worker.fetch('/openapi.json')).json();
  await worker.stop();
});

test('they are those of the description that the worker serves', () => {
  makeTypes();
  assert.ok(readFileSync(inProject(TYPES), 'utf8') === typesOf(description), 'the worker was built of the same routes and schemas');
});

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-client-'));
  const installed = join(folder, 'node_modules/@edgeboard/client');
  before(async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: inProject('packages/client') });
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    const paths = files.map((/** @type {{ path: string }} */ { path }) => path);
    assert.ok(paths.includes('types/index.d.ts') && paths.includes('src/index.js') && !paths.includes('src/api.ts'), paths.join(' '));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What the compiler says of a program that imports the package. @param {string} program @param {...string} more options */
  async function compiled(program, ...more) {
    writeFileSync(join(folder, 'program.ts'), program);
    return run(TSC, [...COMPILER, ...more, 'program.ts'], { cwd: folder }).then(
      () => '',
      ({ stdout }) => stdout,
    );
  }

  const head = `import { createClient, type Routes } from '@edgeboard/client';
const client = createClient({ url: 'https://rankings.example', site: 'demo' });
const anything: any = undefined;
`;

  test('every route compiles, those of docs/http/ as they are asked and answered there', async (t) => {
    const known = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const shown = new Set();
    const lines = examples().flatMap((example, i) => {
      const asked = askedBy(example, known);
      shown.add(asked.route);
      const request = `void client.request('${asked.route}', ${asked.text});`;
      if (example.status >= 300) return [request];
      const answer = example.answer.startsWith('{') && !answersLines(asked.route) ? typed(example.answer) : '""';
      return [request, `const answer${i}: Routes['${asked.route}']['answer'] = ${answer};`];
    });
    // A stream, a body of what is known besides, and what no page asks: by their paths, with any body.
    const others = known.filter((route) => !shown.has(route));
    for (const [i, route] of others.entries()) {
      const path = [...route.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name === 'site' ? [] : [`${name}: 'x'`]));
      const asked = [path.length > 0 ? `path: { ${path.join(', ')} }` : '', /^GET/.test(route) ? '' : 'body: anything'].filter(Boolean);
      lines.push(`void client.request('${route}', { ${asked.join(', ')} });`, `const other${i}: Routes['${route}']['answer'] = anything;`);
    }
    assert.equal(await compiled(head + lines.join('\n')), '');
    // What the demo site of that page cannot have.
    const missing = known.filter((route) => route.includes('{site}') && !shown.has(route) && !/\/live$|dead|history$|revoke$/.test(route));
    t.diagnostic(`${shown.size} routes by examples, ${others.length} by their paths`);
    assert.deepEqual(missing, []);
  });

  test('what is wrong does not compile', async () => {
    const wrong = {
      "await client.ranking('articles', 'day', { limits: 2 })": /'limits' does not exist/,
      "(await client.ranking('articles', 'day')).entries[0].titel": /'titel' does not exist/,
      "await client.send([{ acton: 'view' }])": /'acton' does not exist/,
      "await client.request('GET /v1/{site}/nothing', {})": /not assignable/,
      "await client.request('GET /v1/{site}/items/{id}', {})": /'path' is missing/,
      "(await client.member('articles', 'day', '/1')).rank": /possibly 'null'/,
    };
    for (const [program, expected] of Object.entries(wrong)) assert.match(await compiled(`${head}${program};`), expected);
  });

  test('the examples of docs/client.md and of the pages below it compile', async () => {
    const text = ['docs/client.md', 'docs/client/server.md'].map((page) => readFileSync(inProject(page), 'utf8')).join('\n');
    const ofAdmin = [...readFileSync(inProject('docs/client/admin.md'), 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(
      ([, program]) => program,
    );
    const inOrder = ofAdmin.map((program, i) => (i === 0 ? program : `{\n${program}}`)).join('\n');
    assert.equal(await compiled(`declare const process: any;\n${inOrder}`, '--noImplicitAny', 'false'), '');
    for (const [, language, program] of text.matchAll(/^```(js|ts)\n(.*?)^```/gms)) {
      const imports = /import \{ createClient/.test(program) ? '' : head;
      assert.equal(await compiled(`declare const process: any;\n${imports}${program}`, '--noImplicitAny', 'false'), '', language);
    }
  });
});

/** What docs/http/ asks rightly. @returns {Example[]} */
function examples() {
  const pages = readdirSync(inProject('docs/http')).map((name) => readFileSync(inProject('docs/http', name), 'utf8'));
  const blocks = pages.flatMap((page) => [...page.matchAll(/^```http\n(.*?)^```/gms)].map(([, block]) => block));
  /** @type {Example[]} */
  const found = [];
  for (let i = 0; i + 1 < blocks.length; i += 2) {
    const [requestHead, body = ''] = blocks[i].split(/\n\n(.*)/s);
    const [answerHead, answer = ''] = blocks[i + 1].split(/\n\n(.*)/s);
    const [method, address] = requestHead.split('\n')[0].split(' ');
    found.push({ method, address, body: body.trim(), status: Number(answerHead.split('\n')[0]), answer: answer.trim() });
  }
  // Refused events are wrong on purpose. A conflict is that of a request that is right.
  return found.filter(({ address, status, answer }) => {
    const isRefused = address.endsWith('/events') && /"rejected": \[ *\n? *\{/.test(answer);
    return (status < 300 || status === 409) && !isRefused;
  });
}

/** How the client asks that. @param {Example} example @param {string[]} known routes */
function askedBy({ method, address, body }, known) {
  const url = new URL(address, 'https://rankings.example');
  const parts = url.pathname.split('/').map(decodeURIComponent);
  const fits = (/** @type {string} */ route) => {
    const segments = route.replace(`${method} `, '').split('/');
    if (!route.startsWith(`${method} `) || segments.length !== parts.length) return undefined;
    const patterns = segments.map((segment) => new RegExp(`^${segment.replaceAll('.', '\\.').replace(/\{(\w+)\}/, '(?<$1>.+)')}$`, 's'));
    const matches = patterns.map((pattern, i) => pattern.exec(parts[i]));
    return matches.every(Boolean) ? Object.assign({}, ...matches.map((match) => match?.groups)) : undefined;
  };
  // The one with the fewest names is meant: `day.html` is no window.
  const candidates = known.filter(fits).sort((a, b) => a.split('{').length - b.split('{').length || b.length - a.length);
  const route = candidates[0] ?? assert.fail(`${method} ${address}`);
  const { site: _, ...path } = fits(route) ?? {};
  const fields = [`path: ${JSON.stringify(path)}`];
  if (Object.keys(path).length === 0) fields.pop();
  const query = [...url.searchParams].map(([name, value]) => `${name}: ${literalOf(name, value)}`);
  if (query.length > 0) fields.push(`query: { ${query.join(', ')} }`);
  if (body) fields.push(`body: ${takesLines(route) ? JSON.stringify(body) : typed(body)}`);
  return { route, text: `{ ${fields.join(', ')} }` };
}

/** Whether a body is lines of JSON. @param {string} route */
const takesLines = (route) => /^PUT .*\/(items|actors)$|\/sites\/\{site\}\/import$/.test(route);
const answersLines = (/** @type {string} */ route) => /\.ndjson$|\/sites\/\{site\}\/export$/.test(route);

/** A parameter as a program has it. @param {string} name @param {string} value */
function literalOf(name, value) {
  if (/^(details|actions|dry_run|keep_off|unknown|rank)$/.test(name) && /^[01]$/.test(value)) return String(value === '1');
  return /^[\d.]+$/.test(value) ? value : JSON.stringify(value);
}

/** JSON in which `…` stands for anything. @param {string} json */
const typed = (json) => json.replaceAll('"…"', 'anything');
