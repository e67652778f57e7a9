/**
 * Simulated days over a change of clocks: events, rare operations and clocks that step back, through two workers of which one has an older
 * configuration, while replies are lost. Every window is compared with a model at many instants.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createRandom } from '../../support/windows.mjs';
import { table } from '../document.mjs';
import { createCalendar } from './calendar.mjs';
import { createComparison } from './comparison.mjs';
import { createCuration } from './curation.mjs';
import { createFrozen } from './frozen.mjs';
import { createLife } from './life.mjs';
import { createBoardModel } from './model.mjs';
import { createOperations } from './operations.mjs';
import { drawSite } from './site.mjs';
import { startWorld } from './world.mjs';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** At that from one another, instants come at any minute of an hour. */
const STEP_MS = 17 * MINUTE_MS;

/** @typedef {{ seed: number, options: object, events: number, again: number, operations: Record<string, number>, compared: number, differences: string[], seconds: number }} Soak */

/** @param {{ seed: number, days: number, instants: number }} options @returns {Promise<Soak>} */
export async function proveSoak({ seed, days, instants }) {
  const began = Date.now();
  const random = createRandom(seed);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const site = drawSite(pick, seed);
  const { zone, from, boards, options } = site;
  const calendar = createCalendar(zone);
  const models = createModels(boards, calendar);
  const world = await startWorld({
    newer: site.configure(false),
    older: site.configure(true),
    isQueued: options.ingest === 'queue',
    hasArchive: options.archive,
    random: createRandom(seed + 1_000_000),
  });
  const life = createLife({ world, models, site, name: String(seed), random });
  const curation = createCuration(boards);
  const comparison = createComparison({ world, boards, models, calendar, curation, tallied: site.tallied });
  const rare = createOperations({ world, life, curation, models, site, random });
  const { differences } = comparison;
  const lists = () => curation.of('articles');
  const frozen = createFrozen({ world, model: models.articles, board: boards.articles, calendar, lists, differences });
  /** @type {Record<string, number>} */
  const operations = {};

  async function doRare() {
    const names = Object.keys(rare);
    const what = names[pick(names.length)];
    world.note(what);
    await rare[what]();
    operations[what] = (operations[what] ?? 0) + 1;
    if (random() < 0.7) await life.sendBatch();
  }

  const steps = Math.round((days * DAY_MS) / STEP_MS);
  const looks = new Set(Array.from({ length: instants }, (_, i) => Math.floor(((i + 1) * steps) / instants) - 1));
  let upkeepRests = 0;
  try {
    world.moveTo(from);
    if (options.sections) await life.describeAll();
    for (let step = 0; step < steps && differences.length === 0; step += 1) {
      const at = from + step * STEP_MS;
      world.moveTo(at);
      world.loseReplies(true);
      for (let batches = 1 + pick(3); batches > 0; batches -= 1) await life.sendBatch();
      if (random() < 0.12) await doRare();
      if (upkeepRests > 0) upkeepRests -= 1;
      else if (random() < 0.02) upkeepRests = pick(80);
      else if (random() < 0.4) await world.ask('/v1/demo/admin/upkeep', { method: 'POST' });
      else if (random() < 0.5) await world.deployment.worker.scheduled();
      world.loseReplies(false);
      await frozen.look();
      if (!looks.has(step)) continue;
      // A clock that went back shows the minute that it had reached.
      if (world.now() < at) world.moveTo(at);
      // Cron lets new sections know of aliases.
      await world.deployment.worker.scheduled();
      await world.archiveFollows();
      await frozen.look();
      await comparison.all(pick, from);
      await frozen.look();
    }
  } catch (error) {
    for (const { level, message } of world.deployment.worker.log.slice(-20)) world.log.push(`${level} ${message}`);
    differences.push(String(error));
    throw new Error(`seed ${seed}: ${error.message}; what happened is in ${logOf(seed)}`, { cause: error });
  } finally {
    if (differences.length > 0) {
      await writeFile(logOf(seed), world.log.join('\n'));
      differences.push(`what happened is in ${logOf(seed)}`);
    }
    await world.stop();
  }
  const compared = comparison.compared + frozen.count;
  return {
    seed,
    options,
    events: life.events,
    again: life.again,
    operations,
    compared,
    differences,
    seconds: Math.round((Date.now() - began) / 1000),
  };
}

/** @param {Record<string, import('./model.mjs').Board>} boards @param {import('./calendar.mjs').Calendar} calendar */
function createModels(boards, calendar) {
  /** @type {Record<string, import('./model.mjs').Model>} */
  const models = {};
  for (const [name, board] of Object.entries(boards)) {
    const [whole] = name.split('.');
    const others = Object.keys(boards).filter((other) => other !== name && other.startsWith(`${whole}.`));
    models[name] = createBoardModel(board, calendar, () => (board.section === undefined ? [] : others.map((other) => models[other])));
  }
  return models;
}

const logOf = (/** @type {number} */ seed) => join(tmpdir(), `edgeboard-soak-${seed}.log`);

/** @param {Soak[]} runs */
export function renderSoak(runs) {
  const rows = runs.map(({ seed, options, events, again, operations, compared, differences, seconds }) => [
    String(seed),
    Object.values(options).map(String).join(', '),
    events.toLocaleString('en'),
    again.toLocaleString('en'),
    Object.entries(operations)
      .map(([name, times]) => `${name} ×${times}`)
      .join(', '),
    compared.toLocaleString('en'),
    String(differences.length),
    String(seconds),
  ]);
  return table(['seed', 'site', 'events', 'batches sent again', 'rare operations', 'windows compared', 'differences', 'seconds'], rows);
}

/** Why it does not hold. @param {Soak[]} runs */
export function wrongInSoak(runs) {
  return runs.flatMap(({ seed, differences }) => differences.map((difference) => `seed ${seed}: ${difference}`));
}
