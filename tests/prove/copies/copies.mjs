/**
 * Days of a site whose periods are archived, with corrections of the past and kills; then a loss of Redis at any instant, late events, and a
 * restore. Every window is compared with a model that knows what the documents say is lost.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createRandom, readComplete } from '../../support/windows.mjs';
import { table } from '../document.mjs';
import { createCalendar } from '../soak/calendar.mjs';
import { createHistory } from './history.mjs';
import { createLife } from './life.mjs';
import { BOARDS, drawSite } from './site.mjs';
import { LOSSES, startWorld } from './world.mjs';

const MINUTE_MS = 60_000;
/** At that from one another, instants come at any minute of an hour. */
const STEP_MS = 37 * MINUTE_MS;

/** @typedef {{ seed: number, options: object, loss: string, followed: string, events: number, operations: Record<string, number>, kills: number, compared: number, differences: string[], seconds: number }} Run */

/** @param {{ seed: number, steps?: number }} options @returns {Promise<Run>} */
export async function proveCopies({ seed, steps = 90 }) {
  const began = Date.now();
  const random = createRandom(seed);
  const pick = (/** @type {number} */ n) => Math.floor(random() * n);
  const { zone, from, kept, site, options } = drawSite(pick);
  const loss = LOSSES[seed % LOSSES.length];
  const calendar = createCalendar(zone);
  const history = createHistory(BOARDS, calendar);
  const world = await startWorld({ site, kept, loss, random: createRandom(seed + 1_000_000) });
  const life = createLife({ world, history, calendar, from, name: String(seed), random });
  const logPath = join(tmpdir(), `edgeboard-copies-${seed}.log`);
  /** @type {string[]} */
  const differences = [];
  let compared = 0;
  const upkeep = (isKilled = false) => world.ask('/v1/demo/admin/upkeep', { method: 'POST' }, isKilled);

  /** @param {number} at */
  async function liveAt(at) {
    world.moveTo(at);
    for (let batches = 1 + pick(2); batches > 0; batches -= 1) await life.sendBatch();
    if (random() < 0.25) await life.doRare();
    if (random() < 0.8) await upkeep(random() < 0.04);
  }

  /** Whether a window shows what the model has. @param {string} name @param {string} window @param {number} [period] */
  async function compare(name, window, period) {
    const of = BOARDS[name].windows[window];
    const query = period !== undefined && 'unit' in of ? `?period=${calendar.idOf(of.unit, period)}&limit=1000` : '?limit=1000';
    const { answer } = await readComplete(world.deployment, `${name}/${window}`, query);
    const expected = history.expected(name, window, Date.parse(answer.body.generated_at), period);
    for (const id of name === 'articles' ? life.hidden : []) expected.delete(id);
    const shown = new Map(answer.body.entries.map((/** @type {any} */ { id, score }) => [id, score]));
    compared += 1;
    for (const id of new Set([...expected.keys(), ...shown.keys()])) {
      const [must, is] = [expected.get(id) ?? 0, shown.get(id) ?? 0];
      if (is !== must) differences.push(`${new Date(world.now()).toISOString()} ${name}/${window}${query}: ${id} has ${is}, not ${must}`);
    }
  }

  async function compareAll() {
    for (const [name, { windows }] of Object.entries(BOARDS)) {
      for (const [window, of] of Object.entries(windows)) {
        await compare(name, window);
        if (!('unit' in of) || 'length' in of || of.unit === 'all') continue;
        const current = calendar.periodOf(of.unit, world.now());
        for (let past = calendar.periodOf(of.unit, from); past < current; past += 1)
          if (!life.readFromArchive.has(`${name}/${window}/${past}`)) await compare(name, window, past);
      }
    }
  }

  /** What was restored, asked until it is done. */
  async function restore() {
    const body = await world.ask('/v1/demo/admin/restore', { method: 'POST' }, random() < 0.3);
    world.note(JSON.stringify(body));
    return body;
  }

  try {
    const lossStep = Math.floor(steps * (0.4 + 0.4 * random()));
    let at = from;
    for (let step = 0; step < lossStep; step += 1, at += STEP_MS) await liveAt(at);
    // A period whose last member went is read from the archive, which follows by then.
    world.tick(5 * MINUTE_MS);
    await upkeep();
    await compareAll();
    const bringBack = await world.backUp();
    life.isBackedUp();
    const backup = loss === 'emptied' ? -Infinity : world.now();
    world.tick();
    world.note(`backed up`);
    if (loss !== 'a replica ten minutes behind') {
      await liveAt(at + 9 * MINUTE_MS);
      await liveAt(at + 41 * MINUTE_MS);
    }
    await liveAt(world.now() + 5 * MINUTE_MS);
    world.moveTo(world.now() + 4 * MINUTE_MS);
    const periods = await world.archived();
    const lossAt = world.now();
    world.note(`lost: ${loss}`);
    await bringBack();
    life.isLost(lossAt);
    const { archive: followed } = await world.ask('/v1/demo/admin/restore', { method: 'GET' });
    assert.deepEqual(followed.behind, []);
    world.tick(MINUTE_MS);

    // Nobody has noticed, then somebody has, and it is restored while events count on.
    at = world.now() + MINUTE_MS;
    for (let step = pick(4); step >= 0; step -= 1, at += 7 * MINUTE_MS) await liveAt(at);
    world.moveTo(at);
    const restored = await restore();
    history.lose({ at: lossAt, backup, ...readRestored({ restored, followed, periods, calendar, lossAt }) });
    for (let run = 0; run < 4; run += 1) {
      world.tick(6 * MINUTE_MS);
      await upkeep();
      // It ends deletions and aliases that the restore had no time for.
      await world.deployment.worker.scheduled();
    }
    await compareAll();
    if (differences.length === 0) {
      at = world.now() + STEP_MS;
      for (let step = 0; step < 12; step += 1, at += STEP_MS) await liveAt(at);
      await upkeep();
      await compareAll();
    }
    const seconds = Math.round((Date.now() - began) / 1000);
    return {
      seed,
      options,
      loss,
      followed: followed.until,
      events: life.events,
      operations: life.operations,
      kills: world.kills,
      compared,
      differences,
      seconds,
    };
  } catch (error) {
    for (const { level, message } of world.deployment.worker.log.slice(-20)) world.log.push(`${level} ${message}`);
    differences.push(String(error));
    throw new Error(`seed ${seed}, ${JSON.stringify({ ...options, loss })}: ${error.message}; what happened is in ${logPath}`, {
      cause: error,
    });
  } finally {
    if (differences.length > 0) {
      await writeFile(logPath, world.log.join('\n'));
      differences.push(`what happened is in ${logPath}`);
    }
    await world.stop();
  }
}

