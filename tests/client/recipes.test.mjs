/**
 * The recipes of docs/recipes/ run. Each sends a thousand events, while a reply is lost and Redis is killed and started again, and counts
 * the views of pages. A language that is not installed here is left out, and the test says so.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { inProject } from '../../scripts/project.mjs';
import { entriesOf, startDeployment, WRITE_TOKEN } from '../support/deployment.mjs';
import { killWithParent } from '../support/guard.mjs';
import { freePort } from '../support/port.mjs';
import { until } from '../support/until.mjs';

const run = promisify(execFile);
const EVENTS = 1000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const MUST_RUN = ['python'];
/** Of the proxy's requests, whose reply is lost, and which one Redis is killed before. */
const LOSES = 3;
const KILLS = 6;
const DOWN_MS = 1200;

const PAGE = {
  method: 'GET',
  path: '/posts/1',
  address: '192.0.2.1',
  agent: FIREFOX,
  purpose: '',
  status: 200,
  type: 'text/html; charset=utf-8',
};
/** What browsers ask of a site: three pages that count, and much that does not. */
const REQUESTS = [
  PAGE,
  { ...PAGE, address: '192.0.2.2' },
  { ...PAGE, path: '/posts/%C3%BC%201', agent: `${FIREFOX} ${'ü'.repeat(300)}` },
  { ...PAGE, address: '192.0.2.1' }, // the same visitor again
  { ...PAGE, path: '/posted', method: 'POST' },
  { ...PAGE, path: '/missing', status: 404 },
  { ...PAGE, path: '/data', type: 'application/json' },
  { ...PAGE, path: '/crawled', agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' },
  { ...PAGE, path: '/unnamed', agent: '' },
  { ...PAGE, path: '/prefetched', purpose: 'prefetch;prerender' },
].map((each) => ({ ...each, decoded: decodeURIComponent(each.path) }));
const LINES = REQUESTS.map(({ method, path, address, agent, purpose, status, type }) =>
  [method, path, address, agent, purpose, status, type].join('\t'),
).join('\n');
const COUNTED = { '/posts/1': 2, '/posts/%C3%BC%201': 1 };

/** The parts of the servlet API that the filter needs, as the API declares them. @type {Record<string, string>} */
const SERVLETS = {
  ServletRequest: 'public interface ServletRequest { String getRemoteAddr(); }',
  ServletResponse: 'public interface ServletResponse { String getContentType(); }',
  ServletException: 'public class ServletException extends Exception {}',
  FilterChain:
    'public interface FilterChain { void doFilter(ServletRequest request, ServletResponse response) throws java.io.IOException, ServletException; }',
  Filter:
    'public interface Filter { void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws java.io.IOException, ServletException; }',
  'http/HttpServletRequest':
    'public interface HttpServletRequest extends jakarta.servlet.ServletRequest { String getMethod(); String getRequestURI(); String getHeader(String name); }',
  'http/HttpServletResponse': 'public interface HttpServletResponse extends jakarta.servlet.ServletResponse { int getStatus(); }',
};

/** What the blocks of a page are called, what checks that it is installed, and what runs its program and the test of its filter. */
const RECIPES = [
  {
    name: 'python',
    files: ['edgeboard.py', 'program.py', 'middleware.py'],
    version: ['python3', '--version'],
    program: ['python3', 'program.py'],
    pages: ['python3', 'pages.py'],
  },
  {
    name: 'ruby',
    files: ['edgeboard.rb', 'program.rb', 'middleware.rb'],
    version: ['ruby', '--version'],
    program: ['ruby', 'program.rb'],
    pages: ['ruby', 'pages.rb'],
  },
  {
    name: 'go',
    files: ['edgeboard.go', 'program.go', 'handler.go'],
    version: ['go', 'version'],
    program: ['go', 'run', 'edgeboard.go', 'handler.go', 'program.go'],
    pages: ['go', 'run', 'edgeboard.go', 'handler.go', 'pages.go'],
  },
  {
    name: 'java',
    files: ['Edgeboard.java', 'Program.java', 'CountViews.java'],
    version: ['javac', '--version'],
    build: ['javac', '-d', '.', 'Edgeboard.java', 'Program.java', 'CountViews.java', 'Pages.java'],
    program: ['java', '-cp', '.', 'Program'],
    pages: ['java', '-cp', '.', 'Pages'],
  },
  { name: 'php', files: ['edgeboard.php', 'program.php', 'views.php'], version: ['php', '--version'], program: ['php', 'program.php'] },
];

describe('recipes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-recipes-'));
  /** @type {import('../support/deployment.mjs').Deployment} */
  let deployment;
  before(async () => {
    const boards = {
      articles: { weights: { view: 1 }, windows: ['all'] },
      pages: { weights: { view: 1 }, windows: ['all'], once: { view: 'day' } },
    };
    const redisArgs = ['--appendonly', 'yes', '--appendfsync', 'always'];
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: { actions: { view: {} }, boards } }, redisArgs });
  });
  beforeEach(() => deployment.reset());
  after(async () => {
    await deployment?.stop();
    rmSync(folder, { recursive: true });
  });

  for (const { name, files, version, build, program, pages } of RECIPES) {
    describe(name, () => {
      const home = join(folder, name);
      const env = { ...process.env, WRITE_TOKEN, REQUESTS: JSON.stringify(REQUESTS), LINES, EDGEBOARD_SPOOL: join(home, 'spool') };
      /** @param {string[]} command @param {string} worker */
      const running = ([command, ...args], worker) => run(command, args, { cwd: home, env: { ...env, WORKER: worker }, timeout: 90_000 });
      let isInstalled = true;
      before(async () => {
        const text = readFileSync(inProject(`docs/recipes/${name}.md`), 'utf8');
        const blocks = [...text.matchAll(new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block);
        assert.equal(blocks.length, files.length);
        mkdirSync(home);
        for (const [i, file] of files.entries()) writeFileSync(join(home, file), blocks[i]);
        isInstalled = await run(version[0], version.slice(1)).then(
          () => true,
          () => false,
        );
        if (!isInstalled) return void assert.ok(!MUST_RUN.includes(name), `${name} is not installed`);
        const tested = pages ? /** @type {string} */ (pages.at(-1)) : 'page.php';
        const harness = name === 'java' ? 'Pages.java' : tested;
        mkdirSync(join(home, 'site'));
        copyFileSync(inProject(`tests/client/recipes/${harness}`), join(home, name === 'php' ? 'site/index.php' : harness));
        if (name === 'java') writeServlets(home);
        if (build) await run(build[0], build.slice(1), { cwd: home, timeout: 120_000 });
      });

      test(`${EVENTS} events count once each, while Redis is killed`, async (t) => {
        if (!isInstalled) return void t.skip(`${name} is not installed: its recipe was not run`);
        const proxy = await startProxy(deployment);
        t.after(proxy.stop);
        const { stdout, stderr } = await running(program, proxy.url);
        assert.deepEqual([stdout, stderr], ['', '']);
        assert.ok(proxy.statuses.includes(503) || proxy.statuses.includes(504), String(proxy.statuses));
        assert.ok(proxy.statuses.filter((status) => status === 200).length > EVENTS / 100, 'it came in batches');
        const entries = entriesOf(await deployment.freshTop('articles/all', '?limit=100'));
        assert.deepEqual(
          Object.fromEntries(entries),
          Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`/posts/${i}`, EVENTS / 10])),
        );
      });

      test('views of pages count, and nothing else', async (t) => {
        if (!isInstalled) return void t.skip(`${name} is not installed: its filter was not run`);
        if (pages) {
          const { stdout, stderr } = await running(pages, deployment.worker.url);
          assert.deepEqual([stdout, stderr], ['', '']);
        } else {
          await askPhp(home, env);
          writeFileSync(join(home, 'cron.php'), `${readFileSync(join(home, 'program.php'), 'utf8')}`.replace(/^for .*\n/m, ''));
          await running(['php', 'cron.php'], deployment.worker.url);
        }
        assert.deepEqual(Object.fromEntries(entriesOf(await deployment.freshTop('pages/all'))), COUNTED);
      });
    });
  }
});

