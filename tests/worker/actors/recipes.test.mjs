/**
 * The recipes of docs/actors/recipes.md run: each signs a token, likes, asks what it liked, takes it back, and asks again. A language that is
 * not installed here is left out, and the test says so.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { inProject } from '../../../scripts/project.mjs';
import { entriesOf, startDeployment } from '../../support/deployment.mjs';
import { SECRET } from './site.mjs';

const TEXT = readFileSync(inProject('docs/actors/recipes.md'), 'utf8');
const run = promisify(execFile);
/** What runs the first block of a language, and the file's name. @type {[language: string, file: string, command: string[]][]} */
const RECIPES = [
  ['js', 'recipe.mjs', [process.execPath]],
  ['python', 'recipe.py', ['python3']],
  ['php', 'recipe.php', ['php']],
  ['ruby', 'recipe.rb', ['ruby']],
  ['go', 'recipe.go', ['go', 'run']],
  ['java', 'Actors.java', ['java']],
];
const MUST_RUN = ['js', 'python'];

/** The program among the blocks of a language: the one that knows the worker's address. @param {string} language */
function programOf(language) {
  const blocks = [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block);
  return blocks.find((block) => block.includes('WORKER') && block.includes('ACTOR_SECRET')) ?? assert.fail(`no recipe for ${language}`);
}

/** @param {string} command */
async function isInstalled(command) {
  const flag = command === 'go' ? 'version' : '--version';
  return run(command, [flag]).then(
    () => true,
    () => false,
  );
}

describe('recipes', () => {
  /** @type {import('../../support/deployment.mjs').Deployment} */
  let deployment;
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-recipes-'));
  before(async () => {
    const site = {
      bots: 'count', // which is what the recipes' own user agents are
      actions: { like: { reversible: true, signed: true } },
      boards: { people: { members: 'actors', weights: { like: 1 }, windows: ['all'] } },
    };
    deployment = await startDeployment({ transport: 'redis://', sites: { demo: site }, vars: { ACTOR_SECRET: SECRET } });
  });
  beforeEach(() => deployment.redis.command('FLUSHALL'));
  after(async () => {
    await deployment.stop();
    rmSync(folder, { recursive: true });
  });

  for (const [language, name, [command, ...args]] of RECIPES) {
    test(language, async (t) => {
      const program = programOf(language);
      if (!(await isInstalled(command))) {
        assert.ok(!MUST_RUN.includes(language), `${command} is not installed`);
        t.skip(`${command} is not installed: this recipe was not run`);
        return;
      }
      const file = join(folder, name);
      writeFileSync(file, program);
      const env = { ...process.env, WORKER: deployment.worker.url, ACTOR_SECRET: SECRET };
      const { stdout } = await run(command, [...args, file], { env, timeout: 60_000 });
      assert.deepEqual(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        [['/posts/1'], []],
      );
      const [record] = await deployment.redis.command('KEYS', 'eb:{demo:people}:tracked:*:actor:u7');
      assert.ok(record, 'it was u7 who liked');
      assert.deepEqual(entriesOf(await deployment.freshTop('people/all')), []);
    });
  }

  test('the servlet filter compiles against the signing class', async (t) => {
    if (!(await isInstalled('javac'))) {
      t.skip('javac is not installed: the filter was not compiled');
      return;
    }
    const [filter] = TEXT.match(/^import jakarta\.servlet\.\*;\n.*?^```/ms) ?? assert.fail('no filter');
    /** The parts of the servlet API that it needs, as the API declares them. */
    const api = {
      'jakarta/servlet/ServletRequest': 'public interface ServletRequest { void setAttribute(String name, Object value); }',
      'jakarta/servlet/ServletResponse': 'public interface ServletResponse {}',
      'jakarta/servlet/ServletException':
        'public class ServletException extends Exception { public ServletException(Throwable cause) { super(cause); } }',
      'jakarta/servlet/FilterChain':
        'public interface FilterChain { void doFilter(ServletRequest request, ServletResponse response) throws java.io.IOException, ServletException; }',
      'jakarta/servlet/Filter':
        'public interface Filter { void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws java.io.IOException, ServletException; }',
      'jakarta/servlet/annotation/WebFilter': 'public @interface WebFilter { String[] value() default {}; }',
      'jakarta/servlet/http/HttpServletRequest':
        'public interface HttpServletRequest extends jakarta.servlet.ServletRequest { java.security.Principal getUserPrincipal(); }',
      'jakarta/servlet/http/HttpServletResponse':
        'public interface HttpServletResponse extends jakarta.servlet.ServletResponse { void setHeader(String name, String value); }',
    };
    const sources = Object.entries(api).map(([path, text]) => {
      const file = join(folder, 'filter', `${path}.java`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `package ${dirname(path).replaceAll('/', '.')};\n${text}\n`);
      return file;
    });
    for (const [name, text] of [
      ['ActorTokenFilter', filter.replace(/```$/, '')],
      ['Actors', programOf('java')],
    ]) {
      sources.push(join(folder, 'filter', `${name}.java`));
      writeFileSync(/** @type {string} */ (sources.at(-1)), text);
    }
    await run('javac', ['-d', join(folder, 'classes'), ...sources], { timeout: 120_000 });
  });
});
