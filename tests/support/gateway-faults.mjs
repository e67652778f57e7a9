/**
 * What can go wrong between a worker and Upstash, on demand.
 *
 * The interesting one is a reply that is lost *after* the commands were applied: to its caller it looks exactly like a
 * request that never arrived.
 */

/**
 * @typedef {object} Faults
 * @property {(n: number) => void} loseReplies apply the next n requests, then drop their connections unanswered
 * @property {(predicate: (commands: string[][]) => boolean) => void} loseReply the same, once, for the first request
 *   whose commands satisfy the predicate
 * @property {(loses: () => boolean) => void} loseRepliesWhen from now on do the same with each request for which `loses`,
 *   asked once it was applied, says so
 * @property {(n: number) => void} failBefore answer the next n requests 503 with an HTML page; nothing is applied
 * @property {(ms: number) => void} delay apply requests at once but answer them this much later; 0 ends it
 * @property {() => void} hang neither apply nor answer any request from now on
 * @property {() => void} clear end every fault; requests that already hang stay unanswered
 */

/** The faults as tests set them, and as the gateway consumes them. */
export function createFaults() {
  /** @type {((commands: string[][]) => boolean)[]} */
  let losing = [];
  let losesNext = () => false;
  let failing = 0;
  let delayMs = 0;
  let hanging = false;

  /** @type {Faults} */
  const controls = {
    loseReplies: (n) => losing.push(...Array.from({ length: n }, () => () => true)),
    loseReply: (predicate) => losing.push(predicate),
    loseRepliesWhen: (loses) => void (losesNext = loses),
    failBefore: (n) => void (failing = n),
    delay: (ms) => void (delayMs = ms),
    hang: () => void (hanging = true),
    clear() {
      losing = [];
      losesNext = () => false;
      failing = 0;
      delayMs = 0;
      hanging = false;
    },
  };

  return {
    controls,
    hangs: () => hanging,
    fails() {
      if (failing === 0) return false;
      failing -= 1;
      return true;
    },
    loses(/** @type {string[][]} */ commands) {
      const index = losing.findIndex((predicate) => predicate(commands));
      if (index < 0) return losesNext();
      losing.splice(index, 1);
      return true;
    },
    delayMs: () => delayMs,
  };
}