/** Stands before the worker: loses a reply, and kills Redis for a while. @param {import('../support/deployment.mjs').Deployment} deployment */
async function startProxy({ worker, redis }) {
  /** @type {number[]} */
  const statuses = [];
  let requests = 0;
  let isBack = Promise.resolve();
  const server = createServer(async (request, response) => {
    requests += 1;
    const [losesReply, kills] = [requests === LOSES, requests === KILLS];
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (kills) {
      await redis.kill();
      isBack = new Promise((resolve) => setTimeout(resolve, DOWN_MS)).then(() => redis.restart());
    }
    const headers = { authorization: String(request.headers.authorization) };
    const answer = await fetch(`${worker.url}${request.url}`, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const body = await answer.text();
    if (losesReply) return void response.destroy();
    statuses.push(answer.status);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await isBack;
  };
  return { url: `http://127.0.0.1:${port}`, statuses, stop };
}

/** Asks PHP's own server for the pages. @param {string} home @param {NodeJS.ProcessEnv} env */
async function askPhp(home, env) {
  const port = await freePort();
  const args = ['-d', `auto_prepend_file=${join(home, 'views.php')}`, '-S', `127.0.0.1:${port}`, '-t', 'site'];
  const server = spawn('php', args, { cwd: home, env, stdio: 'ignore' });
  await once(server, 'spawn');
  killWithParent(server);
  /** @param {typeof REQUESTS[number]} asked @returns {Promise<number>} */
  const status = ({ method, path, agent, purpose, status, type }) =>
    new Promise((resolve, reject) => {
      const headers = {
        'x-type': type,
        'x-status': status,
        ...(agent && { 'user-agent': agent }),
        ...(purpose && { 'sec-purpose': purpose }),
      };
      ask({ port, method, path, headers }, (answer) => resolve(answer.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });
  await until('the page', () =>
    status({ ...REQUESTS[5] }).then(
      () => true,
      () => false,
    ),
  );
  // All come from this machine: another agent is another visitor.
  for (const each of REQUESTS) {
    const agent = each.address === PAGE.address ? each.agent.replace(/ü+/, '') : each.agent.replace('Firefox/140', 'Firefox/141');
    assert.equal(await status({ ...each, agent }), each.status);
  }
  server.kill();
  await once(server, 'exit');
}

/** @param {string} home */
function writeServlets(home) {
  for (const [name, text] of Object.entries(SERVLETS)) {
    const file = join(home, 'jakarta/servlet', `${name}.java`);
    mkdirSync(dirname(file), { recursive: true });
    const imports = name.startsWith('http') ? 'package jakarta.servlet.http;' : 'package jakarta.servlet;';
    writeFileSync(file, `${imports}\n${text}\n`);
  }
}
