/**
 * The rules for Prometheus and the dashboard for Grafana: each name and label in them is one that a worker tells, and the alerts come when they
 * should.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { inProject } from '../../scripts/project.mjs';
import { startDeployment } from '../support/deployment.mjs';

const METRICS_TOKEN = 'a-token-for-metrics';
const ADMIN_TOKEN = 'a-token-for-admins';
const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;
const MAX_MEMBERS = 5;
const SITE = {
  actions: { view: { public: true } },
  boards: {
    articles: { weights: { view: 1 }, windows: ['day', 'last-7-days'], archive: true, max_members: MAX_MEMBERS },
  },
};

/**
 * @typedef {object} Rule
 * @property {string} alert
 * @property {string} expr
 * @property {string} for
 * @property {string} severity
 * @property {string} summary
 * @property {string} description
 */

/** The lines of a rule, in their order; there is no YAML but this in the file. */
const RULE = [
  /^ {6}- alert: (?<alert>Edgeboard[A-Z]\w+)$/,
  /^ {8}expr: (?<expr>[^#'"]\S*(?: \S+)*)$/,
  /^ {8}for: (?<for>\d+[mh])$/,
  /^ {8}labels: \{ severity: (?<severity>warning|critical) \}$/,
  /^ {8}annotations:$/,
  /^ {10}summary: "(?<summary>[^"\\]+)"$/,
  /^ {10}description: "(?<description>[^"\\]+)"$/,
];

/** @param {string} file @param {string} group @returns {Rule[]} */
function readRules(file, group) {
  const text = readFileSync(inProject(`docs/monitoring/${file}`), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(lines.splice(0, 3), ['groups:', `  - name: ${group}`, '    rules:']);
  assert.equal(lines.length % RULE.length, 0, 'whole rules');
  return Array.from({ length: lines.length / RULE.length }, (_, at) => {
    const parts = RULE.map((shape, line) => {
      const found = shape.exec(lines[at * RULE.length + line]);
      assert.ok(found, lines[at * RULE.length + line]);
      return { ...found.groups };
    });
    return Object.assign({}, ...parts);
  });
}

const RULES = readRules('alerts.yml', 'edgeboard');
const REDIS_RULES = readRules('redis.yml', 'edgeboard-redis');
const DASHBOARD = JSON.parse(readFileSync(inProject('docs/monitoring/grafana.json'), 'utf8'));
/** @type {{ expr: string, legendFormat: string }[]} */
const TARGETS = DASHBOARD.panels.flatMap((/** @type {any} */ panel) => panel.targets ?? []);
const EXPRESSIONS = [...RULES.map(({ expr }) => expr), ...TARGETS.map(({ expr }) => expr)];

/** @typedef {{ name: string, labels: Record<string, string>, value: number }} Sample */

/** @type {import('../support/deployment.mjs').Deployment} */
let deployment;

before(async () => {
  deployment = await startDeployment({
    transport: 'redis://',
    sites: { demo: SITE },
    vars: { ADMIN_TOKEN, METRICS_TOKEN },
    hasDatabase: true,
    hasBucket: true,
  });
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.set(NOW);
});
after(() => deployment?.stop());

/** What a worker tells: its samples, and the names of all its metrics. */
async function scrape() {
  const { status, text } = await deployment.fetch('/v1/demo/admin/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  assert.equal(status, 200, text);
  const labelsOf = (/** @type {string} */ labels) =>
    Object.fromEntries(Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]));
  /** @type {Sample[]} */
  const samples = Array.from(text.matchAll(/^(\w+)\{(.*)\} (-?\d+)$/gm), ([, name, labels, value]) => ({
    name,
    labels: labelsOf(labels),
    value: Number(value),
  }));
  const names = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm)).flatMap(([, name, kind]) =>
    kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
  return { samples, names };
}

/** @param {string[]} items */
async function view(items) {
  await deployment.events({ events: items.map((item) => ({ action: 'view', item })) });
}

