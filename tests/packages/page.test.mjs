/**
 * What a blogger does, in a folder where PATH leads to Node, npm and a redis-server alone: `npm create` from the tarball, `npm start`, a
 * page of another origin in Chromium, a click, a list with titles, and a deployment that changes nothing. It says how long each takes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { listen } from '../browser/support/listen.mjs';
import { launchChromium, openPage } from '../support/chromium.mjs';
import { until } from '../support/until.mjs';
import { bareEnvironment, pack, portForLong, seconds, stagePackage, startProcess, temporary } from './folder.mjs';

const START_MS = 60_000;
/** The scheduled run, which reads titles, comes each ten seconds. */
const TITLE_MS = 60_000;
const TITLE = 'How I learned to bake';

/** What the blogger writes: a line in the template of posts, and two where the list is. @param {string} worker */
const lines = (worker) => ({
  post: [`<script type="module" src="${worker}/shelf.js" data-edgeboard-site="blog" data-edgeboard-view></script>`],
  front: [
    `<script type="module" src="${worker}/board.js"></script>`,
    '<edge-board site="blog" board="pages" window="day" label="Most read today"></edge-board>',
  ],
});

test('from npm create to a titled list on a page of another origin', { timeout: 600_000 }, async (t) => {
  const root = temporary(t);
  const env = bareEnvironment(root);
  const port = await portForLong();
  const worker = `http://localhost:${port}`;
  const written = lines(worker);
  const blog = await listen((request, response) => {
    const body = request.url === '/' ? `<a href="/posts/1">A post</a>\n${written.front.join('\n')}` : written.post.join('\n');
    const title = request.url === '/' ? 'My blog' : TITLE;
    response.setHeader('content-type', 'text/html').end(`<!doctype html>\n<title>${title}</title>\n${body}\n`);
  });
  t.after(() => blog.close());
  const [edgeboard, create] = [pack(stagePackage(join(root, 'built')), root), pack(inProject('packages/create-edgeboard'), root)];
  const folder = join(root, 'my-list');

  /** @type {string[]} */
  const steps = [];
  /** @template T @param {string} name @param {() => Promise<T>} step @returns {Promise<T>} */
  async function timed(name, step) {
    const begun = performance.now();
    const result = await step();
    steps.push(`${name} ${seconds(performance.now() - begun)} s`);
    return result;
  }
  const run = async (/** @type {string} */ program, /** @type {string[]} */ args, /** @type {string} */ where = folder) => {
    const { status, printed } = await startProcess(program, args, { folder: where, env }).ended;
    assert.equal(status, 0, `${program} ${args.join(' ')}: ${printed}`);
    return printed;
  };

  const answers = ['--yes', '--zone', 'UTC', '--origin', blog.url];
  await timed('npm create', () =>
    run('npm', ['exec', '--yes', `--package=${create}`, '--', 'create-edgeboard', 'my-list', ...answers], root),
  );
  await timed('npm install', () => run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', edgeboard]));
  const server = startProcess('npm', ['start'], { folder, env: { ...env, PORT: String(port) } });
  await timed('npm start', () =>
    until('it serves', () => server.printed().includes('Ctrl-C stops it.') || server.child.exitCode !== null, { timeoutMs: START_MS }),
  );
  assert.equal(server.child.exitCode, null, server.printed());

  const browser = await launchChromium();
  t.after(() => browser.close());
  const reader = await openPage(browser);
  await reader.goto(`${blog.url}/`);
  await timed('a click until it is counted', async () => {
    const beacon = reader.waitForResponse((response) => response.url() === `${worker}/v1/blog/shelf`);
    await reader.click('a');
    assert.equal((await beacon).status(), 204);
  });
  const front = await openPage(browser);
  await front.goto(`${blog.url}/`);
  const shown = () =>
    front.locator('edge-board').evaluate((element) => (element.shadowRoot ?? element).querySelector('li')?.innerText ?? '');
  await timed('the list on another page', () => until('it is on the list', async () => /posts\/1|bake/.test(await shown())));
  await timed('its title', () => until('it has its title', async () => (await shown()).includes(TITLE), { timeoutMs: TITLE_MS }));
  server.interrupt();
  await server.ended;

  const printed = await timed('wrangler deploy --dry-run', () => run('npx', ['wrangler', 'deploy', '--dry-run']));
  assert.match(printed, /edgeboard_bg\.wasm/);
  t.diagnostic(steps.join(', '));
  t.diagnostic(`lines that a user wrote: 0 in the folder, ${written.post.length + written.front.length} on pages`);
});
