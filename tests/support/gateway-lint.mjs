/**
 * Counts the commands that scripts run inside Redis, because Upstash bills each of them.
 *
 * Redis counts every command in INFO commandstats, those of scripts too. The counters are read around each command,
 * in the same batch; what a script call added to them, itself and INFO aside, it ran inside. The count is right while
 * nobody else uses the server during the call.
 */
import { createHash } from 'node:crypto';

const PROBE = ['INFO', 'commandstats'];
const SCRIPT_CALLS = new Set(['eval', 'eval_ro', 'evalsha', 'evalsha_ro', 'fcall', 'fcall_ro']);

/**
 * @typedef {import('./resp.mjs').Argument} Argument
 * @typedef {import('./resp.mjs').Answer} Answer
 * @typedef {object} ScriptCount
 * @property {number} calls how often the script was called
 * @property {number} commands how many commands it ran in all calls together
 * @property {number} most how many it ran in its costliest call
 * @property {Record<string, number>} names the commands of all calls by name
 */

export function createLint() {
  /** @type {Map<string, ScriptCount>} */
  const scripts = new Map();

  return {
    scripts,

    /** @param {Argument[][]} commands */
    withProbes: (commands) => [PROBE, ...commands.flatMap((command) => [command, PROBE])],

    /**
     * Take the probes' answers out again, and count.
     *
     * @param {Argument[][]} commands
     * @param {Answer[]} answers of withProbes(commands)
     */
    count(commands, answers) {
      commands.forEach((command, index) => {
        const name = String(command[0]).toLowerCase();
        if (!SCRIPT_CALLS.has(name)) return;
        const [before, after] = [answers[2 * index], answers[2 * index + 2]].map(({ value }) => callsByName(value));
        add(scriptOf(name, command), difference(before, after, name));
      });
      return answers.filter((_, index) => index % 2 === 1);
    },
  };

  /**
   * @param {string} script
   * @param {Record<string, number>} ran
   */
  function add(script, ran) {
    const count = scripts.get(script) ?? { calls: 0, commands: 0, most: 0, names: {} };
    const total = Object.values(ran).reduce((sum, calls) => sum + calls, 0);
    count.calls += 1;
    count.commands += total;
    count.most = Math.max(count.most, total);
    for (const [name, calls] of Object.entries(ran)) count.names[name] = (count.names[name] ?? 0) + calls;
    scripts.set(script, count);
  }
}

/**
 * A script's SHA-1, or a function's name.
 *
 * @param {string} name
 * @param {Argument[]} command
 */
function scriptOf(name, [, script]) {
  const body = Buffer.isBuffer(script) ? script : String(script);
  return name.startsWith('eval') && !name.startsWith('evalsha') ? createHash('sha1').update(body).digest('hex') : String(script);
}

/** @param {import('./resp.mjs').Reply} commandstats */
function callsByName(commandstats) {
  const lines = String(commandstats).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, name, calls]) => [name, Number(calls)]));
}

/**
 * @param {Map<string, number>} before
 * @param {Map<string, number>} after
 * @param {string} caller
 */
function difference(before, after, caller) {
  const ran = [...after]
    .filter(([name]) => name !== 'info' && name !== caller)
    .map(([name, calls]) => /** @type {const} */ ([name, calls - (before.get(name) ?? 0)]))
    .filter(([, calls]) => calls > 0);
  return Object.fromEntries(ran);
}