const upkeep = () => deployment.fetch('/v1/demo/admin/upkeep', { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

/** Of rules, an expression is one of JavaScript as well, when names are values: nothing but these words and signs is in it. */
const WORDS = /^(?:edgeboard_\w+|up|time\(\)|abs|and|\d+(?:\.\d+)?|==|[<>()/-]|\s)+$/;

/** The rules that one of the samples fulfils. @param {Sample[]} samples @param {number} up */
function firing(samples, up = 1) {
  const all = [...samples, { name: 'up', labels: { job: 'edgeboard' }, value: up }];
  return RULES.filter(({ expr }) => {
    const plain = expr.replace('up{job="edgeboard"}', 'up');
    assert.match(plain, WORDS);
    const names = [...new Set(plain.match(/\b(?:edgeboard_\w+|up)\b/g))];
    const series = all.filter(({ name }) => name === names[0]).map(({ labels }) => labels);
    const code = plain.replaceAll('time()', 'now').replaceAll('abs(', 'Math.abs(').replaceAll(' and ', ' && ');
    const fulfils = new Function('now', ...names, `return ${code}`);
    return series.some((labels) => {
      const values = names.map((name) => all.find((of) => of.name === name && JSON.stringify(of.labels) === JSON.stringify(labels))?.value);
      return !values.includes(undefined) && fulfils(deployment.edgeClock.now() / 1000, ...values);
    });
  }).map(({ alert }) => alert);
}

test('each metric and label that they name is one that a worker tells', async () => {
  await view(['a', 'b']);
  await deployment.beacon({ action: 'view', item: 'a' });
  await upkeep();
  const { names, samples } = await scrape();
  assert.ok(names.length > 25 && EXPRESSIONS.length > 25, `${names.length} ${EXPRESSIONS.length}`);
  for (const expr of EXPRESSIONS) {
    /** @type {string[]} */
    const named = expr.match(/\bedgeboard_\w+/g) ?? [];
    for (const name of named) assert.ok(names.includes(name), `${name} of ${expr}`);
    assert.ok(named.length > 0 || expr.startsWith('up{'), expr);
    // Where there is no sample yet, its labels are not known.
    const known = new Set(samples.filter(({ name }) => named.includes(name)).flatMap(({ labels }) => Object.keys(labels)));
    const selected = Array.from(expr.matchAll(/\{([^}]*)\}/g), ([, labels]) => [...labels.matchAll(/(\w+)=/g)].map(([, name]) => name));
    const grouped = Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, list]) => list.split(', '));
    for (const label of [...selected.flat(), ...grouped.flat()]) {
      assert.ok(label === 'job' || known.size === 0 || known.has(label), `${label} of ${expr}`);
    }
    const depth = (/** @type {string} */ sign) => expr.split(sign).length;
    for (const [open, close] of ['()', '{}', '[]']) assert.equal(depth(open), depth(close), expr);
  }
  for (const { expr, legendFormat } of TARGETS) assert.match(legendFormat, /\{\{\w+\}\}/, expr);
});

test('the rules have names of their own, and the panels lie beside each other', () => {
  assert.ok(RULES.length >= 10);
  const rules = [...RULES, ...REDIS_RULES];
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  const { panels, templating } = DASHBOARD;
  assert.deepEqual(
    templating.list.map((/** @type {any} */ { name }) => name),
    ['datasource', 'site'],
  );
  assert.equal(new Set(panels.map((/** @type {any} */ { id }) => id)).size, panels.length);
  const taken = new Set();
  for (const { title, gridPos, datasource, targets } of panels) {
    assert.ok(title, JSON.stringify(gridPos));
    if (targets) assert.deepEqual(datasource, { type: 'prometheus', uid: '${' + 'datasource}' }, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), title);
        taken.add(`${x} ${y}`);
      }
    }
  }
});