/**
 * What the product tells of a restore, by period.
 *
 * @param {{ restored: any, followed: any, periods: Set<string>, calendar: import('../soak/calendar.mjs').Calendar, lossAt: number }} of `periods`
 *   were archived before the loss, and `followed` is until when the archive followed then
 * @returns {Pick<import('./history.mjs').Loss, 'archived' | 'filled'>}
 */
function readRestored({ restored, followed, periods, calendar, lossAt }) {
  const find = (
    /** @type {string} */ name,
    /** @type {'archived' | 'filled'} */ list,
    /** @type {string} */ unit,
    /** @type {string} */ id,
  ) => {
    const of = restored.boards.find((/** @type {any} */ { board }) => board === name);
    return of[list].find((/** @type {any} */ { window, period }) => window === unit && period === id);
  };
  const instant = (/** @type {string | null} */ text) => (text === null ? -Infinity : Date.parse(text));
  return {
    archived(name, unit, period) {
      const id = calendar.idOf(unit, period);
      if (!periods.has(`${name}/manifests/${unit}/${id}`)) return undefined;
      return Date.parse((find(name, 'archived', unit, id) ?? followed).until);
    },
    filled(name, unit, period) {
      const found = find(name, 'filled', unit, calendar.idOf(unit, period));
      // What it lacked before the loss is not of it.
      if (!found || Date.parse(found.counted_since) <= lossAt) return undefined;
      return found.covered.map((/** @type {any} */ span) => [instant(span.from), instant(span.until)]);
    },
  };
}

/** @param {Run[]} runs */
export function renderCopies(runs) {
  const rows = runs.map(({ seed, options, loss, followed, events, operations, kills, compared, differences, seconds }) => [
    String(seed),
    Object.values(options).map(String).join(', '),
    loss,
    followed,
    events.toLocaleString('en'),
    Object.entries(operations)
      .map(([name, times]) => `${name} ×${times}`)
      .join(', '),
    String(kills),
    compared.toLocaleString('en'),
    String(differences.length),
    String(seconds),
  ]);
  return table(
    ['seed', 'site', 'loss', 'followed', 'events', 'rare operations', 'kills', 'windows compared', 'differences', 'seconds'],
    rows,
  );
}

/** Why it does not hold. @param {Run[]} runs */
export function wrongInCopies(runs) {
  return runs.flatMap(({ seed, differences }) => differences.map((difference) => `seed ${seed}: ${difference}`));
}
