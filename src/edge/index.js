/**
 * The worker: its everyday module, which starts at once, and behind it the whole one, which the first request that needs it loads.
 *
 * Both are the same crate. An isolate that serves clicks and rankings, as nearly all do, never compiles the rest.
 */
import Everyday from './everyday.js';

const { queueMicrotask } = globalThis;
const resolved = Promise.resolve();
/**
 * Rust wakes its tasks by this, several times in each request. The runtime's own costs seven times as much as a reaction to a promise.
 * What is thrown is thrown on by the runtime's, so that it is seen as ever.
 */
globalThis.queueMicrotask = (task) => {
  resolved.then(task).catch((error) => {
    queueMicrotask(() => {
      throw error;
    });
  });
};

const whole = async () => (await import('./whole/index.js')).default;

export default class extends Everyday {
  fetch(request) {
    const answer = super.fetch(request);
    // What is kept is answered at once, without a promise.
    if (answer instanceof Response) return answer;
    return answer.then((response) => response ?? whole().then((Whole) => new Whole(this.ctx, this.env).fetch(request)));
  }

  async scheduled(controller) {
    return new (await whole())(this.ctx, this.env).scheduled(controller);
  }
}