test('nothing fires while all is well; a full board, a wrong clock and a lost Redis do', async () => {
  assert.deepEqual(firing((await scrape()).samples), []);
  assert.deepEqual(firing((await scrape()).samples, 0), ['EdgeboardDown']);
  await view(Array.from({ length: MAX_MEMBERS + 1 }, (_, at) => `full-${at}`));
  assert.deepEqual(firing((await scrape()).samples), ['EdgeboardNearlyFull', 'EdgeboardFull']);
  // An hour later nobody has worked at the window since, and that is right: its boundary is far.
  for (const clock of [deployment.clock, deployment.edgeClock]) clock.advance(HOUR_MS);
  assert.deepEqual(firing((await scrape()).samples), ['EdgeboardNearlyFull', 'EdgeboardFull']);
  deployment.clock.advance(2 * HOUR_MS);
  assert.deepEqual(firing((await scrape()).samples), [
    'EdgeboardClockDiffers',
    'EdgeboardClockDrifts',
    'EdgeboardNearlyFull',
    'EdgeboardFull',
  ]);
  deployment.clock.set(deployment.edgeClock.now());
  await upkeep();
  await deployment.redis.command('FLUSHALL');
  await upkeep();
  assert.deepEqual(firing((await scrape()).samples), ['EdgeboardRedisLost']);
});

/** What redis_exporter makes of a Redis: its names, and the fields of INFO and CONFIG that they are of (exporter/exporter.go). */
const EXPORTED = {
  redis_cpu_user_seconds_total: 'used_cpu_user',
  redis_cpu_sys_seconds_total: 'used_cpu_sys',
  redis_memory_used_bytes: 'used_memory',
  redis_memory_max_bytes: 'maxmemory',
  redis_connected_clients: 'connected_clients',
  redis_config_maxclients: 'maxclients',
  redis_evicted_keys_total: 'evicted_keys',
};

/** @param {import('../support/redis.mjs').Redis} redis @returns {Promise<Record<string, number>>} */
async function exported(redis) {
  const info = await redis.command('INFO', 'everything');
  return Object.fromEntries(
    Object.entries(EXPORTED).map(([name, field]) => {
      const value = new RegExp(`^${field}:([\\d.]+)\r?$`, 'm').exec(info)?.[1];
      assert.ok(value, field);
      return [name, Number(value)];
    }),
  );
}

/** The rules that a Redis fulfils, by what it told at two instants. @param {Record<string, number>} then @param {Record<string, number>} now @param {number} passedS */
function firingOfRedis(then, now, passedS) {
  return REDIS_RULES.filter(({ expr }) => {
    const code = expr
      .replaceAll(/rate\((\w+)\[5m\]\)/g, `(now.$1 - then.$1) / passed`)
      .replaceAll(/increase\((\w+)\[10m\]\)/g, '(now.$1 - then.$1)')
      .replaceAll(/(?<![\w.])redis_\w+/g, 'now.$&')
      .replaceAll(' and ', ' && ');
    assert.match(code, /^(?:(?:now|then)\.redis_\w+|passed|\d+(?:\.\d+)?|&&|[-+<>()/]|\s)+$/);
    return new Function('then', 'now', 'passed', `return ${code}`)(then, now, passedS);
  }).map(({ alert }) => alert);
}

test("the rules of Redis's size name what redis_exporter tells, and fire when they should", async () => {
  for (const { expr } of REDIS_RULES) {
    for (const name of expr.match(/\bredis_\w+/g) ?? []) assert.ok(name in EXPORTED, name);
  }
  const { redis } = deployment;
  const idle = await exported(redis);
  assert.deepEqual(firingOfRedis(idle, idle, 300), []);
  const busy = { ...idle, redis_cpu_user_seconds_total: idle.redis_cpu_user_seconds_total + 200 };
  assert.deepEqual(firingOfRedis(idle, busy, 300), ['EdgeboardRedisBusy']);
  const clients = Number((await redis.command('CONFIG', 'GET', 'maxclients'))[1]);
  assert.equal(idle.redis_config_maxclients, clients);
  await redis.command('CONFIG', 'SET', 'maxmemory', Math.ceil(idle.redis_memory_used_bytes / 0.9));
  assert.deepEqual(firingOfRedis(idle, await exported(redis), 300), ['EdgeboardRedisMemory']);
  await redis.command('CONFIG', 'SET', 'maxmemory', 0);
  const evicting = { ...idle, redis_evicted_keys_total: 1, redis_connected_clients: clients };
  assert.deepEqual(firingOfRedis(idle, evicting, 300), ['EdgeboardRedisConnections', 'EdgeboardRedisEvicts']);
});
